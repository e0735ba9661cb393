// Samples of simulated recordings.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "simulation/simulation_problem.hpp"

namespace kokkosort::test {
namespace {

double mean_product(const std::vector<std::int16_t>& traces, std::size_t n_channels, std::size_t a,
                    std::size_t b, std::size_t lag = 0) {
  const std::size_t n = traces.size() / n_channels - lag;
  double sum = 0.0;
  for (std::size_t t = 0; t < n; ++t)
    sum += double{static_cast<double>(traces[t * n_channels + a])} * traces[(t + lag) * n_channels + b];
  return sum / static_cast<double>(n);
}

TEST(SimulatedTraces, AreTheSameForAllThreadsAndChunks) {
  for (const ProbeLayout layout : all_layouts) {
    SimulationOptions options;
    options.layout = layout;
    options.channels = 12;
    options.seconds = 0.5001;  // ends within a slice
    options.rate_hz = 20.0;
    options.drift_um = 30.0;
    const Simulation simulation = simulate(options);
    const std::string expected = traces_bytes(simulation, 1);
    EXPECT_EQ(expected.size(), 15003u * 12u * 2u);
    EXPECT_EQ(traces_bytes(simulation, 2), expected);
    EXPECT_EQ(traces_bytes(simulation, 5, 1), expected);
    EXPECT_EQ(traces_bytes(simulation, 1, 1), expected);
    EXPECT_EQ(traces_bytes(simulation, 3, 40000), expected);
    options.seed = 2;
    EXPECT_NE(traces_bytes(simulate(options)), expected);
  }
}

TEST(SimulatedTraces, OfALongerRecordingBeginTheSameWay) {
  SimulationOptions options;
  options.channels = 5;
  options.seconds = 1.0;
  options.rate_hz = 20.0;
  const Simulation shorter = simulate(options);
  options.seconds = 2.0;
  const std::string longer = traces_bytes(simulate(options));
  const auto alike =
      static_cast<std::size_t>(30000 - shorter.before()) * 5 * 2;  // later spikes rise before their peak
  EXPECT_EQ(traces_bytes(shorter).substr(0, alike), longer.substr(0, alike));
}

TEST(SimulatedTraces, SmallestRecordings) {
  SimulationOptions options;
  options.layout = ProbeLayout::linear;
  options.channels = 1;
  options.seconds = 1.0 / 30000.0;
  EXPECT_EQ(traces_bytes(simulate(options)).size(), 2u);
  options.units = 0;
  options.channels = 3;
  options.seconds = 257.0 / 30000.0;
  EXPECT_EQ(traces_bytes(simulate(options)).size(), 257u * 3u * 2u);
}

/// Means of products of 300 000 samples have standard errors of √(v_a v_b + v_ab²) / √300000.
TEST(SimulatedTraces, NoiseHasTheVariancesAndCorrelationsAskedFor) {
  SimulationOptions options;
  options.channels = 9;
  options.units = 0;
  options.seconds = 10.0;
  options.gain_to_uv = 0.05;
  const Simulation simulation = simulate(options);
  const std::vector<std::int16_t> traces = traces_of(simulation);
  const double uv2 = 0.05 * 0.05;
  const double variance = 25.0 + 49.0;
  for (std::size_t a = 0; a < 9; ++a) {
    for (std::size_t b = a; b < 9; ++b) {
      const Probe& probe = simulation.probe;
      const double distance = std::hypot(probe.x_um[a] - probe.x_um[b], probe.y_um[a] - probe.y_um[b]);
      const double expected = a == b ? variance : 49.0 * std::exp(-distance / 30.0);
      const double error = std::sqrt((variance * variance + expected * expected) / 300000.0);
      EXPECT_NEAR(uv2 * mean_product(traces, 9, a, b), expected, 5.0 * error) << a << ", " << b;
      for (const std::size_t lag : {1u, 2u, 256u})
        EXPECT_NEAR(uv2 * mean_product(traces, 9, a, b, lag), 0.0, 5.0 * variance / std::sqrt(300000.0));
    }
    double sum = 0.0;
    double fourth = 0.0;
    std::size_t beyond = 0;
    for (std::size_t t = 0; t < 300000; ++t) {
      const double z = 0.05 * traces[t * 9 + a] / std::sqrt(variance);
      sum += z;
      fourth += std::pow(z, 4);
      if (std::abs(z) > 3.5) ++beyond;
    }
    EXPECT_NEAR(sum / 300000.0, 0.0, 5.0 / std::sqrt(300000.0));
    EXPECT_NEAR(fourth / 300000.0, 3.0, 5.0 * std::sqrt(96.0 / 300000.0));
    EXPECT_NEAR(static_cast<double>(beyond), 300000.0 * std::erfc(3.5 / std::numbers::sqrt2),
                5.0 * std::sqrt(140.0));
  }
}

/// The covariance is singular where all channels share everything, and zero where there is no noise.
TEST(SimulatedTraces, NoiseThatAllChannelsShare) {
  SimulationOptions options;
  options.channels = 6;
  options.units = 0;
  options.seconds = 1.0;
  options.noise_uv = 0.0;
  options.noise_length_um = 1e5;
  const std::vector<std::int16_t> traces = traces_of(simulate(options));
  double difference = 0.0;
  for (std::size_t t = 0; t < 30000; ++t)
    difference += std::pow(0.195 * (traces[t * 6] - traces[t * 6 + 5]), 2);
  EXPECT_NEAR(std::sqrt(mean_product(traces, 6, 0, 0)) * 0.195, 7.0, 0.2);
  EXPECT_LT(std::sqrt(difference / 30000.0), 0.5);
  options.correlated_noise_uv = 0.0;
  for (const std::int16_t value : traces_of(simulate(options))) ASSERT_EQ(value, 0);
}

/// Without noise a recording is the sum of its spikes' templates.
TEST(SimulatedTraces, AreSumsOfTemplates) {
  for (const ProbeLayout layout : all_layouts) {
    SimulationOptions options = clean();
    options.layout = layout;
    options.rate_hz = 24.0;
    options.units = 12;
    options.max_amplitude_uv = 100.0;  // several together fit int16
    const Simulation simulation = simulate(options);
    std::vector<double> expected(static_cast<std::size_t>(simulation.n_samples) * 8);
    std::vector<std::vector<float>> templates;
    for (std::size_t u = 0; u < 12; ++u) templates.push_back(template_of(simulation, u));
    ASSERT_GT(simulation.truth.n_spikes(), 100u);
    for (std::size_t i = 0; i < simulation.truth.n_spikes(); ++i)
      for (int t = 0; t < simulation.nt(); ++t) {
        const std::int64_t sample = simulation.truth.sample[i] - simulation.before() + t;
        if (sample < 0 || sample >= simulation.n_samples) continue;
        for (std::size_t c = 0; c < 8; ++c)
          expected[static_cast<std::size_t>(sample) * 8 + c] +=
              double{simulation.amplitude[i]} * templates[static_cast<std::size_t>(simulation.truth.unit[i])]
                                                         [static_cast<std::size_t>(t) * 8 + c];
      }
    const std::vector<std::int16_t> traces = traces_of(simulation);
    ASSERT_EQ(traces.size(), expected.size());
    double worst = 0.0;
    for (std::size_t i = 0; i < traces.size(); ++i)
      worst = std::max(worst, std::abs(traces[i] - expected[i] / 0.01));
    EXPECT_LE(worst, 0.51);  // rounded to the nearest
  }
}

TEST(SimulatedTraces, MeansAtTrueSpikesAreTheTemplates) {
  SimulationOptions options;
  options.channels = 8;
  options.units = 1;
  options.seconds = 60.0;
  options.rate_hz = 10.0;
  options.refractory_ms = 5.0;  // no spike overlaps another
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    options.seed = seed;
    const Simulation simulation = simulate(options);
    const std::vector<std::int16_t> traces = traces_of(simulation);
    const std::vector<float> expected = template_of(simulation, 0);
    std::vector<double> sum(expected.size());
    double n = 0.0;
    for (const std::int64_t sample : simulation.truth.sample) {
      const std::int64_t start = sample - simulation.before();
      if (start < 0 || start + simulation.nt() > simulation.n_samples) continue;
      n += 1.0;
      for (std::size_t j = 0; j < sum.size(); ++j)
        sum[j] += 0.195 * traces[static_cast<std::size_t>(start) * 8 + j];
    }
    ASSERT_GT(n, 100.0);
    for (std::size_t j = 0; j < sum.size(); ++j) {
      const double error = std::sqrt((25.0 + 49.0 + std::pow(0.07 * expected[j], 2)) / n);
      EXPECT_NEAR(sum[j] / n, expected[j], 5.0 * error) << "seed " << seed << ", value " << j;
    }
  }
}

TEST(SimulatedTraces, DriftMovesUnitsUpTheProbe) {
  SimulationOptions options = clean();
  options.layout = ProbeLayout::linear;
  options.channels = 40;
  options.seconds = 10.0;
  options.units = 1;
  options.rate_hz = 10.0;
  options.max_amplitude_uv = 200.0;
  const auto centre = [](const Simulation& simulation, const std::vector<std::int16_t>& traces,
                         std::size_t spike) {
    double energy = 0.0;
    double moment = 0.0;
    for (std::size_t c = 0; c < 40; ++c) {
      const double square =
          std::pow(traces[static_cast<std::size_t>(simulation.truth.sample[spike]) * 40 + c], 2);
      energy += square;
      moment += square * simulation.probe.y_um[c];
    }
    return moment / energy;
  };
  for (const double drift_um : {0.0, 150.0, -150.0}) {
    options.drift_um = drift_um;
    const Simulation simulation = simulate(options);
    const std::vector<std::int16_t> traces = traces_of(simulation);
    const double start = centre(simulation, traces, 0);
    for (const std::size_t spike : {simulation.truth.n_spikes() / 2, simulation.truth.n_spikes() - 1}) {
      const double share = static_cast<double>(simulation.truth.sample[spike] - simulation.truth.sample[0]) /
                           static_cast<double>(simulation.n_samples);
      EXPECT_NEAR(centre(simulation, traces, spike) - start, drift_um * share, 4.0) << drift_um;
    }
  }
}

TEST(SimulatedTraces, ClipWhatDoesNotFit) {
  SimulationOptions options = clean();
  options.amplitude = AmplitudeLaw::uniform;
  options.min_amplitude_uv = options.max_amplitude_uv = 1000.0;  // 100 000 stored units
  options.positive_share = 0.5;
  options.units = 8;
  options.rate_hz = 20.0;
  const std::vector<std::int16_t> traces = traces_of(simulate(options));
  EXPECT_EQ(*std::min_element(traces.begin(), traces.end()), -32768);
  EXPECT_EQ(*std::max_element(traces.begin(), traces.end()), 32767);
}

TEST(SimulatedTraces, TellHowFarTheyAre) {
  const Simulation simulation = simulate(clean());
  const TemporaryFolder folder;
  std::vector<std::int64_t> told;
  RenderOptions options;
  options.chunk_bytes = 1 << 16;
  options.progress = [&told](std::int64_t n) { told.push_back(n); };
  write_traces(simulation, folder / "r.bin", options);
  ASSERT_GT(told.size(), 3u);
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_EQ(told.back(), simulation.n_samples);
}

TEST(SimulatedTraces, AFullDiskIsAnError) {
  EXPECT_THROW(write_traces(simulate(clean()), "/dev/full", {}), std::runtime_error);
}

}  // namespace
}  // namespace kokkosort::test
