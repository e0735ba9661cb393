#pragma once
// What the stages of matching have to do at least; each array goes through device memory once.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "kokkosort/matching/window.hpp"
#include "kokkosort/stage_times.hpp"
#include "kokkosort/templates/correlations.hpp"

namespace kokkosort {

/// Channels of all templates' footprints together.
inline double footprint_channels(const TemplateLayout& templates) {
  double n = 0.0;
  for (const auto& words : templates.channel_bits)
    for (const std::uint64_t word : words) n += std::popcount(word);
  return n;
}

/// Reads the weights of the footprints, writes the correlations; each is a sum over the pairs of components.
template <class Exec>
StageWork work_of_correlations(const PlacedTemplates<Exec>& templates,
                               const TemplateCorrelations<Exec>& correlations) {
  const auto n_pcs = static_cast<double>(templates.n_pcs);
  const auto n_values = static_cast<double>(correlations.values.size());
  return {sizeof(float) * (n_pcs * footprint_channels(templates) + n_values), 2.0 * n_pcs * n_pcs * n_values};
}

/// Reads the traces and the weights of the footprints, writes the scores. Every channel is projected onto the
/// components, and every template is multiplied with the projections on its footprint.
inline StageWork work_of_scores(const TemplateLayout& templates, int nt, const WindowExtent& window) {
  const double n_channels = static_cast<double>(templates.n_channels);
  const double n_scores = window.n_scores;
  const double weights = static_cast<double>(templates.n_pcs) * footprint_channels(templates);
  const double projections = n_channels * static_cast<double>(templates.n_pcs) * n_scores;
  return {sizeof(float) * (n_channels * window.n_samples + weights +
                           static_cast<double>(templates.n_templates) * n_scores),
          2.0 * nt * projections + 2.0 * weights * n_scores};
}

/// Looks at each score once, for its square over the template's energy, and writes the best template of each
/// centre. What is looked at again depends on the spikes.
inline StageWork work_of_pursuit(const TemplateLayout& templates, const WindowExtent& window) {
  const double scores = static_cast<double>(templates.n_templates) * window.n_scores;
  return {sizeof(float) * scores + (sizeof(float) + sizeof(std::int32_t)) * window.n_scores, 2.0 * scores};
}

/// Reads the traces around spikes, each sample once, writes the features; projects nt samples onto each
/// component.
/// @param n_rows  channels on which a spike has features
inline StageWork work_of_features(const TemplateLayout& templates, int nt, const WindowExtent& window,
                                  std::size_t n_spikes, std::size_t n_rows) {
  const double waveforms = static_cast<double>(n_spikes * n_rows) * nt;
  const double traces = static_cast<double>(templates.n_channels) * window.n_samples;
  const auto n_features = static_cast<double>(n_spikes * n_rows * templates.n_pcs);
  return {sizeof(float) * (std::min(waveforms, traces) + n_features), 2.0 * nt * n_features};
}

}  // namespace kokkosort
