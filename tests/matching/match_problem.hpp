#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "kokkosort/matching/match.hpp"
#include "kokkosort/recording/memory_recording.hpp"
#include "matching/make_traces.hpp"

namespace kokkosort::test {

inline constexpr double test_scale = 0.01;  // sigma of a stored integer's step

/// Traces as a recording stores them: [samples, channels], in whole steps of `scale`.
template <class T>
std::vector<T> stored_samples(const HostMatrix<float>& traces, double scale = test_scale) {
  std::vector<T> samples(traces.size());
  for (std::size_t c = 0; c < traces.extent(0); ++c)
    for (std::size_t t = 0; t < traces.extent(1); ++t) {
      const double value = std::round(traces(c, t) / scale);
      samples[t * traces.extent(0) + c] = static_cast<T>(
          std::clamp(value, double{std::numeric_limits<T>::lowest()}, double{std::numeric_limits<T>::max()}));
    }
  return samples;
}

/// What the recording holds, [channels, samples], in sigma.
template <class T>
HostMatrix<float> as_traces(const std::vector<T>& samples, std::size_t n_channels,
                            double scale = test_scale) {
  const HostMatrix<float> traces("kokkosort::test::traces", n_channels, samples.size() / n_channels);
  for (std::size_t c = 0; c < n_channels; ++c)
    for (std::size_t t = 0; t < traces.extent(1); ++t)
      traces(c, t) = static_cast<float>(scale) * static_cast<float>(samples[t * n_channels + c]);
  return traces;
}

template <class Exec, class T>
Matching match_samples(const TemplateProblem& problem, const std::vector<T>& samples,
                       const MatchingOptions& options, TransferLedger& ledger, double scale = test_scale,
                       const Exec& exec = Exec()) {
  MemoryRecording recording(samples, problem.n_channels());
  const TracePreparation preparation = whitened_already(problem.n_channels(), scale);
  return match_templates(
      exec, MatchingInput{{recording, preparation}, problem.probe, problem.pcs, problem.templates}, options,
      ledger);
}

/// From a waveform's centre to its peak.
inline std::int64_t peak_of(const TemplateProblem& problem, std::int64_t centre) {
  return centre - problem.nt() / 2 + problem.pcs.peak_sample;
}
inline std::int64_t centre_of(const TemplateProblem& problem, std::int64_t peak) {
  return peak + problem.nt() / 2 - problem.pcs.peak_sample;
}

/// Found spikes by their centres.
inline std::vector<TemplateSpike> spikes_of(const TemplateProblem& problem, const Matching& matching) {
  std::vector<TemplateSpike> spikes;
  for (std::size_t i = 0; i < matching.n_spikes(); ++i)
    spikes.push_back({centre_of(problem, matching.sample[i]), matching.unit[i], matching.amplitude[i]});
  sort_by_time(spikes);
  return spikes;
}

/// How many spikes of one list are in the other: the same template within `tolerance` samples, one to one.
inline std::size_t count_pairs(const std::vector<TemplateSpike>& a, const std::vector<TemplateSpike>& b,
                               std::int64_t tolerance) {
  std::map<std::int32_t, std::vector<std::int64_t>> times[2];
  for (const TemplateSpike& spike : a) times[0][spike.unit].push_back(spike.centre);
  for (const TemplateSpike& spike : b) times[1][spike.unit].push_back(spike.centre);
  std::size_t pairs = 0;
  for (auto& [unit, first] : times[0]) {
    std::vector<std::int64_t>& second = times[1][unit];
    std::sort(first.begin(), first.end());
    std::sort(second.begin(), second.end());
    for (std::size_t i = 0, j = 0; i < first.size() && j < second.size();) {
      if (std::abs(first[i] - second[j]) <= tolerance) {
        ++pairs;
        ++i;
        ++j;
      } else if (first[i] < second[j]) {
        ++i;
      } else {
        ++j;
      }
    }
  }
  return pairs;
}

}  // namespace kokkosort::test
