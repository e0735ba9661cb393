#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "matching/make_traces.hpp"
#include "templates/waveform_reference.hpp"

namespace kokkosort::test {

/// Matching pursuit in f64 with waveforms: scores are sums over traces, after every spike too.
class DirectPursuit {
 public:
  /// @param traces  [channels, samples]; score t is of the waveform that begins at sample t
  /// @param order   templates, in which equal ones are preferred
  DirectPursuit(const TemplateProblem& problem, const HostMatrix<float>& traces, std::size_t n_scores,
                std::vector<std::int32_t> order)
      : waves_(direct_waveforms(problem)),
        energy_(direct_energy(problem.templates)),
        order_(std::move(order)),
        nt_(problem.nt()) {
    for (std::size_t c = 0; c < traces.extent(0); ++c)
      residual_.emplace_back(&traces(c, 0), &traces(c, 0) + traces.extent(1));
    scores_.assign(waves_.size(), Waveform(n_scores));
    for (std::size_t u = 0; u < waves_.size(); ++u)
      for (std::size_t t = 0; t < n_scores; ++t) scores_[u][t] = project(u, t);
  }

  const std::vector<Waveform>& scores() const { return scores_; }      // [templates][scores]
  const std::vector<Waveform>& residual() const { return residual_; }  // [channels][samples]
  bool finished() const { return finished_; }
  int rounds() const { return rounds_; }  // that found something

  /// Centres count from the first score.
  std::vector<TemplateSpike> pursue(double threshold, int max_peels) {
    std::vector<TemplateSpike> all;
    finished_ = false;
    for (rounds_ = 0; rounds_ < max_peels; ++rounds_) {
      const std::vector<TemplateSpike> spikes = find_peaks(threshold);
      finished_ = spikes.empty();
      if (finished_) break;
      for (const TemplateSpike& spike : spikes) subtract(spike);
      all.insert(all.end(), spikes.begin(), spikes.end());
    }
    sort_by_time(all);
    return all;
  }

 private:
  double project(std::size_t u, std::size_t t) const {
    double sum = 0.0;
    for (std::size_t c = 0; c < residual_.size(); ++c)
      for (std::size_t s = 0; s < waves_[u][c].size(); ++s) sum += waves_[u][c][s] * residual_[c][t + s];
    return sum;
  }

  std::vector<TemplateSpike> find_peaks(double threshold) const {
    const auto n = static_cast<std::int64_t>(scores_[0].size());
    std::vector<double> best(scores_[0].size(), 0.0);
    std::vector<std::int32_t> unit(best.size(), order_[0]);
    for (std::size_t t = 0; t < best.size(); ++t)
      for (const std::int32_t u : order_) {
        const auto i = static_cast<std::size_t>(u);
        const double positive = std::max(scores_[i][t], 0.0);
        if (positive * positive / energy_[i] > best[t]) {
          best[t] = positive * positive / energy_[i];
          unit[t] = u;
        }
      }
    std::vector<TemplateSpike> peaks;
    for (std::int64_t t = 0; t < n; ++t) {
      const double here = best[static_cast<std::size_t>(t)];
      bool largest = here > threshold * threshold;
      for (std::int64_t s = std::max<std::int64_t>(0, t - nt_); largest && s < std::min(n, t + nt_ + 1); ++s)
        largest =
            s < t ? best[static_cast<std::size_t>(s)] < here : best[static_cast<std::size_t>(s)] <= here;
      if (!largest) continue;
      const std::int32_t u = unit[static_cast<std::size_t>(t)];
      const auto i = static_cast<std::size_t>(u);
      peaks.push_back({t, u, scores_[i][static_cast<std::size_t>(t)] / energy_[i]});
    }
    return peaks;
  }

  void subtract(const TemplateSpike& spike) {
    const auto i = static_cast<std::size_t>(spike.unit);
    const auto centre = static_cast<std::size_t>(spike.centre);
    const auto nt = static_cast<std::size_t>(nt_);
    for (std::size_t c = 0; c < residual_.size(); ++c)
      for (std::size_t s = 0; s < waves_[i][c].size(); ++s)
        residual_[c][centre + s] -= spike.amplitude * waves_[i][c][s];
    for (std::size_t u = 0; u < waves_.size(); ++u)
      if (direct_meet(waves_[u], waves_[i]))
        for (std::size_t t = centre - std::min(centre, nt - 1); t < std::min(centre + nt, scores_[u].size());
             ++t)
          scores_[u][t] = project(u, t);
  }

  std::vector<Waveforms> waves_;
  std::vector<double> energy_;
  std::vector<std::int32_t> order_;
  int nt_;
  std::vector<Waveform> residual_;
  std::vector<Waveform> scores_;
  bool finished_ = false;
  int rounds_ = 0;
};

}  // namespace kokkosort::test
