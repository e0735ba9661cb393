#include "report/autocorrelogram.hpp"

namespace kokkosort {

std::vector<std::uint64_t> autocorrelogram(const std::vector<std::int64_t>& samples, double sampling_rate_hz,
                                           std::size_t bins) {
  std::vector<std::uint64_t> counts(bins, 0);
  // Multiplied first: a whole number of milliseconds is then exact.
  const auto bin = [&](std::size_t sooner, std::size_t later) {
    return static_cast<std::size_t>(static_cast<double>(samples[later] - samples[sooner]) * 1000.0 /
                                    sampling_rate_hz);
  };
  std::size_t first = 0;  // the earliest spike within the bins before a spike
  for (std::size_t i = 0; i < samples.size(); ++i) {
    while (bin(first, i) >= bins) ++first;  // a spike is in bin 0 of itself
    for (std::size_t j = first; j < i; ++j) ++counts[bin(j, i)];
  }
  return counts;
}

}  // namespace kokkosort
