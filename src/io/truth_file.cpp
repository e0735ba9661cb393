#include "kokkosort/io/truth_file.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include "io/hdf5.hpp"
#include "io/probe_io.hpp"
#include "io/run_io.hpp"

namespace kokkosort {
namespace {

using hdf5::OutputFile;

template <class T>
void write_column(OutputFile& file, const std::string& name, const std::vector<SimulatedUnit>& units,
                  T SimulatedUnit::*member) {
  std::vector<T> values;
  for (const SimulatedUnit& unit : units) values.push_back(unit.*member);
  file.write("units/" + name, {values.size()}, values.data());
}

void write_units(OutputFile& file, const std::vector<SimulatedUnit>& units) {
  file.group("units");
  write_column(file, "x_um", units, &SimulatedUnit::x_um);
  write_column(file, "y_um", units, &SimulatedUnit::y_um);
  write_column(file, "z_um", units, &SimulatedUnit::z_um);
  write_column(file, "channel", units, &SimulatedUnit::channel);
  write_column(file, "rate_hz", units, &SimulatedUnit::rate_hz);
  write_column(file, "amplitude_uv", units, &SimulatedUnit::amplitude_uv);
}

void write_templates(OutputFile& file, const Simulation& simulation) {
  const std::size_t n_units = simulation.units.size();
  std::vector<float> values;
  for (std::size_t unit = 0; unit < n_units; ++unit) {
    const std::vector<float> waveforms = template_of(simulation, unit);
    values.insert(values.end(), waveforms.begin(), waveforms.end());
  }
  file.write("templates", {n_units, static_cast<std::size_t>(simulation.nt()), simulation.probe.x_um.size()},
             values.data());
  file.attribute("templates", "peak_sample", std::int32_t{simulation.before()});
}

}  // namespace

void write_truth(const PendingFile& pending, const Simulation& simulation, const RunRecord& run) {
  OutputFile file(pending.temporary());
  const std::size_t n = simulation.truth.n_spikes();
  file.group("truth");
  file.write("truth/sample", {n}, simulation.truth.sample.data());
  file.write("truth/unit", {n}, simulation.truth.unit.data());
  file.write("truth/amplitude", {n}, simulation.amplitude.data());
  write_units(file, simulation.units);
  write_templates(file, simulation);
  write_probe(file, simulation.probe);
  file.attribute("/", "sampling_rate_hz", simulation.options.sampling_rate_hz);
  file.attribute("/", "gain_to_uv", simulation.options.gain_to_uv);
  file.attribute("/", "n_samples", simulation.n_samples);
  file.attribute("/", "drift_um", simulation.options.drift_um);
  file.attribute("/", "seed", simulation.options.seed);
  write_run(file, run);  // last: all before it is the same bytes in every run
  file.close();
}

}  // namespace kokkosort
