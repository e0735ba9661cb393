#include "sweep/reference/check_seeding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "kokkosort/random.hpp"

namespace kokkosort {
namespace {

/// What a candidate takes off Σδ, and how far the device's sum may be from it.
struct Gain {
  double value = 0.0;
  double margin = 0.0;
};

/// The points that each of a step's draws can have fallen on: one, or a few where it is close to a border.
using Draws = std::vector<std::vector<std::uint32_t>>;  // [trials]

class SeedingReplay {
 public:
  SeedingReplay(const Points& points, const FoundSeeding& found)
      : points_(points),
        found_(found),
        side_by_side_(points),
        error_(squared_distance_error(points[0].size())),
        nearest_(points.size(), 0),
        labelled_(points.size(), std::numeric_limits<double>::infinity()) {
    side_by_side_.squared_distances(std::vector<double>(points[0].size(), 0.0), delta_);
    for (std::size_t i = 0; i < points.size(); ++i)
      if (found.labels[i] == 0) labelled_[i] = delta_[i];  // the origin's label, too
    // The sum of n values, none above the largest, fills 60 bits or more.
    truncation_ = *std::max_element(delta_.begin(), delta_.end()) * static_cast<double>(points.size()) * 0x1p-59;
  }

  Draws draw(std::uint64_t seed, std::uint32_t key, std::uint32_t step, int trials) const {
    std::vector<double> borders{0.0};
    for (const double delta : delta_) borders.push_back(borders.back() + delta);
    Draws draws;
    for (std::uint32_t t = 0; t < static_cast<std::uint32_t>(trials); ++t)
      draws.push_back(possible(borders, random_unit(seed, key, step, t)));
    return draws;
  }

  /// Looks at a step's seed and takes it.
  std::string check_seed(std::uint32_t step, const Draws& draws) {
    const std::uint32_t seed = found_.seeds[step];
    const auto drawn = std::find_if(draws.begin(), draws.end(), [&](const std::vector<std::uint32_t>& candidates) {
      return std::find(candidates.begin(), candidates.end(), seed) != candidates.end();
    });
    if (drawn == draws.end()) return fmt::format("seed {} is spike {}, which no draw can have fallen on", step, seed);
    const std::vector<double> to_seed = distances_to(seed);
    const Gain gained = gain(to_seed);
    for (auto other = draws.begin(); other != draws.end(); ++other) {
      if (other->size() != 1 || other->front() == seed) continue;
      const Gain missed = gain(distances_to(other->front()));
      const bool better = missed.value - missed.margin > gained.value + gained.margin;
      if (better || (missed.value == gained.value && other < drawn))
        return fmt::format("seed {} is spike {}, which takes {:.9g} off the sum; spike {} was drawn and takes {:.9g}",
                           step, seed, gained.value, other->front(), missed.value);
    }
    take(step, to_seed);
    return {};
  }

  /// True if some point's δ cannot be zero in the device's fixed point.
  bool any_left() const {
    return std::any_of(delta_.begin(), delta_.end(),
                       [&](const double delta) { return delta * (1.0 - error_) > truncation_; });
  }

  std::string check_labels() const {
    for (std::size_t i = 0; i < delta_.size(); ++i) {
      if (found_.labels[i] == nearest_[i]) continue;
      const bool close = labelled_[i] * (1.0 - error_) <= delta_[i] * (1.0 + error_);
      if (close && labelled_[i] > delta_[i]) continue;  // exactly equal ones go to the earliest
      return fmt::format("spike {} has label {} at squared distance {:.9g}, not {} at {:.9g}", i, found_.labels[i],
                         labelled_[i], nearest_[i], delta_[i]);
    }
    return {};
  }

 private:
  /// A share that begins at A of Σδ = A + B is not beyond the place u(A + B) if A(1 − u) ≤ u B; the device's A and B
  /// are each off by their relative error, and by what their fixed point and the replay's sums round.
  ///
  /// @param borders  where the points' shares begin, and Σδ, [points + 1]
  std::vector<std::uint32_t> possible(const std::vector<double>& borders, double unit) const {
    const double total = borders.back();
    const double place = unit * total;
    const double rounded = static_cast<double>(borders.size()) * (truncation_ + total * 0x1p-51);
    const auto margin = [&](double border) {
      return error_ * ((1.0 - unit) * border + unit * (total - border)) + rounded;
    };
    const auto passed = std::partition_point(borders.begin() + 1, borders.end(),
                                             [&](double end) { return end + margin(end) < place; });
    std::vector<std::uint32_t> candidates;
    for (auto i = static_cast<std::size_t>(passed - borders.begin()) - 1;
         i < delta_.size() && borders[i] - margin(borders[i]) <= place; ++i)
      if (delta_[i] > 0.0) candidates.push_back(static_cast<std::uint32_t>(i));
    return candidates;
  }

  std::vector<double> distances_to(std::uint32_t candidate) const {
    std::vector<double> distance;
    side_by_side_.squared_distances(points_[candidate], distance);
    return distance;
  }

  /// Points that surely stay where they are have no part in the margin: they cancel in the device's sums.
  Gain gain(const std::vector<double>& distance) const {
    Gain gain;
    for (std::size_t i = 0; i < delta_.size(); ++i) {
      const double difference = delta_[i] - distance[i];
      const double margin = error_ * (delta_[i] + distance[i]) + 2.0 * truncation_;
      gain.value += std::max(0.0, difference);
      gain.margin += difference + margin > 0.0 ? margin : 0.0;
    }
    return gain;
  }

  void take(std::uint32_t label, const std::vector<double>& distance) {
    for (std::size_t i = 0; i < delta_.size(); ++i) {
      if (found_.labels[i] == label) labelled_[i] = std::min(labelled_[i], distance[i]);
      if (distance[i] >= delta_[i]) continue;
      delta_[i] = distance[i];
      nearest_[i] = label;
    }
  }

  const Points& points_;
  const FoundSeeding& found_;
  FeatureMajorPoints side_by_side_;
  double error_;                        // relative, of the device's δ
  double truncation_ = 0.0;             // a step of the device's fixed point, at most
  std::vector<double> delta_;           // squared distance to the nearest centre
  std::vector<std::uint32_t> nearest_;  // its label
  std::vector<double> labelled_;        // squared distance to the nearest centre that has the found label
};

std::string check_ranges(std::size_t n_spikes, const FoundSeeding& found, std::uint32_t n_seeds) {
  if (found.labels.size() != n_spikes)
    return fmt::format("there are {} labels, not {}", found.labels.size(), n_spikes);
  if (found.seeds.size() > n_seeds) return fmt::format("there are {} seeds, not {}", found.seeds.size(), n_seeds);
  for (const std::uint32_t seed : found.seeds)
    if (seed >= n_spikes) return fmt::format("a seed is spike {} of {}", seed, n_spikes);
  for (const std::uint32_t label : found.labels)
    if (label > 0 && label >= found.seeds.size())
      return fmt::format("a spike has label {} of {}", label, found.seeds.size());
  return {};
}

}  // namespace

std::string check_seeding(const Points& points, const FoundSeeding& found, std::uint32_t n_seeds, int trials,
                          std::uint64_t seed, std::uint32_t key) {
  std::string wrong = check_ranges(points.size(), found, n_seeds);
  if (!wrong.empty() || points.empty()) return wrong;
  SeedingReplay replay(points, found);
  for (std::uint32_t step = 0; step < found.seeds.size(); ++step) {
    wrong = replay.check_seed(step, replay.draw(seed, key, step, trials));
    if (!wrong.empty()) return wrong;
  }
  if (found.seeds.size() < n_seeds && replay.any_left())
    return fmt::format("there are {} seeds, not {}, though points are left", found.seeds.size(), n_seeds);
  return replay.check_labels();
}

}  // namespace kokkosort
