#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace kokkosort::test {

/// Share of pairs of spikes that two clusterings treat alike: together in both, or apart in both.
/// Source: Rand 1971, "Objective criteria for the evaluation of clustering methods".
inline double rand_index(const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b) {
  std::map<std::int32_t, double> in_a;
  std::map<std::int32_t, double> in_b;
  std::map<std::pair<std::int32_t, std::int32_t>, double> in_both;
  for (std::size_t i = 0; i < a.size(); ++i) {
    in_a[a[i]] += 1.0;
    in_b[b[i]] += 1.0;
    in_both[{a[i], b[i]}] += 1.0;
  }
  const auto pairs = [](const auto& counts) {
    double sum = 0.0;
    for (const auto& [key, n] : counts) sum += 0.5 * n * (n - 1.0);
    return sum;
  };
  const auto n = static_cast<double>(a.size());
  const double all = 0.5 * n * (n - 1.0);
  return all > 0.0 ? (all - pairs(in_a) - pairs(in_b) + 2.0 * pairs(in_both)) / all : 1.0;
}

}  // namespace kokkosort::test
