#include "sweep/reference/check_neighbours.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kokkosort {
namespace {

/// One spike's neighbours beside its distances to all subset points.
class NeighbourCheck {
 public:
  NeighbourCheck(const std::vector<double>& distance, const std::vector<std::int32_t>& found, double error)
      : distance_(distance), found_(found), error_(error), smallest_(distance) {
    const std::size_t wanted = std::min(found.size(), distance.size());
    std::partial_sort(smallest_.begin(), smallest_.begin() + static_cast<std::ptrdiff_t>(wanted), smallest_.end());
  }

  std::string run() const {
    for (std::size_t k = 0; k < found_.size(); ++k)
      if (const std::string wrong = check(k); !wrong.empty())
        return fmt::format("neighbour {} is subset point {}: {}", k, found_[k], wrong);
    return {};
  }

 private:
  std::string check(std::size_t k) const {
    if (k >= distance_.size()) return found_[k] == -1 ? "" : "the subset has fewer points";
    if (found_[k] < 0 || static_cast<std::size_t>(found_[k]) >= distance_.size()) return "there is no such point";
    const auto before = found_.begin() + static_cast<std::ptrdiff_t>(k);
    if (std::find(found_.begin(), before, found_[k]) != before) return "it is one already";
    const double d = distance_to(k);
    if (d * (1.0 - error_) > smallest_[k] * (1.0 + error_) || d * (1.0 + error_) < smallest_[k] * (1.0 - error_))
      return fmt::format("its squared distance is {:.9g}, not {:.9g}", d, smallest_[k]);
    if (equals_found_before(k) != equals_with_smaller_index(k))
      return "one as far that has a smaller index is missing before it";
    return {};
  }

  double distance_to(std::size_t k) const { return distance_[static_cast<std::size_t>(found_[k])]; }

  std::ptrdiff_t equals_with_smaller_index(std::size_t k) const {
    return std::count(distance_.begin(), distance_.begin() + found_[k], distance_to(k));
  }

  std::ptrdiff_t equals_found_before(std::size_t k) const {
    std::ptrdiff_t equals = 0;
    for (std::size_t i = 0; i < k; ++i) equals += found_[i] < found_[k] && distance_to(i) == distance_to(k) ? 1 : 0;
    return equals;
  }

  const std::vector<double>& distance_;
  const std::vector<std::int32_t>& found_;
  double error_;
  std::vector<double> smallest_;
};

}  // namespace

std::string check_neighbours(const Points& points, const std::vector<std::uint32_t>& subset, int wanted,
                             const std::vector<std::vector<std::int32_t>>& found) {
  if (found.size() != points.size())
    return fmt::format("there are neighbours of {} spikes, not {}", found.size(), points.size());
  const FeatureMajorPoints subset_points(points, subset);
  std::vector<double> distance;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (found[i].size() != static_cast<std::size_t>(wanted))
      return fmt::format("spike {} has {} neighbours, not {}", i, found[i].size(), wanted);
    subset_points.squared_distances(points[i], distance);
    const std::string wrong = NeighbourCheck(distance, found[i], squared_distance_error(points[i].size())).run();
    if (!wrong.empty()) return fmt::format("spike {}: {}", i, wrong);
  }
  return {};
}

}  // namespace kokkosort
