#include "simulation/units.hpp"

#include <algorithm>
#include <cmath>

#include "simulation/draws.hpp"
#include "simulation/layouts.hpp"

namespace kokkosort {
namespace {

constexpr double margin_um = 15.0;             // that units may lie beyond the channels
constexpr double smallest_amplitude_uv = 0.1;  // that is simulated; far below what is stored

/// The random numbers of one unit, each of its own draw.
class UnitDraws {
 public:
  UnitDraws(std::uint64_t seed, std::uint32_t unit) : seed_(seed), unit_(unit) {}

  double between(double low, double high) {
    return low + (high - low) * draw_unit(seed_, SimulationStream::unit, unit_, next());
  }
  double lognormal(double median, double sigma) {
    // A normal number takes two draws, 2n and 2n + 1: far from those of the uniform numbers.
    return median * std::exp(sigma * draw_normal(seed_, SimulationStream::unit, unit_, 1000 + next()));
  }

 private:
  std::uint32_t next() { return draw_++; }

  std::uint64_t seed_;
  std::uint32_t unit_;
  std::uint32_t draw_ = 0;
};

struct Span {
  double low;
  double high;
};

/// From the lowest to the highest of a shank's coordinates, and the margin.
Span span_of(const std::vector<double>& positions, const std::vector<std::int32_t>& shanks,
             std::int32_t shank) {
  Span span{INFINITY, -INFINITY};
  for (std::size_t c = 0; c < positions.size(); ++c)
    if (shanks[c] == shank) span = {std::min(span.low, positions[c]), std::max(span.high, positions[c])};
  return {span.low - margin_um, span.high + margin_um};
}

double distance_um(const SimulatedUnit& unit, double shift_um, const Probe& probe, std::size_t channel) {
  return std::hypot(probe.x_um[channel] - unit.x_um, probe.y_um[channel] - unit.y_um - shift_um, unit.z_um);
}

/// How much of a unit is seen at a distance: a dipole's field outside of the cell's own size.
double gain(const SimulatedUnit& unit, double distance) {
  return std::pow(1.0 + std::pow(distance / unit.spread_um, 2), -1.5);
}

std::int32_t nearest_channel(const SimulatedUnit& unit, const Probe& probe) {
  std::size_t nearest = 0;
  for (std::size_t c = 1; c < probe.x_um.size(); ++c)
    if (distance_um(unit, 0.0, probe, c) < distance_um(unit, 0.0, probe, nearest)) nearest = c;
  return static_cast<std::int32_t>(nearest);
}

double draw_amplitude(const SimulationOptions& options, UnitDraws& draws) {
  if (options.amplitude == AmplitudeLaw::uniform)
    return draws.between(options.min_amplitude_uv, options.max_amplitude_uv);
  return std::clamp(draws.lognormal(options.amplitude_uv, options.amplitude_sigma), options.min_amplitude_uv,
                    options.max_amplitude_uv);
}

void draw_shape(SimulatedUnit& unit, UnitDraws& draws) {
  unit.rise_ms = draws.between(0.05, 0.12);
  unit.fall_ms = draws.between(0.08, 0.32);
  unit.after_share = draws.between(0.10, 0.40);
  unit.after_ms = draws.between(0.40, 0.80);
  unit.spread_um = draws.between(25.0, 50.0);
  unit.slowness_ms_per_um = draws.between(-2e-3, 2e-3);
}

/// The temporal shape, −1 at its peak at 0 and larger everywhere else.
double shape(const SimulatedUnit& unit, double ms) {
  const double width = ms < 0.0 ? unit.rise_ms : unit.fall_ms;
  const double peak = -std::exp(-0.5 * std::pow(ms / width, 2));
  if (ms <= 0.0) return peak;
  const double square = std::pow(ms / unit.after_ms, 2);
  return peak + unit.after_share * square * std::exp(1.0 - square);
}

}  // namespace

std::vector<SimulatedUnit> draw_units(const SimulationOptions& options, const Probe& probe) {
  const int n_shanks = count_shanks(options);
  std::vector<SimulatedUnit> units(static_cast<std::size_t>(options.units));
  for (int u = 0; u < options.units; ++u) {
    UnitDraws draws(options.seed, static_cast<std::uint32_t>(u));
    SimulatedUnit& unit = units[static_cast<std::size_t>(u)];
    const int shank = u % n_shanks;
    const int place = u / n_shanks;
    const int of_shank = (options.units - shank + n_shanks - 1) / n_shanks;
    const Span x = span_of(probe.x_um, probe.shank, shank);
    const Span y = span_of(probe.y_um, probe.shank, shank);
    unit.x_um = draws.between(x.low, x.high);
    unit.y_um = y.low + (y.high - y.low) * (place + draws.between(0.0, 1.0)) / of_shank;
    unit.z_um = draws.between(5.0, 30.0);
    unit.channel = nearest_channel(unit, probe);
    unit.rate_hz = std::clamp(draws.lognormal(options.rate_hz, options.rate_sigma), options.min_rate_hz,
                              options.max_rate_hz);
    unit.amplitude_uv = draw_amplitude(options, draws);
    unit.sign = draws.between(0.0, 1.0) < options.positive_share ? 1.0 : -1.0;
    draw_shape(unit, draws);
  }
  return units;
}

UnitWaveforms waveforms_of(const Simulation& simulation, const SimulatedUnit& unit, double shift_um) {
  const Probe& probe = simulation.probe;
  const auto channel = static_cast<std::size_t>(unit.channel);
  const double gain_at_channel = gain(unit, distance_um(unit, 0.0, probe, channel));
  const double ms_per_sample = 1000.0 / simulation.options.sampling_rate_hz;
  UnitWaveforms waveforms;
  for (std::size_t c = 0; c < probe.x_um.size(); ++c) {
    const double amplitude =
        unit.amplitude_uv * gain(unit, distance_um(unit, shift_um, probe, c)) / gain_at_channel;
    if (amplitude < smallest_amplitude_uv) continue;
    waveforms.channels.push_back(static_cast<std::int32_t>(c));
    const double delay_ms = unit.slowness_ms_per_um * (probe.y_um[c] - probe.y_um[channel] - shift_um);
    for (int t = -simulation.before(); t <= simulation.after(); ++t)
      waveforms.values.push_back(
          static_cast<float>(-unit.sign * amplitude * shape(unit, t * ms_per_sample - delay_ms)));
  }
  return waveforms;
}

std::vector<float> template_of(const Simulation& simulation, std::size_t unit) {
  const UnitWaveforms waveforms = waveforms_of(simulation, simulation.units[unit], 0.0);
  const auto nt = static_cast<std::size_t>(simulation.nt());
  const std::size_t n_channels = simulation.probe.x_um.size();
  std::vector<float> values(nt * n_channels, 0.0f);
  for (std::size_t row = 0; row < waveforms.channels.size(); ++row)
    for (std::size_t t = 0; t < nt; ++t)
      values[t * n_channels + static_cast<std::size_t>(waveforms.channels[row])] =
          waveforms.values[row * nt + t];
  return values;
}

}  // namespace kokkosort
