#include "curation/working_units.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/groups.hpp"
#include "core/host_loop.hpp"
#include "kokkosort/templates/pc_products.hpp"
#include "templates/template_energy.hpp"

namespace kokkosort {
namespace {

/// Spikes by time, and their train.
void order_spikes(const CurationInput& input, std::size_t unit, WorkingUnits& units) {
  std::vector<std::pair<std::int64_t, std::int64_t>> timed;
  timed.reserve(units.spikes[unit].size());
  for (const std::int64_t spike : units.spikes[unit]) timed.emplace_back(time_of(input, units, spike), spike);
  std::sort(timed.begin(), timed.end());
  units.trains[unit].resize(timed.size());
  for (std::size_t i = 0; i < timed.size(); ++i)
    std::tie(units.trains[unit][i], units.spikes[unit][i]) = timed[i];
}

double waveform_amplitude(const HostMatrix<float>& wPCA, const HostTensor3<float>& templates, std::size_t k) {
  double largest = 0.0;
  for (std::size_t channel = 0; channel < templates.extent(1); ++channel) {
    if (!is_on_channel(templates, k, channel)) continue;
    for (std::size_t t = 0; t < wPCA.extent(1); ++t) {
      double value = 0.0;
      for (std::size_t p = 0; p < wPCA.extent(0); ++p)
        value += static_cast<double>(templates(k, channel, p)) * static_cast<double>(wPCA(p, t));
      largest = std::max(largest, std::abs(value));
    }
  }
  return largest;
}

}  // namespace

std::vector<std::size_t> WorkingUnits::visible() const {
  const std::size_t slab = templates.extent(1) * templates.extent(2);
  std::vector<std::size_t> all;
  for (std::size_t unit = 0; unit < size(); ++unit) {
    const float* const values = templates.data() + unit * slab;
    if (!spikes[unit].empty() &&
        std::any_of(values, values + slab, [](float value) { return value != 0.0f; }))
      all.push_back(unit);
  }
  return all;
}

WorkingUnits make_units(const CurationInput& input) {
  const HostTensor3<float>& means = input.means;
  WorkingUnits units;
  units.templates = HostTensor3<float>("kokkosort::curation::working_templates_on_host", means.extent(0),
                                       means.extent(1), means.extent(2));
  std::copy_n(means.data(), means.size(), units.templates.data());
  units.spikes.resize(means.extent(0));
  units.trains.resize(means.extent(0));
  units.shift_of.assign(means.extent(0), 0);
  units.channel.resize(means.extent(0));
  const Groups clusters(input.labels.data(), input.labels.size(), units.size());
  host_loop("curation::make_units", units.size(), [&](std::size_t unit) {
    units.spikes[unit].assign(clusters.of(unit).begin(), clusters.of(unit).end());
    order_spikes(input, unit, units);
    units.channel[unit] = static_cast<std::int32_t>(largest_channel(units.templates, unit));
  });
  return units;
}

std::int64_t time_of(const CurationInput& input, const WorkingUnits& units, std::int64_t spike) {
  const auto i = static_cast<std::size_t>(spike);
  const std::int64_t moved =
      input.spikes.sample(i) - units.shift_of[static_cast<std::size_t>(input.labels[i])];
  return std::clamp<std::int64_t>(moved, 0, input.n_samples - 1);
}

void join_units(const CurationInput& input, const HostMatrix<float>& products, std::size_t kept,
                std::size_t other, std::int32_t shift, WorkingUnits& units) {
  const auto n_kept = static_cast<double>(units.spikes[kept].size());
  const auto n_other = static_cast<double>(units.spikes[other].size());
  const std::size_t n_pcs = units.templates.extent(2);
  std::vector<float> moved(n_pcs);
  for (std::size_t channel = 0; channel < units.templates.extent(1); ++channel) {
    shift_coefficients(products, shift, n_pcs, &units.templates(other, channel, 0), moved.data());
    for (std::size_t p = 0; p < n_pcs; ++p) {
      float& mean = units.templates(kept, channel, p);
      mean =
          static_cast<float>((n_kept * static_cast<double>(mean) + n_other * static_cast<double>(moved[p])) /
                             (n_kept + n_other));
    }
  }
  units.channel[kept] = static_cast<std::int32_t>(largest_channel(units.templates, kept));

  std::vector<bool> moves(units.shift_of.size(), false);  // clusters
  for (const std::int64_t spike : units.spikes[other])
    moves[static_cast<std::size_t>(input.labels[static_cast<std::size_t>(spike)])] = true;
  for (std::size_t cluster = 0; cluster < moves.size(); ++cluster)
    if (moves[cluster]) units.shift_of[cluster] += shift;
  units.spikes[kept].insert(units.spikes[kept].end(), units.spikes[other].begin(), units.spikes[other].end());
  units.spikes[other].clear();
  units.trains[other].clear();
  order_spikes(input, kept, units);
}

void keep_spikes(std::size_t unit, const std::vector<bool>& stays, WorkingUnits& units) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < stays.size(); ++i) {
    if (!stays[i]) continue;
    units.spikes[unit][n] = units.spikes[unit][i];
    units.trains[unit][n] = units.trains[unit][i];
    ++n;
  }
  units.spikes[unit].resize(n);
  units.trains[unit].resize(n);
}

std::vector<double> waveform_amplitudes(const HostMatrix<float>& wPCA, const HostTensor3<float>& templates) {
  std::vector<double> amplitudes(templates.extent(0));
  host_loop("curation::amplitudes", amplitudes.size(),
            [&](std::size_t k) { amplitudes[k] = waveform_amplitude(wPCA, templates, k); });
  return amplitudes;
}

}  // namespace kokkosort
