#pragma once
// What the stages of clustering have to do at least; each array goes through device memory once. Building the
// tree is the host's work.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kokkosort/clustering/section_batch.hpp"
#include "kokkosort/stage_times.hpp"

namespace kokkosort {

/// Reads the spikes' features, writes the points.
/// @param width  features of a spike as detected
inline StageWork work_of_embedding(const std::vector<SectionExtent>& sections, std::size_t width) {
  StageWork work;
  for (const SectionExtent& section : sections)
    work.bytes += sizeof(float) * static_cast<double>(section.n_spikes) *
                  static_cast<double>(width + section.n_features);
  return work;
}

/// Reads the points, writes the neighbours; a product for each spike and subset point. The subset's points
/// are spikes'.
inline StageWork work_of_neighbours(const std::vector<SectionExtent>& sections, int neighbours) {
  StageWork work;
  for (const SectionExtent& section : sections) {
    const double points = static_cast<double>(section.n_spikes) * section.n_features;
    work.bytes +=
        sizeof(float) * points + sizeof(std::int32_t) * static_cast<double>(section.n_spikes) * neighbours;
    work.operations += 2.0 * points * section.n_subset;
  }
  return work;
}

/// Reads the points; for each seed, distances of all spikes to the candidates, a subtraction and a
/// multiply-add a feature.
/// @param n_seeds  [sections]
/// @param trials   candidates for a seed
inline StageWork work_of_seeding(const std::vector<SectionExtent>& sections,
                                 const HostVector<std::uint32_t>& n_seeds, int trials) {
  StageWork work;
  for (std::size_t s = 0; s < sections.size(); ++s) {
    const double points = static_cast<double>(sections[s].n_spikes) * sections[s].n_features;
    work.bytes += sizeof(float) * points;
    work.operations += 3.0 * points * trials * n_seeds(s);
  }
  return work;
}

/// Reads the graph and the labels, writes the labels. How many rounds it takes depends on the data.
inline StageWork work_of_assignment(const std::vector<SectionExtent>& sections, int neighbours) {
  StageWork work;
  for (const SectionExtent& section : sections)
    work.bytes += sizeof(std::int32_t) * static_cast<double>(section.n_spikes) * (neighbours + 2);
  return work;
}

/// Embeds the points anew and sums the products of their features, each pair once, and the features.
inline StageWork work_of_splits(const std::vector<SectionExtent>& sections, std::size_t width) {
  StageWork work = work_of_embedding(sections, width);
  for (const SectionExtent& section : sections)
    work.operations +=
        static_cast<double>(section.n_spikes) * section.n_features * (section.n_features + 3.0);
  return work;
}

}  // namespace kokkosort
