#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <system_error>
#include <utility>

#include "io/hdf5.hpp"
#include "kokkosort/recording/open_recording.hpp"
#include "recording/reading.hpp"

namespace kokkosort {
namespace {

namespace fs = std::filesystem;

/// The type that takes all of a dataset's values. Floating-point numbers that do not fit become infinite, and
/// are refused when they are read.
SampleType choose_type(const hdf5::InputFile& file, const hdf5::Dataset& dataset) {
  const hdf5::Id type(H5Dget_type(dataset.id.get()));
  if (H5Tget_class(type.get()) == H5T_FLOAT) return SampleType::float32;
  const std::size_t bits = H5Tget_precision(type.get());
  const bool has_sign = H5Tget_sign(type.get()) == H5T_SGN_2;
  if (bits <= 16) return has_sign ? SampleType::int16 : SampleType::uint16;
  if (has_sign && bits <= 32) return SampleType::int32;
  file.fail(dataset.name,
            fmt::format("holds {} integers of {} bits; write it as int16, uint16, int32 or float32",
                        has_sign ? "signed" : "unsigned", bits));
}

void check_there(const hdf5::InputFile& file, const std::string& dataset) {
  if (file.has(dataset)) return;
  constexpr std::size_t most_listed = 10;
  std::vector<std::string> found = file.datasets_with(2);
  const std::string what =
      dataset.empty() ? "is an HDF5 file" : fmt::format("there is no dataset '{}'", dataset);
  if (found.empty()) file.fail("", what + "; it has no dataset [samples, channels]");
  const std::size_t n = found.size();
  found.resize(std::min(n, most_listed));
  file.fail("", fmt::format("{}; datasets on 2 axes: {}{}; set input.dataset", what, fmt::join(found, ", "),
                            n > most_listed ? fmt::format(" and {} more", n - most_listed) : ""));
}

double read_scale(const hdf5::InputFile& file, const std::string& dataset) {
  const std::string name = "scale_to_sigma";
  if (!file.has_attribute(dataset, name)) return 0.0;
  const auto scale = file.attribute<double>(dataset, name);
  if (!(scale > 0.0 && scale <= largest_scale_to_sigma))
    file.fail(dataset + ", attribute " + name,
              fmt::format("is {}; it must be above 0 and at most {}", scale, largest_scale_to_sigma));
  return scale;
}

class DatasetRecording final : public Recording {
 public:
  DatasetRecording(hdf5::InputFile file, const std::string& dataset)
      : file_(std::move(file)), dataset_(file_.open_rows(dataset, 2)), type_(choose_type(file_, dataset_)) {
    if (dataset_.size() == 0)
      file_.fail(dataset, fmt::format("has shape {}; it must hold samples", hdf5::to_string(dataset_.shape)));
  }

  std::int64_t n_samples() const override { return static_cast<std::int64_t>(dataset_.shape[0]); }
  std::size_t n_channels() const override { return dataset_.shape[1]; }
  SampleType type() const override { return type_; }
  const std::vector<fs::path>& files() const { return file_.files(); }

  void read(std::int64_t first, std::size_t count, void* to) override {
    check_range(*this, first, count);
    switch (type_) {
      case SampleType::int16:
        return read_as<std::int16_t>(first, count, to);
      case SampleType::uint16:
        return read_as<std::uint16_t>(first, count, to);
      case SampleType::int32:
        return read_as<std::int32_t>(first, count, to);
      case SampleType::float32:
        read_as<float>(first, count, to);
        check_finite(*this, to, first, count, file_.path().string() + ": " + dataset_.name);
    }
  }

 private:
  template <class T>
  void read_as(std::int64_t first, std::size_t count, void* to) {
    file_.read_rows(dataset_, static_cast<std::size_t>(first), count, static_cast<T*>(to));
  }

  hdf5::InputFile file_;
  hdf5::Dataset dataset_;
  SampleType type_;
};

}  // namespace

Hdf5Recording open_hdf5_recording(const fs::path& path, const std::string& dataset, double scale_to_sigma) {
  hdf5::InputFile file(path, 0);  // nothing is held
  check_there(file, dataset);
  const double scale = scale_to_sigma > 0.0 ? scale_to_sigma : read_scale(file, dataset);
  auto traces = std::make_unique<DatasetRecording>(std::move(file), dataset);
  std::vector<fs::path> files = traces->files();
  return {std::move(traces), scale, std::move(files)};
}

bool is_hdf5_file(const fs::path& path) {
  std::error_code error;  // a pipe would wait for its writer
  if (!fs::is_regular_file(path, error)) return false;
  hdf5::prepare_library();
  return H5Fis_hdf5(path.c_str()) > 0;
}

}  // namespace kokkosort
