#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "io/hdf5.hpp"

namespace kokkosort::test {

/// What a small features file holds: three spikes on four channels in group "detected". Valid until a test
/// spoils it.
struct SmallFeatures {
  double sampling_rate_hz = 30000.0;
  double dmin_um = 20.0;
  double dminx_um = 32.0;
  std::int64_t peak_sample = 2;
  std::vector<double> x_um{0, 32, 0, 32};
  std::vector<double> y_um{0, 0, 20, 20};
  std::vector<std::int32_t> shank{0, 0, 0, 0};
  std::vector<float> wPCA = std::vector<float>(2 * 5, 0.5f);
  std::vector<float> wTEMP = std::vector<float>(3 * 5, 0.5f);
  std::vector<double> centre_x_um{0, 32};
  std::vector<double> centre_y_um{0, 20};
  std::vector<std::int32_t> channels{0, 1, 2, 3, 2, 1};  // [2, 3]
  std::vector<std::int64_t> sample{10, 20, 30};
  std::vector<std::int32_t> centre{0, 1, 0};
  std::vector<float> features{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18};  // [3, 3, 2]

  std::set<std::string> left_out;  // datasets, or "object@attribute"
  std::set<std::string> mistyped;  // likewise: whole numbers are written as reals, reals as text

  void write(const std::filesystem::path& path) const {
    hdf5::OutputFile file(path);
    attribute(file, "/", "sampling_rate_hz", sampling_rate_hz);
    for (const char* group : {"probe", "pcs", "detected", "detected/spikes", "detected/centres"})
      file.group(group);
    attribute(file, "detected", "dmin_um", dmin_um);
    attribute(file, "detected", "dminx_um", dminx_um);
    attribute(file, "pcs", "peak_sample", peak_sample);
    dataset(file, "probe/x_um", x_um, 1);
    dataset(file, "probe/y_um", y_um, 1);
    dataset(file, "probe/shank", shank, 1);
    dataset(file, "pcs/wPCA", wPCA, 2, {5});
    dataset(file, "pcs/wTEMP", wTEMP, 2, {5});
    dataset(file, "detected/centres/x_um", centre_x_um, 1);
    dataset(file, "detected/centres/y_um", centre_y_um, 1);
    dataset(file, "detected/centres/channels", channels, 2, {3});
    dataset(file, "detected/spikes/sample", sample, 1);
    dataset(file, "detected/spikes/centre", centre, 1);
    dataset(file, "detected/spikes/features", features, 3, {3, 2});
    file.close();
  }

 private:
  /// @param inner  extents of all axes but the first
  template <class T>
  void dataset(hdf5::OutputFile& file, const std::string& name, const std::vector<T>& values,
               std::size_t n_axes, const std::vector<std::size_t>& inner = {}) const {
    if (left_out.contains(name)) return;
    std::size_t slab = 1;
    hdf5::Shape shape{0};
    for (const std::size_t n : inner) {
      slab *= n;
      shape.push_back(n);
    }
    shape[0] = values.size() / slab;
    shape.resize(n_axes);
    if (!mistyped.contains(name)) return file.write(name, shape, values.data());
    if constexpr (std::is_integral_v<T>)
      return file.write(name, shape, std::vector<double>(values.begin(), values.end()).data());
    const std::string text(8 * values.size(), '1');
    file.write(name, hdf5::string_type(8).get(), shape, text.data());
  }

  template <class T>
  void attribute(hdf5::OutputFile& file, const std::string& object, const std::string& name, T value) const {
    const std::string place = object + "@" + name;
    if (left_out.contains(place)) return;
    if (!mistyped.contains(place)) return file.attribute(object, name, value);
    if constexpr (std::is_integral_v<T>) return file.attribute(object, name, static_cast<double>(value));
    file.attribute(object, name, std::to_string(value));
  }
};

}  // namespace kokkosort::test
