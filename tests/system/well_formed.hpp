#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kokkosort/clustering/cluster.hpp"
#include "kokkosort/clustering/sections.hpp"

namespace kokkosort::test {

/// Every spike has a label, units are 0 … units−1 without gaps, each with a spike.
inline void expect_all_labelled(const Clustering& clustering, const SpikeFeatures& spikes) {
  ASSERT_EQ(clustering.labels.size(), spikes.n_spikes());
  std::vector<std::int64_t> counts(clustering.n_units(), 0);
  for (const std::int32_t label : clustering.labels) {
    ASSERT_GE(label, 0);
    ASSERT_LT(label, static_cast<std::int32_t>(clustering.n_units()));
    ++counts[static_cast<std::size_t>(label)];
  }
  for (std::size_t unit = 0; unit < counts.size(); ++unit) EXPECT_GT(counts[unit], 0) << "unit " << unit;
}

/// Templates are finite, and the mean of their spikes' features to rounding.
inline void expect_templates_are_means(const Clustering& clustering, const SpikeFeatures& spikes) {
  ASSERT_EQ(clustering.templates.extent(1), spikes.n_channels());
  ASSERT_EQ(clustering.templates.extent(2), spikes.n_pcs());
  std::vector<double> sums(clustering.templates.size(), 0.0);
  std::vector<double> largest(clustering.n_units(), 0.0);
  std::vector<double> counts(clustering.n_units(), 0.0);
  const std::size_t slab = spikes.n_channels() * spikes.n_pcs();
  for (std::size_t i = 0; i < spikes.n_spikes(); ++i) {
    const auto unit = static_cast<std::size_t>(clustering.labels[i]);
    counts[unit] += 1.0;
    for (std::size_t row = 0; row < spikes.n_rows(); ++row)
      for (std::size_t pc = 0; pc < spikes.n_pcs(); ++pc) {
        const double value = spikes.features(i, row, pc);
        const auto channel = static_cast<std::size_t>(
            spikes.centres.channels(static_cast<std::size_t>(spikes.centre(i)), row));
        sums[unit * slab + channel * spikes.n_pcs() + pc] += value;
        largest[unit] = std::max(largest[unit], std::abs(value));
      }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::size_t unit = i / slab;
    ASSERT_TRUE(std::isfinite(clustering.templates.data()[i])) << "unit " << unit;
    ASSERT_NEAR(clustering.templates.data()[i], sums[i] / counts[unit], 1e-6 * largest[unit])
        << "unit " << unit;
  }
}

/// Section reports add up to the recording, and a section's units hold its spikes alone.
inline void expect_sections_agree(const Clustering& clustering, const SpikeFeatures& spikes) {
  const std::vector<Section> sections = make_sections(spikes);
  ASSERT_EQ(clustering.sections.size(), sections.size());
  std::int32_t next_unit = 0;
  for (std::size_t s = 0; s < sections.size(); ++s) {
    const SectionReport& report = clustering.sections[s];
    EXPECT_EQ(report.spikes, static_cast<std::int64_t>(sections[s].spikes.size()));
    EXPECT_EQ(report.first_unit, next_unit);
    EXPECT_GT(report.units, 0);
    EXPECT_LE(report.units, report.leaves);
    EXPECT_EQ(report.tree.joins.size() + 1, static_cast<std::size_t>(report.leaves));
    next_unit += report.units;
    for (const std::int64_t spike : sections[s].spikes) {
      const std::int32_t label = clustering.labels[static_cast<std::size_t>(spike)];
      ASSERT_GE(label, report.first_unit);
      ASSERT_LT(label, next_unit);
    }
  }
  EXPECT_EQ(next_unit, static_cast<std::int32_t>(clustering.n_units()));
}

inline void expect_well_formed(const Clustering& clustering, const SpikeFeatures& spikes) {
  expect_all_labelled(clustering, spikes);
  if (testing::Test::HasFatalFailure()) return;
  expect_templates_are_means(clustering, spikes);
  expect_sections_agree(clustering, spikes);
}

}  // namespace kokkosort::test
