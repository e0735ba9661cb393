#pragma once

#include "kokkosort/io/pending_file.hpp"
#include "kokkosort/io/run_record.hpp"
#include "kokkosort/io/templates_file.hpp"
#include "kokkosort/matching/match.hpp"

namespace kokkosort {

/// Writes matched.h5 (DESIGN, section 8) and commits it: spikes in the layout of spike features, group
/// `matched`, so that read_features() and the command `cluster` take it, and the templates that were matched.
/// A spike's centre is its template. Equal matchings are equal bytes in every dataset and attribute outside
/// /run.
///
/// @param set  sampling rate and spacings are known by now
/// @throws std::runtime_error if the disk does not take it; then nothing is left of it
void write_matched(PendingFile& file, const TemplateSet& set, const Matching& matching, const RunRecord& run);

}  // namespace kokkosort
