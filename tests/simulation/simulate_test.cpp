// Channels, units and spikes of simulated recordings.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "kokkosort/errors.hpp"
#include "simulation/simulation_problem.hpp"

namespace kokkosort::test {
namespace {

using Places = std::vector<std::pair<double, double>>;

Places places(ProbeLayout layout, int channels, int shanks = 1, double spacing_um = 20.0) {
  SimulationOptions options;
  options.layout = layout;
  options.channels = channels;
  options.shanks = shanks;
  options.spacing_um = spacing_um;
  options.seconds = 0.1;
  const Probe probe = simulate(options).probe;
  Places result;
  for (std::size_t c = 0; c < probe.x_um.size(); ++c) result.emplace_back(probe.x_um[c], probe.y_um[c]);
  return result;
}

std::string error_of(const SimulationOptions& options, std::size_t host_limit = std::size_t{1} << 34) {
  const std::string message = message_of<InputError>([&] { simulate(options, host_limit); });
  EXPECT_EQ(message, message_of<InputError>([&] { check_simulation(options, host_limit); }));
  return message;
}

TEST(SimulatedProbe, Layouts) {
  EXPECT_EQ(places(ProbeLayout::neuropixels, 6),
            (Places{{16, 0}, {48, 0}, {0, 20}, {32, 20}, {16, 40}, {48, 40}}));
  EXPECT_EQ(places(ProbeLayout::linear, 3, 1, 50.0), (Places{{0, 0}, {0, 50}, {0, 100}}));
  EXPECT_EQ(places(ProbeLayout::square, 5, 1, 30.0), (Places{{0, 0}, {30, 0}, {60, 0}, {0, 30}, {30, 30}}));
  EXPECT_EQ(places(ProbeLayout::tetrode, 8),
            (Places{{0, 0}, {20, 0}, {0, 20}, {20, 20}, {250, 0}, {270, 0}, {250, 20}, {270, 20}}));
  EXPECT_EQ(places(ProbeLayout::linear, 4, 2), (Places{{0, 0}, {0, 20}, {250, 0}, {250, 20}}));
}

TEST(SimulatedProbe, UnitsLieAlongAllShanks) {
  for (const ProbeLayout layout : all_layouts) {
    SimulationOptions options;
    options.layout = layout;
    options.channels = 48;
    options.shanks = layout == ProbeLayout::tetrode ? 1 : 3;
    options.units = 25;
    options.seconds = 1.0;
    const Simulation simulation = simulate(options);
    const auto n_shanks = static_cast<std::size_t>(layout == ProbeLayout::tetrode ? 12 : 3);
    std::vector<std::set<double>> heights(n_shanks);
    for (const SimulatedUnit& unit : simulation.units) {
      const auto channel = static_cast<std::size_t>(unit.channel);
      const auto shank = static_cast<std::size_t>(simulation.probe.shank[channel]);
      EXPECT_LT(
          std::hypot(unit.x_um - simulation.probe.x_um[channel], unit.y_um - simulation.probe.y_um[channel]),
          35.0);
      heights[shank].insert(unit.y_um);
    }
    for (const auto& of_shank : heights) EXPECT_GE(of_shank.size(), 25u / n_shanks);
  }
}

TEST(SimulatedUnits, AmplitudesAndRatesAreWithinTheirBounds) {
  SimulationOptions options;
  options.units = 2000;
  options.seconds = 0.01;
  options.positive_share = 0.1;
  for (const AmplitudeLaw law : {AmplitudeLaw::lognormal, AmplitudeLaw::uniform}) {
    options.amplitude = law;
    std::vector<double> amplitudes;
    std::vector<double> rates;
    int positive = 0;
    for (const SimulatedUnit& unit : simulate(options).units) {
      amplitudes.push_back(unit.amplitude_uv);
      rates.push_back(unit.rate_hz);
      if (unit.sign > 0.0) ++positive;
    }
    std::sort(amplitudes.begin(), amplitudes.end());
    std::sort(rates.begin(), rates.end());
    EXPECT_GE(amplitudes.front(), 30.0);
    EXPECT_LE(amplitudes.back(), 250.0);
    // Standard errors of the medians: 0.63 and 1.4 of 2000 draws' logarithms, and 2.5 of a uniform law's.
    EXPECT_NEAR(amplitudes[1000], law == AmplitudeLaw::uniform ? 140.0 : 85.0,
                law == AmplitudeLaw::uniform ? 12.0 : 6.0);
    EXPECT_NEAR(amplitudes[500], law == AmplitudeLaw::uniform ? 85.0 : 85.0 * std::exp(-0.6745 * 0.5), 10.0);
    EXPECT_GE(rates.front(), 0.5);
    EXPECT_LE(rates.back(), 25.0);
    EXPECT_NEAR(rates[1000], 3.3, 0.4);
    EXPECT_NEAR(rates[1682], 3.3 * std::exp(0.8), 1.2);  // one standard deviation up
    EXPECT_NEAR(positive, 200, 60);
  }
}

TEST(SimulatedUnits, TemplatesPeakOnTheirChannelAndFade) {
  SimulationOptions options;
  options.units = 100;
  options.seconds = 0.01;
  options.positive_share = 0.3;
  const Simulation simulation = simulate(options);
  const auto n_channels = static_cast<std::size_t>(options.channels);
  const auto nt = static_cast<std::size_t>(simulation.nt());
  EXPECT_EQ(simulation.before(), 30);
  EXPECT_EQ(nt, 121u);
  for (std::size_t u = 0; u < 100; ++u) {
    const SimulatedUnit& unit = simulation.units[u];
    const std::vector<float> waveform = template_of(simulation, u);
    ASSERT_EQ(waveform.size(), nt * n_channels);
    const auto largest = std::max_element(waveform.begin(), waveform.end(),
                                          [](float a, float b) { return std::abs(a) < std::abs(b); });
    // Of two channels as far from a unit, the largest may be the other by a rounding.
    EXPECT_FLOAT_EQ(std::abs(*largest), static_cast<float>(unit.amplitude_uv));
    EXPECT_FLOAT_EQ(waveform[30 * n_channels + static_cast<std::size_t>(unit.channel)],
                    static_cast<float>(unit.sign * unit.amplitude_uv));
    for (std::size_t c = 0; c < n_channels; ++c) {
      EXPECT_LT(std::abs(waveform[c]), 1e-3 * unit.amplitude_uv);
      EXPECT_LT(std::abs(waveform[(nt - 1) * n_channels + c]), 5e-3 * unit.amplitude_uv);
    }
  }
}

/// Peaks get smaller with the distance from the unit, so that neighbouring units overlap and far ones do not.
TEST(SimulatedUnits, AmplitudesDecayWithDistance) {
  SimulationOptions options;
  options.units = 20;
  options.seconds = 0.01;
  options.channels = 128;
  const Simulation simulation = simulate(options);
  for (std::size_t u = 0; u < 20; ++u) {
    const SimulatedUnit& unit = simulation.units[u];
    const std::vector<float> waveform = template_of(simulation, u);
    std::vector<std::pair<double, double>> peaks;
    for (std::size_t c = 0; c < 128; ++c) {
      double peak = 0.0;
      for (std::size_t t = 0; t < 121; ++t) peak = std::max(peak, std::abs(double{waveform[t * 128 + c]}));
      peaks.emplace_back(
          std::hypot(simulation.probe.x_um[c] - unit.x_um, simulation.probe.y_um[c] - unit.y_um), peak);
    }
    std::sort(peaks.begin(), peaks.end());
    for (std::size_t i = 1; i < peaks.size(); ++i) {
      EXPECT_LE(peaks[i].second, peaks[i - 1].second * 1.02);  // delays fall between samples
      if (peaks[i].first < 25.0) {
        EXPECT_GT(peaks[i].second, 0.3 * unit.amplitude_uv);
      }
      if (peaks[i].first > 250.0) {
        EXPECT_LT(peaks[i].second, 0.02 * unit.amplitude_uv);
      }
    }
  }
}

TEST(SimulatedSpikes, KeepRefractoryPeriodsAndRates) {
  SimulationOptions options;
  options.units = 12;
  options.seconds = 400.0;
  options.min_rate_hz = 2.0;
  options.max_rate_hz = 60.0;
  options.rate_hz = 20.0;
  options.refractory_ms = 5.0;
  const Simulation simulation = simulate(options);
  const SpikeTrains& truth = simulation.truth;
  ASSERT_EQ(truth.unit.size(), truth.n_spikes());
  ASSERT_EQ(simulation.amplitude.size(), truth.n_spikes());
  std::vector<std::vector<std::int64_t>> trains(12);
  for (std::size_t i = 0; i < truth.n_spikes(); ++i) {
    if (i > 0) {
      EXPECT_LE(std::pair(truth.sample[i - 1], truth.unit[i - 1]), std::pair(truth.sample[i], truth.unit[i]));
    }
    trains[static_cast<std::size_t>(truth.unit[i])].push_back(truth.sample[i]);
  }
  for (std::size_t u = 0; u < 12; ++u) {
    const std::vector<std::int64_t>& train = trains[u];
    std::int64_t shortest = simulation.n_samples;
    for (std::size_t i = 1; i < train.size(); ++i) shortest = std::min(shortest, train[i] - train[i - 1]);
    EXPECT_GE(shortest, 150);
    EXPECT_LT(shortest, 150 + 200);  // the gap is the refractory period's, not the rate's
    EXPECT_GE(train.front(), 0);
    EXPECT_LT(train.back(), simulation.n_samples);
    const double expected = simulation.units[u].rate_hz * options.seconds;
    EXPECT_NEAR(static_cast<double>(train.size()), expected, 4.0 * std::sqrt(expected)) << "unit " << u;
  }
}

TEST(SimulatedSpikes, AmplitudesVaryAsAsked) {
  SimulationOptions options;
  options.units = 10;
  options.seconds = 400.0;
  options.amplitude_jitter = 0.05;
  const Simulation simulation = simulate(options);
  double sum = 0.0;
  double squares = 0.0;
  for (const double factor : simulation.amplitude) sum += factor, squares += factor * factor;
  const auto n = static_cast<double>(simulation.amplitude.size());
  ASSERT_GT(n, 5000.0);
  EXPECT_NEAR(sum / n, 1.0, 5.0 * 0.05 / std::sqrt(n));
  EXPECT_NEAR(std::sqrt(squares / n - std::pow(sum / n, 2)), 0.05, 5.0 * 0.05 / std::sqrt(2.0 * n));
  options.amplitude_jitter = 1.0;
  for (const float factor : simulate(options).amplitude) {
    EXPECT_GE(factor, 0.7f);
    EXPECT_LE(factor, 1.3f);
  }
}

TEST(SimulatedSpikes, OtherSeedsAreOtherRecordings) {
  SimulationOptions options;
  const Simulation one = simulate(options);
  EXPECT_EQ(one.truth.sample, simulate(options).truth.sample);
  options.seed = 2;
  const Simulation two = simulate(options);
  EXPECT_NE(one.truth.sample, two.truth.sample);
  EXPECT_NE(one.units[0].y_um, two.units[0].y_um);
}

TEST(SimulatedSpikes, NoUnitsNoSpikes) {
  SimulationOptions options;
  options.units = 0;
  EXPECT_EQ(simulate(options).truth.n_spikes(), 0u);
}

TEST(Simulate, RefusesWhatContradictsItself) {
  SimulationOptions options;
  options.layout = ProbeLayout::tetrode;
  options.channels = 6;
  EXPECT_EQ(error_of(options),
            "simulation.channels is 6; tetrodes have 4 each, so it must be a multiple of 4");
  options.channels = 8;
  options.shanks = 4;
  EXPECT_EQ(error_of(options),
            "simulation.shanks is 4; every tetrode is one, so leave it out, or set it to 2");
  options.shanks = 2;
  EXPECT_EQ(error_of(options), "");
  options = {};
  options.shanks = 5;
  EXPECT_EQ(error_of(options), "simulation.shanks is 5; it must divide simulation.channels, 32");
  options.shanks = 64;
  EXPECT_EQ(error_of(options), "simulation.shanks is 64; it must divide simulation.channels, 32");
  options = {};
  options.min_rate_hz = 30.0;
  EXPECT_EQ(error_of(options),
            "simulation.max_rate_hz is 25; it must be at least simulation.min_rate_hz, 30");
  options = {};
  options.refractory_ms = 50.0;
  EXPECT_EQ(error_of(options),
            "simulation.max_rate_hz is 25; with simulation.refractory_ms = 50 it must be at most 18");
  options = {};
  options.max_amplitude_uv = 10.0;
  EXPECT_EQ(error_of(options),
            "simulation.max_amplitude_uv is 10; it must be at least simulation.min_amplitude_uv, 30");
  options = {};
  options.seconds = 1e-6;
  EXPECT_EQ(error_of(options), "simulation.seconds is 1e-06; at 30000 Hz that is not one sample");
  options = {};
  options.seconds = 1e8;
  EXPECT_NE(error_of(options, std::size_t{100} << 20).find("memory.host_limit_mb = 100 is too small"),
            std::string::npos);
}

}  // namespace
}  // namespace kokkosort::test
