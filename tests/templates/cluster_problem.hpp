#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "kokkosort/matching/match.hpp"
#include "kokkosort/templates/pc_products.hpp"
#include "templates/template_problem.hpp"

namespace kokkosort::test {

/// Spikes of one cluster: a neuron's mean plus noise of one sigma.
struct ClusterOfSpikes {
  std::vector<float> neuron;  // [channels · pcs]
  std::size_t n = 0;
  std::int32_t centre = 0;     // channel
  std::int64_t first = 0;      // sample
  std::int64_t last = 300000;  // one past the last
};

/// Clustered spikes with their means.
struct ClusteredSpikes {
  SpikeFeatures spikes;
  std::vector<std::int32_t> labels;
  HostTensor3<float> means;  // [units, channels, pcs]
};

/// Spikes in order of time, on a column of channels with a centre on each, on the `rows` channels nearest to
/// it.
inline ClusteredSpikes record_clusters(std::mt19937_64& random, const PrincipalComponents& pcs,
                                       std::size_t n_channels, std::size_t rows,
                                       const std::vector<ClusterOfSpikes>& clusters) {
  struct Place {
    std::int64_t sample;
    std::int32_t unit;
  };
  std::vector<Place> places;
  for (std::size_t unit = 0; unit < clusters.size(); ++unit) {
    std::uniform_int_distribution<std::int64_t> sample(clusters[unit].first, clusters[unit].last - 1);
    for (std::size_t i = 0; i < clusters[unit].n; ++i)
      places.push_back({sample(random), static_cast<std::int32_t>(unit)});
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.sample < b.sample; });

  const std::size_t n_pcs = pcs.wPCA.extent(0);
  ClusteredSpikes result;
  SpikeFeatures& spikes = result.spikes;
  spikes.sampling_rate_hz = 30000.0;
  spikes.dmin_um = 20.0;
  spikes.dminx_um = 32.0;
  spikes.pcs = pcs;
  spikes.probe = linear_probe(n_channels);
  spikes.centres.x_um = spikes.probe.x_um;
  spikes.centres.y_um = spikes.probe.y_um;
  const HostTensor3<float> one_each("kokkosort::test::one_each", n_channels, n_channels, n_pcs);
  for (std::size_t c = 0; c < n_channels; ++c) one_each(c, c, 0) = 1.0f;
  spikes.centres.channels = template_centres(spikes.probe, one_each, static_cast<int>(rows)).channels;
  spikes.sample = HostVector<std::int64_t>("kokkosort::test::sample", places.size());
  spikes.centre = HostVector<std::int32_t>("kokkosort::test::centre", places.size());
  spikes.features = HostTensor3<float>("kokkosort::test::features", places.size(), rows, n_pcs);
  result.means = HostTensor3<float>("kokkosort::test::means", clusters.size(), n_channels, n_pcs);
  std::normal_distribution<float> noise;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto unit = static_cast<std::size_t>(places[i].unit);
    const ClusterOfSpikes& cluster = clusters[unit];
    spikes.sample(i) = places[i].sample;
    spikes.centre(i) = cluster.centre;
    result.labels.push_back(places[i].unit);
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t p = 0; p < n_pcs; ++p) {
        const auto c =
            static_cast<std::size_t>(spikes.centres.channels(static_cast<std::size_t>(cluster.centre), row));
        spikes.features(i, row, p) = cluster.neuron[c * n_pcs + p] + noise(random);
        result.means(unit, c, p) += spikes.features(i, row, p) / static_cast<float>(cluster.n);
      }
  }
  return result;
}

/// A neuron whose waveforms are nearly those of a universal shape, which is central.
inline std::vector<float> central_neuron(std::mt19937_64& random, const PrincipalComponents& pcs,
                                         std::size_t n_channels, std::size_t place, double length) {
  const std::size_t n_pcs = pcs.wPCA.extent(0);
  std::vector<float> neuron(n_channels * n_pcs);
  draw_template(random, linear_probe(n_channels), place, n_pcs, 50.0, 0.1 * length, neuron.data());
  const double fades[] = {0.9, 0.4, 0.15};
  for (std::size_t c = 0; c < n_channels; ++c) {
    const std::size_t far = c > place ? c - place : place - c;
    for (std::size_t p = 0; p < n_pcs && far < 3; ++p)
      for (std::size_t t = 0; t < pcs.wPCA.extent(1); ++t)
        neuron[c * n_pcs + p] += static_cast<float>(fades[far] * length * pcs.wTEMP(2, t)) * pcs.wPCA(p, t);
  }
  return neuron;
}

/// The same neuron with all waveforms later, as far as the components hold them.
inline std::vector<float> moved_later(const PrincipalComponents& pcs, const std::vector<float>& neuron,
                                      int shift) {
  const HostMatrix<float> products = pc_products(pcs.wPCA);
  const std::size_t n_pcs = pcs.wPCA.extent(0);
  std::vector<float> moved(neuron.size());
  for (std::size_t c = 0; c < neuron.size() / n_pcs; ++c)
    shift_coefficients(products, shift, n_pcs, &neuron[c * n_pcs], &moved[c * n_pcs]);
  return moved;
}

}  // namespace kokkosort::test
