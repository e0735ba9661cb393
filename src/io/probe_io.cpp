#include "io/probe_io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace kokkosort {
namespace {

constexpr double farthest_um = 1e7;  // ten metres: beyond it the unit is wrong

/// Reads one number and checks that it lies in [low, high], which NaN does not.
double number_between(const hdf5::InputFile& file, const std::string& object, const std::string& name,
                      double low, double high, const std::string& allowed) {
  const auto value = file.attribute<double>(object, name);
  if (!(value >= low && value <= high))
    file.fail(object == "/" ? "attribute " + name : object + ", attribute " + name,
              fmt::format("is {}; it must be {}", value, allowed));
  return value;
}

HostMatrix<float> read_waveforms(hdf5::InputFile& file, const std::string& name) {
  const hdf5::Dataset dataset = file.open<float>(name, 2);
  HostMatrix<float> waveforms("kokkosort::io::waveforms", dataset.shape[0], dataset.shape[1]);
  if (waveforms.size() == 0) file.fail(name, "is empty");
  file.read(dataset, waveforms.data());
  for (std::size_t i = 0; i < waveforms.size(); ++i)
    if (!std::isfinite(waveforms.data()[i]))
      file.fail(name, fmt::format("waveform {}, sample {} is {}; it must be finite", i / waveforms.extent(1),
                                  i % waveforms.extent(1), waveforms.data()[i]));
  return waveforms;
}

}  // namespace

template <class T>
std::vector<T> read_vector(hdf5::InputFile& file, const std::string& name, std::size_t size) {
  const hdf5::Dataset dataset = file.open<T>(name, 1);
  if (size != 0 && dataset.size() != size)
    file.fail(name, fmt::format("has {} elements; it must have {}", dataset.size(), size));
  std::vector<T> values(dataset.size());
  file.read(dataset, values.data());
  return values;
}

std::vector<double> read_positions(hdf5::InputFile& file, const std::string& name, std::size_t size) {
  std::vector<double> positions = read_vector<double>(file, name, size);
  for (std::size_t i = 0; i < positions.size(); ++i)
    if (!(std::abs(positions[i]) <= farthest_um))
      file.fail(name, fmt::format("element {} is {}; it must be a position in micrometres", i, positions[i]));
  return positions;
}

double read_sampling_rate(const hdf5::InputFile& file) {
  return number_between(file, "/", "sampling_rate_hz", lowest_rate_hz, highest_rate_hz, "from 100 to 1e7");
}

double read_spacing(const hdf5::InputFile& file, const std::string& object, const std::string& name) {
  return number_between(file, object, name, finest_spacing_um, widest_spacing_um,
                        "a distance in micrometres");
}

std::string spacing_complaint(double spacing_um, const std::vector<double>& positions_um) {
  constexpr double most_grid_steps = 1e6;
  const auto [low, high] = std::minmax_element(positions_um.begin(), positions_um.end());
  if (*high - *low <= most_grid_steps * spacing_um) return {};
  return fmt::format("is {}, far too fine for centres that span {} um; it is the distance between centres",
                     spacing_um, *high - *low);
}

Probe read_probe(hdf5::InputFile& file) {
  Probe probe;
  probe.x_um = read_positions(file, "probe/x_um");
  if (probe.x_um.empty()) file.fail("probe/x_um", "has no channels");
  probe.y_um = read_positions(file, "probe/y_um", probe.x_um.size());
  probe.shank = read_vector<std::int32_t>(file, "probe/shank", probe.x_um.size());
  return probe;
}

void write_probe(hdf5::OutputFile& file, const Probe& probe) {
  file.group("probe");
  file.write("probe/x_um", {probe.x_um.size()}, probe.x_um.data());
  file.write("probe/y_um", {probe.y_um.size()}, probe.y_um.data());
  file.write("probe/shank", {probe.shank.size()}, probe.shank.data());
}

PrincipalComponents read_pcs(hdf5::InputFile& file) {
  PrincipalComponents pcs;
  pcs.wPCA = read_waveforms(file, "pcs/wPCA");
  pcs.wTEMP = read_waveforms(file, "pcs/wTEMP");
  const std::size_t nt = pcs.wPCA.extent(1);
  if (pcs.wTEMP.extent(1) != nt)
    file.fail("pcs/wTEMP",
              fmt::format("has {} samples but pcs/wPCA has {}; they must agree", pcs.wTEMP.extent(1), nt));
  const auto peak = file.attribute<std::int64_t>("pcs", "peak_sample");
  if (peak < 0 || static_cast<std::size_t>(peak) >= nt)
    file.fail("pcs, attribute peak_sample", fmt::format("is {}; it must be from 0 to {}", peak, nt - 1));
  pcs.peak_sample = static_cast<int>(peak);
  return pcs;
}

void write_pcs(hdf5::OutputFile& file, const PrincipalComponents& pcs) {
  file.group("pcs");
  file.write("pcs/wPCA", {pcs.wPCA.extent(0), pcs.wPCA.extent(1)}, pcs.wPCA.data());
  file.write("pcs/wTEMP", {pcs.wTEMP.extent(0), pcs.wTEMP.extent(1)}, pcs.wTEMP.data());
  file.attribute("pcs", "peak_sample", static_cast<std::int64_t>(pcs.peak_sample));
}

template std::vector<std::int32_t> read_vector(hdf5::InputFile&, const std::string&, std::size_t);
template std::vector<std::int64_t> read_vector(hdf5::InputFile&, const std::string&, std::size_t);
template std::vector<double> read_vector(hdf5::InputFile&, const std::string&, std::size_t);

}  // namespace kokkosort
