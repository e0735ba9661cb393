#include "kokkosort/templates/split_by_template.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace kokkosort {
namespace {

/// The spikes that one cluster has of one template.
struct Cell {
  std::int32_t cluster;
  std::int64_t spikes;
};

/// [templates], the cells of each, by cluster.
std::vector<std::vector<Cell>> count_cells(const SpikeFeatures& spikes,
                                           const std::vector<std::int32_t>& labels) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> counts;
  for (std::size_t i = 0; i < labels.size(); ++i) ++counts[{spikes.centre(i), labels[i]}];
  std::vector<std::vector<Cell>> cells(spikes.centres.x_um.size());
  for (const auto& [key, n] : counts) cells[static_cast<std::size_t>(key.first)].push_back({key.second, n});
  return cells;
}

}  // namespace

HostTensor3<float> mean_features(const SpikeFeatures& spikes, const std::vector<std::int32_t>& labels,
                                 std::size_t n_units) {
  const std::size_t n_pcs = spikes.n_pcs();
  const std::size_t slab = spikes.n_channels() * n_pcs;
  std::vector<double> sums(n_units * slab, 0.0);
  std::vector<double> n_spikes(n_units, 0.0);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto unit = static_cast<std::size_t>(labels[i]);
    const auto centre = static_cast<std::size_t>(spikes.centre(i));
    n_spikes[unit] += 1.0;
    for (std::size_t row = 0; row < spikes.n_rows(); ++row) {
      const auto channel = static_cast<std::size_t>(spikes.centres.channels(centre, row));
      double* const sum = &sums[unit * slab + channel * n_pcs];
      for (std::size_t p = 0; p < n_pcs; ++p) sum[p] += static_cast<double>(spikes.features(i, row, p));
    }
  }
  const HostTensor3<float> means("kokkosort::templates::means", n_units, spikes.n_channels(), n_pcs);
  for (std::size_t k = 0; k < sums.size(); ++k)
    means.data()[k] = static_cast<float>(sums[k] / std::max(n_spikes[k / slab], 1.0));
  return means;
}

SpikeUnits split_by_template(const SpikeFeatures& spikes, const std::vector<std::int32_t>& labels,
                             const SplitByTemplateOptions& options) {
  const auto cells = count_cells(spikes, labels);
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> unit_of;
  std::int32_t n_units = 0;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    if (cells[k].empty()) continue;
    const auto fewer = [](const Cell& a, const Cell& b) { return a.spikes < b.spikes; };
    const Cell largest = *std::max_element(cells[k].begin(), cells[k].end(), fewer);
    std::int64_t total = 0;
    for (const Cell& cell : cells[k]) total += cell.spikes;
    const std::int32_t unit_of_largest = n_units++;
    for (const Cell& cell : cells[k]) {
      const bool is_unit = cell.spikes >= options.min_spikes &&
                           static_cast<double>(cell.spikes) >= options.min_share * static_cast<double>(total);
      const bool is_new = is_unit && cell.cluster != largest.cluster;
      unit_of[{static_cast<std::int32_t>(k), cell.cluster}] = is_new ? n_units++ : unit_of_largest;
    }
  }
  SpikeUnits units;
  units.labels.resize(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) units.labels[i] = unit_of.at({spikes.centre(i), labels[i]});
  units.means = mean_features(spikes, units.labels, static_cast<std::size_t>(n_units));
  return units;
}

}  // namespace kokkosort
