#include "kokkosort/simulation/simulate.hpp"

#include <fmt/format.h>

#include <cmath>

#include "kokkosort/errors.hpp"
#include "simulation/layouts.hpp"
#include "simulation/trains.hpp"
#include "simulation/units.hpp"

namespace kokkosort {
namespace {

std::int64_t count_samples(const SimulationOptions& options) {
  return std::llround(options.seconds * options.sampling_rate_hz);
}

int samples_of(const SimulationOptions& options, double ms) {
  return static_cast<int>(std::ceil(ms * options.sampling_rate_hz / 1000.0));
}

void check_shanks(const SimulationOptions& options) {
  if (options.layout == ProbeLayout::tetrode && options.channels % 4 != 0)
    throw InputError(fmt::format(
        "simulation.channels is {}; tetrodes have 4 each, so it must be a multiple of 4", options.channels));
  if (options.layout == ProbeLayout::tetrode && options.shanks != 1 &&
      options.shanks != count_shanks(options))
    throw InputError(
        fmt::format("simulation.shanks is {}; every tetrode is one, so leave it out, or set it to {}",
                    options.shanks, count_shanks(options)));
  if (options.channels % count_shanks(options) != 0)
    throw InputError(fmt::format("simulation.shanks is {}; it must divide simulation.channels, {}",
                                 options.shanks, options.channels));
}

void check_order(const std::string& low_name, double low, const std::string& high_name, double high) {
  if (low > high)
    throw InputError(fmt::format("simulation.{} is {}; it must be at least simulation.{}, {}", high_name,
                                 high, low_name, low));
}

void check_rates(const SimulationOptions& options) {
  check_order("min_rate_hz", options.min_rate_hz, "max_rate_hz", options.max_rate_hz);
  constexpr double fastest = 0.9;  // of the time at most is refractory
  if (options.max_rate_hz * options.refractory_ms > fastest * 1000.0)
    throw InputError(fmt::format(
        "simulation.max_rate_hz is {}; with simulation.refractory_ms = {} it must be at most {}",
        options.max_rate_hz, options.refractory_ms, std::floor(fastest * 1000.0 / options.refractory_ms)));
}

void check_memory(const SimulationOptions& options, const std::vector<SimulatedUnit>& units,
                  std::size_t host_limit) {
  constexpr double spike_bytes = 32.0;  // while they are sorted
  const double nt = samples_of(options, 1.0) + 1 + samples_of(options, 3.0);
  const double spikes = expected_spikes(options, units);
  const double bytes = spike_bytes * spikes + 4.0 * nt * options.channels * options.units;
  if (bytes > static_cast<double>(host_limit))
    throw InputError(fmt::format(
        "memory.host_limit_mb = {} is too small: about {:.0f} spikes and {} templates take {:.0f} "
        "MB; raise it, or simulate fewer seconds or units",
        host_limit >> 20, spikes, options.units, std::ceil(bytes / (1 << 20))));
}

}  // namespace

int Simulation::before() const { return samples_of(options, 1.0); }

int Simulation::after() const { return samples_of(options, 3.0); }

void check_simulation(const SimulationOptions& options, std::size_t host_limit) {
  check_shanks(options);
  check_rates(options);
  check_order("min_amplitude_uv", options.min_amplitude_uv, "max_amplitude_uv", options.max_amplitude_uv);
  if (count_samples(options) == 0)
    throw InputError(fmt::format("simulation.seconds is {}; at {} Hz that is not one sample", options.seconds,
                                 options.sampling_rate_hz));
  check_memory(options, draw_units(options, make_probe(options)), host_limit);
}

Simulation simulate(const SimulationOptions& options, std::size_t host_limit) {
  check_simulation(options, host_limit);
  Simulation simulation;
  simulation.options = options;
  simulation.n_samples = count_samples(options);
  simulation.probe = make_probe(options);
  simulation.units = draw_units(options, simulation.probe);
  draw_spikes(simulation);
  return simulation;
}

}  // namespace kokkosort
