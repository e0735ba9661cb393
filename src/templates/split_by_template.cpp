#include "kokkosort/templates/split_by_template.hpp"

#include <algorithm>
#include <span>

#include "core/groups.hpp"
#include "core/host_loop.hpp"

namespace kokkosort {
namespace {

/// The spikes that one cluster has of one template.
struct Cell {
  std::int32_t cluster;
  std::int64_t spikes;
  std::int32_t unit = -1;  // that they are of
};

/// A template's cells, by cluster.
std::vector<Cell> count_cells(std::span<const std::size_t> spikes, const std::vector<std::int32_t>& labels) {
  std::vector<std::int32_t> clusters;
  clusters.reserve(spikes.size());
  for (const std::size_t i : spikes) clusters.push_back(labels[i]);
  std::sort(clusters.begin(), clusters.end());
  std::vector<Cell> cells;
  for (const std::int32_t cluster : clusters) {
    if (cells.empty() || cells.back().cluster != cluster) cells.push_back({cluster, 0});
    ++cells.back().spikes;
  }
  return cells;
}

/// Numbers the units of a template's cells from n_units, which grows.
void number_units(std::vector<Cell>& cells, const SplitByTemplateOptions& options, std::int32_t& n_units) {
  if (cells.empty()) return;
  const auto fewer = [](const Cell& a, const Cell& b) { return a.spikes < b.spikes; };
  const Cell largest = *std::max_element(cells.begin(), cells.end(), fewer);
  std::int64_t total = 0;
  for (const Cell& cell : cells) total += cell.spikes;
  const std::int32_t unit_of_largest = n_units++;
  for (Cell& cell : cells) {
    const bool is_unit = cell.spikes >= options.min_spikes &&
                         static_cast<double>(cell.spikes) >= options.min_share * static_cast<double>(total);
    const bool is_new = is_unit && cell.cluster != largest.cluster;
    cell.unit = is_new ? n_units++ : unit_of_largest;
  }
}

std::int32_t unit_of(const std::vector<Cell>& cells, std::int32_t cluster) {
  return std::lower_bound(cells.begin(), cells.end(), cluster,
                          [](const Cell& cell, std::int32_t value) { return cell.cluster < value; })
      ->unit;
}

/// @param sums   [channels, pcs]
/// @param means  [channels, pcs]
void mean_of_unit(const SpikeFeatures& spikes, std::span<const std::size_t> members,
                  std::vector<double>& sums, float* means) {
  const std::size_t n_pcs = spikes.n_pcs();
  for (const std::size_t i : members) {
    const auto centre = static_cast<std::size_t>(spikes.centre(i));
    for (std::size_t row = 0; row < spikes.n_rows(); ++row) {
      const auto channel = static_cast<std::size_t>(spikes.centres.channels(centre, row));
      double* const sum = &sums[channel * n_pcs];
      for (std::size_t p = 0; p < n_pcs; ++p) sum[p] += static_cast<double>(spikes.features(i, row, p));
    }
  }
  const double n = std::max(static_cast<double>(members.size()), 1.0);
  for (std::size_t k = 0; k < sums.size(); ++k) means[k] = static_cast<float>(sums[k] / n);
}

}  // namespace

HostTensor3<float> mean_features(const SpikeFeatures& spikes, const std::vector<std::int32_t>& labels,
                                 std::size_t n_units) {
  const Groups units(labels.data(), labels.size(), n_units);
  const HostTensor3<float> means("kokkosort::templates::means", n_units, spikes.n_channels(), spikes.n_pcs());
  host_loop("templates::mean_features", n_units, [&](std::size_t unit) {
    std::vector<double> sums(spikes.n_channels() * spikes.n_pcs(), 0.0);
    mean_of_unit(spikes, units.of(unit), sums, means.data() + unit * sums.size());
  });
  return means;
}

SpikeUnits split_by_template(const SpikeFeatures& spikes, const std::vector<std::int32_t>& labels,
                             const SplitByTemplateOptions& options) {
  const Groups templates(spikes.centre.data(), labels.size(), spikes.centres.x_um.size());
  std::vector<std::vector<Cell>> cells(templates.size());
  host_loop("templates::count_cells", templates.size(),
            [&](std::size_t k) { cells[k] = count_cells(templates.of(k), labels); });
  std::int32_t n_units = 0;
  for (std::vector<Cell>& of_template : cells) number_units(of_template, options, n_units);

  SpikeUnits units;
  units.labels.resize(labels.size());
  host_blocks("templates::label_spikes", labels.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      units.labels[i] = unit_of(cells[static_cast<std::size_t>(spikes.centre(i))], labels[i]);
  });
  units.means = mean_features(spikes, units.labels, static_cast<std::size_t>(n_units));
  return units;
}

}  // namespace kokkosort
