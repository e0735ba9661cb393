#pragma once

#include <filesystem>
#include <vector>

#include "kokkosort/io/pending_file.hpp"
#include "kokkosort/io/run_record.hpp"
#include "sweep/run_sweep.hpp"

namespace kokkosort {

/// Writes sweep.h5, which is still to be committed: tunables/NAME i8 [points], seconds f8 [points, repeats], flops and bytes
/// f8 [points] (0: not counted), kernel_launches u8 [points], high_water/SPACE u8 [points], /run.
/// @throws std::runtime_error if the disk does not take it
void write_sweep(const PendingFile& file, const SweepProblem& problem, const SweepPlan& plan,
                 const std::vector<SweepPoint>& points, const RunRecord& run);

/// Writes sweep.csv, which is still to be committed: a row a point with median, quartiles, rates and memory; the run in
/// comment lines.
/// @throws std::runtime_error if the disk does not take it
void write_sweep_csv(const PendingFile& file, const SweepProblem& problem, const SweepPlan& plan,
                     const std::vector<SweepPoint>& points, const RunRecord& run);

}  // namespace kokkosort
