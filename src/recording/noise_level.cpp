#include "kokkosort/recording/noise_level.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kokkosort {
namespace {

constexpr std::int64_t most_samples = 3000;
constexpr double deviations_of_median = 0.6745;  // half of a normal distribution lies within so many

template <class T>
double median_magnitude(const std::vector<unsigned char>& bytes) {
  const T* const values = reinterpret_cast<const T*>(bytes.data());
  std::vector<double> magnitudes(bytes.size() / sizeof(T));
  std::transform(values, values + magnitudes.size(), magnitudes.begin(),
                 [](T value) { return std::abs(static_cast<double>(value)); });
  if (magnitudes.empty()) return 0.0;
  const auto middle = magnitudes.begin() + static_cast<std::ptrdiff_t>(magnitudes.size() / 2);
  std::nth_element(magnitudes.begin(), middle, magnitudes.end());
  return *middle;
}

double median_magnitude(SampleType type, const std::vector<unsigned char>& bytes) {
  switch (type) {
    case SampleType::int16:
      return median_magnitude<std::int16_t>(bytes);
    case SampleType::uint16:
      return median_magnitude<std::uint16_t>(bytes);
    case SampleType::int32:
      return median_magnitude<std::int32_t>(bytes);
    case SampleType::float32:
      break;
  }
  return median_magnitude<float>(bytes);
}

}  // namespace

double noise_level(Recording& recording) {
  const std::int64_t count = std::min(recording.n_samples(), most_samples);
  std::vector<unsigned char> bytes(static_cast<std::size_t>(count) * recording.n_channels() *
                                   bytes_of(recording.type()));
  recording.read((recording.n_samples() - count) / 2, static_cast<std::size_t>(count), bytes.data());
  return median_magnitude(recording.type(), bytes) / deviations_of_median;
}

}  // namespace kokkosort
