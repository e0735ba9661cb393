#include "simulation/trains.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

#include "simulation/draws.hpp"

namespace kokkosort {
namespace {

struct Spike {
  std::int64_t sample;
  std::int32_t unit;
  float amplitude;
};

/// One unit's spike times. In whole samples, so that no interval is shorter than the refractory period.
class Train {
 public:
  Train(const SimulationOptions& options, std::uint32_t unit, double rate_hz)
      : seed_(options.seed),
        unit_(unit),
        refractory_(
            static_cast<std::int64_t>(std::ceil(options.refractory_ms * options.sampling_rate_hz / 1000.0))),
        mean_(std::max(0.0, options.sampling_rate_hz / rate_hz - static_cast<double>(refractory_))) {}

  std::int64_t first() { return exponential(0); }
  /// @param n  number of the interval, from 1
  std::int64_t interval(std::uint32_t n) { return refractory_ + exponential(n); }

 private:
  std::int64_t exponential(std::uint32_t n) const {
    return std::llround(-mean_ * std::log(1.0 - draw_unit(seed_, SimulationStream::interval, unit_, n)));
  }

  std::uint64_t seed_;
  std::uint32_t unit_;
  std::int64_t refractory_;
  double mean_;
};

float spike_amplitude(const SimulationOptions& options, std::uint32_t unit, std::uint32_t n) {
  const double normal = draw_normal(options.seed, SimulationStream::amplitude, unit, n);
  return static_cast<float>(std::clamp(1.0 + options.amplitude_jitter * normal, 0.7, 1.3));
}

}  // namespace

double expected_spikes(const SimulationOptions& options, const std::vector<SimulatedUnit>& units) {
  double spikes = 0.0;
  for (const SimulatedUnit& unit : units) spikes += unit.rate_hz * options.seconds;
  return spikes;
}

void draw_spikes(Simulation& simulation) {
  const SimulationOptions& options = simulation.options;
  std::vector<Spike> spikes;
  const double expected = expected_spikes(options, simulation.units);
  spikes.reserve(static_cast<std::size_t>(expected + 6.0 * std::sqrt(expected)));  // rarely exceeded
  for (std::uint32_t u = 0; u < simulation.units.size(); ++u) {
    Train train(options, u, simulation.units[u].rate_hz);
    std::int64_t sample = train.first();
    for (std::uint32_t n = 0; sample < simulation.n_samples; sample += train.interval(++n))
      spikes.push_back({sample, static_cast<std::int32_t>(u), spike_amplitude(options, u, n)});
  }
  std::sort(spikes.begin(), spikes.end(), [](const Spike& a, const Spike& b) {
    return std::tie(a.sample, a.unit) < std::tie(b.sample, b.unit);
  });
  simulation.truth.sample.reserve(spikes.size());
  simulation.truth.unit.reserve(spikes.size());
  simulation.amplitude.reserve(spikes.size());
  for (const Spike& spike : spikes) {
    simulation.truth.sample.push_back(spike.sample);
    simulation.truth.unit.push_back(spike.unit);
    simulation.amplitude.push_back(spike.amplitude);
  }
}

}  // namespace kokkosort
