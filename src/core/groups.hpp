#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kokkosort {

/// Things group by group: the spikes of each unit, say, in the order in which they come.
class Groups {
 public:
  /// @param group_of  [things], 0 … groups − 1
  Groups(const std::int32_t* group_of, std::size_t n_things, std::size_t n_groups)
      : first_(n_groups + 1, 0), members_(n_things) {
    for (std::size_t i = 0; i < n_things; ++i) ++first_[static_cast<std::size_t>(group_of[i]) + 1];
    for (std::size_t g = 1; g < first_.size(); ++g) first_[g] += first_[g - 1];
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (std::size_t i = 0; i < n_things; ++i) members_[next[static_cast<std::size_t>(group_of[i])]++] = i;
  }

  std::size_t size() const { return first_.size() - 1; }

  std::span<const std::size_t> of(std::size_t group) const {
    return std::span(members_).subspan(first_[group], first_[group + 1] - first_[group]);
  }

 private:
  std::vector<std::size_t> first_;    // [groups + 1]
  std::vector<std::size_t> members_;  // [things]
};

}  // namespace kokkosort
