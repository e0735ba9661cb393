#pragma once
// Detection in f64 and plain loops, without chunks or bounds.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "detection/detection_problem.hpp"

namespace kokkosort::test {

/// Spikes with features, by sample, then centre.
struct DirectSpikes {
  std::vector<std::int64_t> sample;
  std::vector<std::int32_t> centre;
  std::vector<double> features;  // [spikes, rows, pcs]
};

class DirectSearch {
 public:
  /// @param traces  of a whole recording, [channels, samples]
  DirectSearch(const DetectionProblem& problem, const HostMatrix<float>& traces)
      : problem_(problem), traces_(traces), n_samples_(static_cast<std::int64_t>(traces.extent(1))) {
    for (std::size_t j = 0; j < problem.pcs.wTEMP.extent(0); ++j)
      shape_projections_.push_back(project(&problem.pcs.wTEMP(j, 0)));
    for (std::size_t centre = 0; centre < problem.n_centres(); ++centre) {
      scores_.emplace_back();
      for (std::int64_t t = 0; t < n_samples_; ++t) scores_.back().push_back(largest_projection(centre, t));
    }
  }

  /// @param centre, t  of the recording
  double score(std::size_t centre, std::int64_t t) const {
    return scores_[centre][static_cast<std::size_t>(t)];
  }

  DirectSpikes find() const {
    DirectSpikes spikes;
    for (std::int64_t t = 0; t < n_samples_; ++t)
      for (std::size_t centre = 0; centre < scores_.size(); ++centre)
        if (score(centre, t) > problem_.options.threshold && is_largest(centre, t)) {
          spikes.sample.push_back(t);
          spikes.centre.push_back(static_cast<std::int32_t>(centre));
          add_features(centre, t, spikes.features);
        }
    return spikes;
  }

 private:
  using Rows = std::vector<std::vector<double>>;  // [channels][samples]

  double sample(std::size_t channel, std::int64_t t) const {
    return t >= 0 && t < n_samples_ ? static_cast<double>(traces_(channel, static_cast<std::size_t>(t)))
                                    : 0.0;
  }

  double project(const float* wave, std::size_t channel, std::int64_t t) const {
    const auto nt = static_cast<std::int64_t>(problem_.nt());
    double sum = 0.0;
    for (std::int64_t s = 0; s < nt; ++s)
      sum += static_cast<double>(wave[s]) * sample(channel, t - nt / 2 + s);
    return sum;
  }

  Rows project(const float* wave) const {
    Rows rows(problem_.n_channels());
    for (std::size_t c = 0; c < rows.size(); ++c)
      for (std::int64_t t = 0; t < n_samples_; ++t) rows[c].push_back(project(wave, c, t));
    return rows;
  }

  double largest_projection(std::size_t centre, std::int64_t t) const {
    const auto& weights = problem_.grid.weights;
    double largest = 0.0;
    for (const Rows& of_shape : shape_projections_)
      for (std::size_t k = 0; k < weights.extent(1); ++k) {
        double sum = 0.0;
        for (std::size_t row = 0; row < weights.extent(2); ++row)
          sum += static_cast<double>(weights(centre, k, row)) *
                 of_shape[static_cast<std::size_t>(problem_.grid.centres.channels(centre, row))]
                         [static_cast<std::size_t>(t)];
        largest = std::max(largest, sum);
      }
    return largest;
  }

  bool is_largest(std::size_t centre, std::int64_t t) const {
    const auto& neighbours = problem_.grid.neighbours;
    const double mine = score(centre, t);
    for (std::size_t i = 0; i < neighbours.extent(1); ++i) {
      if (neighbours(centre, i) < 0) continue;
      const auto other = static_cast<std::size_t>(neighbours(centre, i));
      for (std::int64_t u = t - problem_.pcs.peak_sample; u <= t + problem_.pcs.peak_sample; ++u) {
        if (u < 0 || u >= n_samples_) continue;
        const double its = score(other, u);
        if (its > mine) return false;
        if (its == mine && (u < t || (u == t && other < centre))) return false;
      }
    }
    return true;
  }

  void add_features(std::size_t centre, std::int64_t t, std::vector<double>& features) const {
    for (std::size_t row = 0; row < problem_.grid.centres.channels.extent(1); ++row)
      for (std::size_t p = 0; p < problem_.pcs.wPCA.extent(0); ++p)
        features.push_back(project(&problem_.pcs.wPCA(p, 0),
                                   static_cast<std::size_t>(problem_.grid.centres.channels(centre, row)), t));
  }

  const DetectionProblem& problem_;
  const HostMatrix<float>& traces_;
  std::int64_t n_samples_;
  std::vector<Rows> shape_projections_;      // [shapes]
  std::vector<std::vector<double>> scores_;  // [centres][samples]
};

}  // namespace kokkosort::test
