#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "kokkosort/clustering/section_batch.hpp"
#include "kokkosort/clustering/sections.hpp"
#include "kokkosort/spike_features.hpp"

namespace kokkosort::test {

struct TestSpike {
  int section = 0;
  std::vector<float> values;  // [rows · pcs]
  int centre = 0;             // of the section
  std::int64_t sample = 0;
};

/// A small probe of one column, with its sections one above the other.
struct TestProbe {
  std::vector<int>
      centres;  // per section, detection centres; centre c is on the section's channels c … c + rows − 1
  int rows = 2;
  int pcs = 3;

  explicit TestProbe(int sections = 1, int n_rows = 2, int n_pcs = 3)
      : centres(static_cast<std::size_t>(sections), 1), rows(n_rows), pcs(n_pcs) {}
  int values() const { return rows * pcs; }
};

inline void place_sections(const TestProbe& probe, SpikeFeatures& features) {
  constexpr double dmin = 20.0;
  features.dmin_um = dmin;
  features.dminx_um = 32.0;
  const int n_centres = std::accumulate(probe.centres.begin(), probe.centres.end(), 0);
  features.centres.channels = HostMatrix<std::int32_t>("kokkosort::test::channels", n_centres, probe.rows);
  std::size_t centre = 0;
  for (std::size_t s = 0; s < probe.centres.size(); ++s) {
    const double y = 2.0 * dmin * static_cast<double>(s);
    const auto first = static_cast<std::int32_t>(features.probe.y_um.size());
    const int channels = probe.rows + probe.centres[s] - 1;
    for (int c = 0; c < probe.centres[s]; ++c, ++centre) {
      features.centres.x_um.push_back(0.0);
      features.centres.y_um.push_back(y + dmin - 1.0 + c);
      for (int row = 0; row < probe.rows; ++row) features.centres.channels(centre, row) = first + c + row;
    }
    for (int c = 0; c < channels; ++c) {
      features.probe.x_um.push_back(0.0);
      features.probe.y_um.push_back(y + dmin * c / channels);
      features.probe.shank.push_back(0);
    }
  }
}

/// Features of given spikes; equal times keep the order given.
inline SpikeFeatures make_features(const TestProbe& probe, std::vector<TestSpike> spikes) {
  SpikeFeatures features;
  features.sampling_rate_hz = 30000.0;
  place_sections(probe, features);
  std::stable_sort(spikes.begin(), spikes.end(),
                   [](const TestSpike& a, const TestSpike& b) { return a.sample < b.sample; });
  features.sample = HostVector<std::int64_t>("kokkosort::test::sample", spikes.size());
  features.centre = HostVector<std::int32_t>("kokkosort::test::centre", spikes.size());
  features.features = HostTensor3<float>("kokkosort::test::features", spikes.size(), probe.rows, probe.pcs);
  for (std::size_t i = 0; i < spikes.size(); ++i) {
    const auto section = probe.centres.begin() + spikes[i].section;
    features.sample(i) = spikes[i].sample;
    features.centre(i) = std::accumulate(probe.centres.begin(), section, spikes[i].centre);
    std::copy_n(spikes[i].values.begin(), probe.values(), &features.features(i, 0, 0));
  }
  return features;
}

/// Appends a Gaussian blob.
inline void add_blob(std::mt19937_64& random, int section, int n, const std::vector<double>& centre,
                     double sigma, std::vector<TestSpike>& spikes) {
  std::normal_distribution<double> noise(0.0, sigma);
  for (int i = 0; i < n; ++i) {
    TestSpike spike;
    spike.section = section;
    for (const double value : centre) spike.values.push_back(static_cast<float>(value + noise(random)));
    spikes.push_back(std::move(spike));
  }
}

/// Appends spikes of whole-number features, whose distances f32 holds exactly.
inline void add_whole_numbers(std::mt19937_64& random, int section, int n, int n_values, int low, int high,
                              std::vector<TestSpike>& spikes) {
  std::uniform_int_distribution<int> draw(low, high);
  for (int i = 0; i < n; ++i) {
    TestSpike spike;
    spike.section = section;
    for (int v = 0; v < n_values; ++v) spike.values.push_back(static_cast<float>(draw(random)));
    spikes.push_back(std::move(spike));
  }
}

/// Gives the spikes times in random order, `step` samples apart.
inline void shuffle_times(std::mt19937_64& random, std::int64_t step, std::vector<TestSpike>& spikes) {
  std::shuffle(spikes.begin(), spikes.end(), random);
  for (std::size_t i = 0; i < spikes.size(); ++i) spikes[i].sample = static_cast<std::int64_t>(i) * step;
}

/// A section's points as they should be embedded, by the definition: [spikes][channels · pcs].
inline std::vector<std::vector<double>> direct_points(const SpikeFeatures& spikes, const Section& section) {
  std::vector<std::vector<double>> points;
  for (const std::int64_t index : section.spikes) {
    const auto i = static_cast<std::size_t>(index);
    std::vector<double> x(section.channels.size() * spikes.n_pcs(), 0.0);
    for (std::size_t row = 0; row < spikes.n_rows(); ++row)
      for (std::size_t slot = 0; slot < section.channels.size(); ++slot)
        if (section.channels[slot] ==
            spikes.centres.channels(static_cast<std::size_t>(spikes.centre(i)), row))
          for (std::size_t pc = 0; pc < spikes.n_pcs(); ++pc)
            x[slot * spikes.n_pcs() + pc] = spikes.features(i, row, pc);
    points.push_back(std::move(x));
  }
  return points;
}

inline double squared_distance(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0.0;
  for (std::size_t f = 0; f < x.size(); ++f) sum += (x[f] - y[f]) * (x[f] - y[f]);
  return sum;
}

inline double squared_length(const std::vector<double>& x) {
  return squared_distance(x, std::vector<double>(x.size(), 0.0));
}

/// Sections of a recording on the device, embedded in order of time.
template <class Exec>
struct BatchProblem {
  Exec exec;
  SpikeFeatures spikes;
  ClusteringOptions options;
  std::vector<Section> sections;
  std::vector<Section> in_batch;
  TransferLedger ledger;
  SectionBatch<Exec> batch;

  BatchProblem(const SpikeFeatures& features, const ClusteringOptions& clustering, std::size_t first,
               std::size_t last)
      : spikes(features), options(clustering), sections(make_sections(spikes)) {
    in_batch.assign(sections.begin() + static_cast<std::ptrdiff_t>(first),
                    sections.begin() + static_cast<std::ptrdiff_t>(last));
    batch = upload_sections(exec, spikes, sections, first, last, options, ledger);
    embed_points(exec, batch, Vector<std::uint32_t, Exec>());
  }
  explicit BatchProblem(const SpikeFeatures& features, const ClusteringOptions& clustering = {})
      : BatchProblem(features, clustering, 0, make_sections(features).size()) {}

  std::vector<std::vector<double>> points(std::size_t s) const { return direct_points(spikes, in_batch[s]); }
};

}  // namespace kokkosort::test
