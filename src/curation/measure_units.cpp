#include "curation/measure_units.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>

#include "core/host_loop.hpp"
#include "core/instantiate.hpp"
#include "curation/merge_units.hpp"
#include "curation/similarity.hpp"
#include "kokkosort/matching/match.hpp"
#include "kokkosort/templates/pc_products.hpp"
#include "templates/template_energy.hpp"

namespace kokkosort {
namespace {

/// Units that have spikes, along the probe: their places among the working units.
std::vector<std::size_t> order_units(const Probe& probe, const WorkingUnits& units) {
  std::vector<std::size_t> order;
  for (std::size_t unit = 0; unit < units.size(); ++unit)
    if (!units.spikes[unit].empty()) order.push_back(unit);
  const auto key = [&](std::size_t unit) {
    const auto channel = static_cast<std::size_t>(units.channel[unit]);
    return std::tuple(probe.shank[channel], probe.y_um[channel], probe.x_um[channel], unit);
  };
  std::sort(order.begin(), order.end(), [&key](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return order;
}

HostTensor3<float> templates_of(const WorkingUnits& units, const std::vector<std::size_t>& order) {
  const std::size_t slab = units.templates.extent(1) * units.templates.extent(2);
  const HostTensor3<float> templates("kokkosort::curation::templates_on_host", order.size(),
                                     units.templates.extent(1), units.templates.extent(2));
  for (std::size_t k = 0; k < order.size(); ++k)
    std::copy_n(units.templates.data() + order[k] * slab, slab, templates.data() + k * slab);
  return templates;
}

/// A spike of the input, in its place in the sorting.
struct SortedSpike {
  std::int64_t sample;
  std::int32_t unit;
  std::int64_t spike;

  auto operator<=>(const SortedSpike&) const = default;
};

/// Divides a recording's samples into parts that are sorted one by one: a spike more or less makes none
/// uneven.
constexpr std::int64_t sorting_parts = 256;

/// The place of a train's first spike of a part.
std::size_t first_of_part(const Train& train, std::int64_t part, std::int64_t n_samples) {
  const std::int64_t first =
      n_samples / sorting_parts * part + n_samples % sorting_parts * part / sorting_parts;
  return static_cast<std::size_t>(std::lower_bound(train.begin(), train.end(), first) - train.begin());
}

/// All units' spikes in the order of time, unit and index.
std::vector<SortedSpike> sort_spikes(const WorkingUnits& units, const std::vector<std::size_t>& order,
                                     std::int64_t n_samples) {
  // [parts + 1][units]: the units' spikes before a part
  std::vector<std::vector<std::size_t>> before(sorting_parts + 1, std::vector<std::size_t>(order.size()));
  host_loop("curation::find_parts", order.size(), [&](std::size_t k) {
    const Train& train = units.trains[order[k]];
    for (std::int64_t part = 1; part < sorting_parts; ++part)
      before[static_cast<std::size_t>(part)][k] = first_of_part(train, part, n_samples);
    before.back()[k] = train.size();
  });
  const auto total = [](const std::vector<std::size_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  };
  std::vector<SortedSpike> sorted(total(before.back()));
  host_loop("curation::sort_parts", sorting_parts, [&](std::size_t part) {
    auto place = sorted.begin() + static_cast<std::ptrdiff_t>(total(before[part]));
    const auto first = place;
    for (std::size_t k = 0; k < order.size(); ++k)
      for (std::size_t i = before[part][k]; i < before[part + 1][k]; ++i)
        *place++ = {units.trains[order[k]][i], static_cast<std::int32_t>(k), units.spikes[order[k]][i]};
    std::sort(first, place);
  });
  return sorted;
}

struct Position {
  double x_um;
  double y_um;
};

/// Finds where spikes are. Features are taken as they were found: where their energy is does not depend on
/// small shifts.
class SpikeLocator {
 public:
  SpikeLocator(const SpikeFeatures& spikes, double position_um)
      : spikes_(spikes),
        counts_("kokkosort::curation::rows_with_a_say_on_host", spikes.centres.x_um.size(), spikes.n_rows()) {
    const Probe& probe = spikes.probe;
    for (std::size_t centre = 0; centre < counts_.extent(0); ++centre) {
      const std::int32_t shank = probe.shank[channel(centre, 0)];
      const Position middle = middle_of(centre);
      for (std::size_t row = 0; row < counts_.extent(1); ++row) {
        const std::size_t c = channel(centre, row);
        const double far = std::hypot(probe.x_um[c] - middle.x_um, probe.y_um[c] - middle.y_um);
        counts_(centre, row) = probe.shank[c] == shank && far <= position_um;
      }
    }
  }

  Position operator()(std::size_t spike) const {
    const auto centre = static_cast<std::size_t>(spikes_.centre(spike));
    Position sum{0.0, 0.0};
    double total = 0.0;
    for (std::size_t row = 0; row < spikes_.n_rows(); ++row) {
      if (!counts_(centre, row)) continue;
      double energy = 0.0;
      for (std::size_t p = 0; p < spikes_.n_pcs(); ++p) {
        const auto value = static_cast<double>(spikes_.features(spike, row, p));
        energy += value * value;
      }
      sum.x_um += energy * spikes_.probe.x_um[channel(centre, row)];
      sum.y_um += energy * spikes_.probe.y_um[channel(centre, row)];
      total += energy;
    }
    if (!(total > 0.0)) return middle_of(centre);
    return {sum.x_um / total, sum.y_um / total};
  }

 private:
  std::size_t channel(std::size_t centre, std::size_t row) const {
    return static_cast<std::size_t>(spikes_.centres.channels(centre, row));
  }
  Position middle_of(std::size_t centre) const {
    return {spikes_.centres.x_um[centre], spikes_.centres.y_um[centre]};
  }

  const SpikeFeatures& spikes_;
  HostMatrix<bool> counts_;  // [centres, rows], whether a spike's energy there has a say
};

/// Writes spikes' features into the rows of their units' channels.
class FeatureRemapper {
 public:
  FeatureRemapper(const CurationInput& input, const WorkingUnits& units, const Sorting& sorting)
      : input_(input),
        units_(units),
        products_(pc_products(input.spikes.pcs.wPCA)),
        row_of_("kokkosort::curation::row_of_channel_on_host", sorting.n_units(), input.spikes.n_channels()) {
    std::fill_n(row_of_.data(), row_of_.size(), -1);
    for (std::size_t unit = 0; unit < sorting.n_units(); ++unit)
      for (std::size_t row = 0; row < sorting.unit_channels.extent(1); ++row)
        row_of_(unit, static_cast<std::size_t>(sorting.unit_channels(unit, row))) =
            static_cast<std::int32_t>(row);
  }

  /// @param to  [rows, pcs], zero
  void write(const SortedSpike& sorted, float* to) const {
    const SpikeFeatures& spikes = input_.spikes;
    const auto spike = static_cast<std::size_t>(sorted.spike);
    const auto centre = static_cast<std::size_t>(spikes.centre(spike));
    const std::int32_t shift = units_.shift_of[static_cast<std::size_t>(input_.labels[spike])];
    for (std::size_t row = 0; row < spikes.n_rows(); ++row) {
      const auto channel = static_cast<std::size_t>(spikes.centres.channels(centre, row));
      const std::int32_t place = row_of_(static_cast<std::size_t>(sorted.unit), channel);
      if (place < 0) continue;
      const float* const from = &spikes.features(spike, row, 0);
      float* const into = to + static_cast<std::size_t>(place) * spikes.n_pcs();
      if (shift == 0)
        std::copy_n(from, spikes.n_pcs(), into);
      else
        shift_coefficients(products_, shift, spikes.n_pcs(), from, into);
    }
  }

 private:
  const CurationInput& input_;
  const WorkingUnits& units_;
  HostMatrix<float> products_;
  HostMatrix<std::int32_t> row_of_;  // [units, channels], −1: none
};

void write_spikes(const CurationInput& input, const CurationOptions& options, const WorkingUnits& units,
                  const std::vector<float>& strength, const std::vector<SortedSpike>& sorted,
                  Sorting& sorting) {
  const FeatureRemapper remapper(input, units, sorting);
  const SpikeLocator position_of(input.spikes, options.position_um);
  const std::size_t n = sorted.size();
  sorting.sample.resize(n);
  sorting.unit.resize(n);
  sorting.matched.resize(n);
  sorting.amplitude.resize(n);
  sorting.x_um.resize(n);
  sorting.y_um.resize(n);
  const auto label = std::string("kokkosort::curation::features_on_host");
  sorting.features = HostTensor3<float>(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), n,
                                        sorting.unit_channels.extent(1), input.means.extent(2));
  const std::size_t width = sorting.features.extent(1) * sorting.features.extent(2);
  host_blocks("curation::write_spikes", n, [&](std::size_t first, std::size_t last) {
    std::fill(sorting.features.data() + first * width, sorting.features.data() + last * width, 0.0f);
    for (std::size_t i = first; i < last; ++i) {
      const auto spike = static_cast<std::size_t>(sorted[i].spike);
      sorting.sample[i] = sorted[i].sample;
      sorting.unit[i] = sorted[i].unit;
      sorting.matched[i] = input.spikes.centre(spike);
      sorting.amplitude[i] = strength[spike];
      const Position position = position_of(spike);
      sorting.x_um[i] = static_cast<float>(position.x_um);
      sorting.y_um[i] = static_cast<float>(position.y_um);
      remapper.write(sorted[i], sorting.features.data() + i * width);
    }
  });
}

/// What is known of units from their spikes.
void describe_units(const CurationInput& input, const CurationOptions& options, const WorkingUnits& units,
                    const std::vector<std::size_t>& order, const std::vector<RefractoryScores>& scores,
                    Sorting& sorting) {
  for (std::size_t i = 0; i < sorting.n_spikes(); ++i) {
    Unit& unit = sorting.units[static_cast<std::size_t>(sorting.unit[i])];
    ++unit.spikes;
    unit.x_um += static_cast<double>(sorting.x_um[i]);
    unit.y_um += static_cast<double>(sorting.y_um[i]);
  }
  const std::vector<double> amplitudes = waveform_amplitudes(input.spikes.pcs.wPCA, sorting.templates);
  const double seconds = static_cast<double>(input.n_samples) / input.spikes.sampling_rate_hz;
  for (std::size_t k = 0; k < order.size(); ++k) {
    Unit& unit = sorting.units[k];
    const auto n = static_cast<double>(unit.spikes);
    unit.x_um /= n;
    unit.y_um /= n;
    unit.channel = units.channel[order[k]];
    unit.amplitude = amplitudes[k];
    unit.firing_rate_hz = n / seconds;
    unit.contamination = std::clamp(scores[k].ratio, 0.0, 1.0);
    unit.is_refractory = is_refractory(scores[k], static_cast<std::size_t>(unit.spikes), options);
  }
}

/// @param order  of the units, by place among the working units
template <class Exec>
HostMatrix<float> similarity_matrix(const Exec& exec, const CurationInput& input, const WorkingUnits& units,
                                    const std::vector<std::size_t>& order, std::size_t limit_bytes,
                                    TransferLedger& ledger) {
  std::vector<std::size_t> id(units.size());
  for (std::size_t k = 0; k < order.size(); ++k) id[order[k]] = k;
  const HostMatrix<float> similarity("kokkosort::curation::similarity_on_host", order.size(), order.size());
  for (std::size_t k = 0; k < order.size(); ++k) similarity(k, k) = 1.0f;
  for (const MergeCandidate& pair :
       similar_units(exec, input, units, -std::numeric_limits<double>::infinity(), limit_bytes, ledger)) {
    const std::size_t a = id[static_cast<std::size_t>(pair.kept)];
    const std::size_t b = id[static_cast<std::size_t>(pair.other)];
    similarity(a, b) = similarity(b, a) = static_cast<float>(pair.correlation);
  }
  return similarity;
}

}  // namespace

std::vector<float> spike_strengths(const CurationInput& input) {
  const HostTensor3<float>& templates = input.matched_templates;
  std::vector<double> norm;
  for (std::size_t k = 0; k < templates.extent(0); ++k) norm.push_back(template_norm(templates, k));
  std::vector<float> strength(input.amplitude.size());
  host_blocks("curation::strengths", strength.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      strength[i] = static_cast<float>(static_cast<double>(input.amplitude[i]) *
                                       norm[static_cast<std::size_t>(input.spikes.centre(i))]);
  });
  return strength;
}

template <class Exec>
Sorting measure_units(const Exec& exec, const CurationInput& input, const CurationOptions& options,
                      const WorkingUnits& units, const std::vector<float>& strength, TransferLedger& ledger) {
  const std::vector<std::size_t> order = order_units(input.spikes.probe, units);
  std::vector<Train> trains;
  for (const std::size_t unit : order) trains.push_back(units.trains[unit]);
  Sorting sorting;
  sorting.units.resize(order.size());
  sorting.templates = templates_of(units, order);
  sorting.unit_channels =
      template_centres(input.spikes.probe, sorting.templates, static_cast<int>(input.spikes.n_rows()))
          .channels;
  write_spikes(input, options, units, strength, sort_spikes(units, order, input.n_samples), sorting);
  describe_units(input, options, units, order, own_scores(exec, input, trains, ledger), sorting);
  sorting.similarity = similarity_matrix(exec, input, units, order, options.device_limit_bytes, ledger);
  return sorting;
}

#define INSTANTIATE(Exec)                                                                   \
  template Sorting measure_units(const Exec&, const CurationInput&, const CurationOptions&, \
                                 const WorkingUnits&, const std::vector<float>&, TransferLedger&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
