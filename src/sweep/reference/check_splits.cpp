#include "sweep/reference/check_splits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace kokkosort {
namespace {

constexpr double score_tolerance = 0.02;
constexpr double ridge = 0.01;  // on the sums
constexpr int n_bins = 400;     // over [−2, 2)

using Spikes = std::vector<std::uint32_t>;
using Histogram = std::array<double, n_bins>;

/// The normal equations of side (−1, +1) on the features and an intercept.
class Regression {
 public:
  explicit Regression(std::size_t n_features)
      : n_(n_features + 1), system_(n_ * n_, 0.0), solution_(n_, 0.0), row_(n_, 1.0) {
    for (std::size_t i = 0; i < n_; ++i) system_[i * n_ + i] = ridge;
  }

  void add(const std::vector<double>& x, double weight, double side) {
    std::copy(x.begin(), x.end(), row_.begin());
    for (std::size_t i = 0; i < n_; ++i) {
      const double weighted = weight * row_[i];
      solution_[i] += weighted * side;
      for (std::size_t j = 0; j <= i; ++j) system_[i * n_ + j] += weighted * row_[j];
    }
  }

  void solve() {
    factor();
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < i; ++j) solution_[i] -= at(i, j) * solution_[j];
      solution_[i] /= at(i, i);
    }
    for (std::size_t i = n_; i-- > 0;) {
      for (std::size_t j = i + 1; j < n_; ++j) solution_[i] -= at(j, i) * solution_[j];
      solution_[i] /= at(i, i);
    }
  }

  double project(const std::vector<double>& x) const {
    double sum = solution_[n_ - 1];
    for (std::size_t f = 0; f < x.size(); ++f) sum += solution_[f] * x[f];
    return sum;
  }

 private:
  double at(std::size_t i, std::size_t j) const { return system_[i * n_ + j]; }

  /// Cholesky's factor, row by row in the lower triangle.
  void factor() {
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = at(i, j);
        for (std::size_t k = 0; k < j; ++k) sum -= at(i, k) * at(j, k);
        system_[i * n_ + j] = i == j ? std::sqrt(sum) : sum / at(j, j);
      }
  }

  std::size_t n_;
  std::vector<double> system_;    // [n, n], lower triangle
  std::vector<double> solution_;  // [n], the right side until solved
  std::vector<double> row_;       // [n], a spike's features and 1
};

Histogram count_projections(const Points& points, const Spikes& left, const Spikes& right) {
  const auto total = static_cast<double>(left.size() + right.size());
  Regression regression(points[0].size());
  for (const std::uint32_t i : left) regression.add(points[i], static_cast<double>(right.size()) / total, -1.0);
  for (const std::uint32_t i : right) regression.add(points[i], static_cast<double>(left.size()) / total, 1.0);
  regression.solve();
  Histogram histogram{};
  for (const Spikes* side : {&left, &right})
    for (const std::uint32_t i : *side) {
      const double bin = std::floor((regression.project(points[i]) + 2.0) * (n_bins / 4.0));
      if (bin >= 0.0 && bin < n_bins) histogram[static_cast<std::size_t>(bin)] += 1.0;
    }
  return histogram;
}

/// By a Gaussian of 4 bins, cut at 16, the histogram reflected about its ends.
Histogram smooth(const Histogram& histogram) {
  constexpr int radius = 16;
  Histogram smoothed{};
  double norm = 0.0;
  for (int i = -radius; i <= radius; ++i) {
    const double weight = std::exp(-i * i / 32.0);
    norm += weight;
    for (int bin = 0; bin < n_bins; ++bin) {
      const int from = bin + i < 0 ? -1 - bin - i : std::min(bin + i, 2 * n_bins - 1 - bin - i);
      smoothed[static_cast<std::size_t>(bin)] += weight * histogram[static_cast<std::size_t>(from)];
    }
  }
  for (double& value : smoothed) value /= norm;
  return smoothed;
}

/// 1 − the trough, the lowest of bins 175 … 224, over the lower of the peaks on its two sides.
double score(const Histogram& histogram) {
  const Histogram smoothed = smooth(histogram);
  const auto* const trough = std::min_element(smoothed.begin() + 175, smoothed.begin() + 225);
  const double left = *std::max_element(smoothed.begin(), trough + 1);
  const double right = *std::max_element(trough, smoothed.end());
  const double lower = std::min(left, right);
  return lower > 0.0 ? 1.0 - *trough / lower : 0.0;
}

class SplitCheck {
 public:
  SplitCheck(const Points& points, const std::vector<std::int32_t>& labels, const MergeTree& tree,
             const SplitOptions& options)
      : points_(points), tree_(tree), options_(options), spikes_of_leaf_(static_cast<std::size_t>(tree.n_leaves)) {
    for (std::uint32_t i = 0; i < labels.size(); ++i)
      spikes_of_leaf_[static_cast<std::size_t>(labels[i])].push_back(i);
  }

  /// Parents come after their children, so from the last join on it is known which nodes are reached.
  std::string run() const {
    std::vector<bool> reached(tree_.joins.size(), false);
    if (!reached.empty()) reached.back() = true;
    for (std::size_t j = tree_.joins.size(); j-- > 0;) {
      const Join& join = tree_.joins[j];
      const std::string wrong = reached[j] ? check_reached(join) : check_untested(join, Verdict::untested);
      if (!wrong.empty()) return fmt::format("join {} of nodes {} and {}: {}", j, join.left, join.right, wrong);
      if (!reached[j] || join.verdict == Verdict::joined_trough) continue;
      for (const std::int32_t node : {join.left, join.right})
        if (node >= tree_.n_leaves) reached[static_cast<std::size_t>(node - tree_.n_leaves)] = true;
    }
    return {};
  }

 private:
  std::string check_reached(const Join& join) const {
    return join.ratio < options_.min_ratio ? check_untested(join, Verdict::split_ratio) : check_tested(join);
  }

  static std::string check_untested(const Join& join, Verdict verdict) {
    if (join.verdict != verdict) return wrong_verdict(join, verdict);
    return join.score == -1.0 ? "" : fmt::format("its score is {:.6f} though it needs none", join.score);
  }

  std::string check_tested(const Join& join) const {
    const double expected = score(count_projections(points_, spikes_below(join.left), spikes_below(join.right)));
    if (!(std::abs(join.score - expected) <= score_tolerance))
      return fmt::format("its score is {:.6f}, not {:.6f}", join.score, expected);
    const Verdict verdict = join.score >= options_.min_bimodality ? Verdict::split_trough : Verdict::joined_trough;
    return join.verdict == verdict ? "" : wrong_verdict(join, verdict);
  }

  static std::string wrong_verdict(const Join& join, Verdict verdict) {
    return fmt::format("its verdict is {}, not {}", static_cast<int>(join.verdict), static_cast<int>(verdict));
  }

  Spikes spikes_below(std::int32_t node) const {
    if (node < tree_.n_leaves) return spikes_of_leaf_[static_cast<std::size_t>(node)];
    const Join& join = tree_.joins[static_cast<std::size_t>(node - tree_.n_leaves)];
    Spikes spikes = spikes_below(join.left);
    const Spikes right = spikes_below(join.right);
    spikes.insert(spikes.end(), right.begin(), right.end());
    return spikes;
  }

  const Points& points_;
  const MergeTree& tree_;
  const SplitOptions& options_;
  std::vector<Spikes> spikes_of_leaf_;
};

}  // namespace

std::string check_splits(const Points& points, const std::vector<std::int32_t>& labels, const MergeTree& decided,
                         const SplitOptions& options) {
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] < 0 || labels[i] >= decided.n_leaves)
      return fmt::format("spike {} is in leaf {} of {}", i, labels[i], decided.n_leaves);
  return SplitCheck(points, labels, decided, options).run();
}

}  // namespace kokkosort
