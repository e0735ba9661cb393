#pragma once

#include "io/hdf5.hpp"
#include "kokkosort/io/run_record.hpp"

namespace kokkosort {

/// Writes the group /run of a result file (DESIGN, section 8).
void write_run(hdf5::OutputFile& file, const RunRecord& run);

}  // namespace kokkosort
