#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "io/hdf5.hpp"

namespace kokkosort::test {

/// What a small file of templates holds: two on four channels, of waveforms of five samples. Valid until a
/// test spoils it.
struct SmallTemplates {
  static constexpr std::size_t n_channels = 4;
  static constexpr std::size_t nt = 5;

  double sampling_rate_hz = 30000.0;
  double dmin_um = 20.0;
  double dminx_um = 32.0;
  std::vector<double> x_um{0, 32, 0, 32};
  std::vector<double> y_um{0, 0, 20, 20};
  std::vector<float> wPCA = components();                   // [2, 5]
  std::vector<float> templates{20, 0, 0, 0, 0, 0, 0,  0,    // [2, 4, 2]
                               0,  0, 5, 0, 0, 0, 20, 10};  // the second on two channels
  std::string dataset = "learned_templates";
  std::set<std::string> left_out;  // datasets, or names of the file's attributes

  static std::vector<float> components() {
    const float six = std::sqrt(6.0f), two = std::sqrt(2.0f);
    return {0, 1 / six, 2 / six, 1 / six, 0, 0, -1 / two, 0, 1 / two, 0};
  }

  void write(const std::filesystem::path& path) const {
    hdf5::OutputFile file(path);
    attribute(file, "sampling_rate_hz", sampling_rate_hz);
    attribute(file, "dmin_um", dmin_um);
    attribute(file, "dminx_um", dminx_um);
    const std::vector<std::int32_t> shank(x_um.size(), 0);
    file.group("probe");
    write(file, "probe/x_um", {x_um.size()}, x_um);
    write(file, "probe/y_um", {y_um.size()}, y_um);
    write(file, "probe/shank", {shank.size()}, shank);
    file.group("pcs");
    write(file, "pcs/wPCA", {wPCA.size() / nt, nt}, wPCA);
    write(file, "pcs/wTEMP", {2, nt}, components());
    file.attribute("pcs", "peak_sample", std::int64_t{2});
    write(file, dataset, {templates.size() / (n_channels * 2), n_channels, 2}, templates);
    file.close();
  }

  /// A recording [samples, channels] in hundredths of a standard deviation, zero but for one spike of each
  /// template at every 2 · period samples in turn, the first at sample `period`.
  std::vector<std::int16_t> planted(std::size_t n_samples, std::size_t period) const {
    std::vector<std::int16_t> traces(n_samples * n_channels, 0);
    for (std::size_t peak = period, unit = 0; peak + 3 < n_samples; peak += period, unit = 1 - unit)
      for (std::size_t t = 0; t < nt; ++t)
        for (std::size_t c = 0; c < n_channels; ++c)
          for (std::size_t p = 0; p < 2; ++p)
            traces[(peak + t - 2) * n_channels + c] = static_cast<std::int16_t>(
                traces[(peak + t - 2) * n_channels + c] +
                std::lround(100.0f * templates[(unit * n_channels + c) * 2 + p] * wPCA[p * nt + t]));
    return traces;
  }

 private:
  template <class T>
  void write(hdf5::OutputFile& file, const std::string& name, const hdf5::Shape& shape,
             const std::vector<T>& values) const {
    if (!left_out.contains(name)) file.write(name, shape, values.data());
  }

  void attribute(hdf5::OutputFile& file, const std::string& name, double value) const {
    if (!left_out.contains(name)) file.attribute("/", name, value);
  }
};

}  // namespace kokkosort::test
