#include "kokkosort/recording/recording_slice.hpp"

#include <fmt/format.h>

#include "core/counted.hpp"
#include "kokkosort/errors.hpp"
#include "recording/reading.hpp"

namespace kokkosort {

RecordingSlice::RecordingSlice(Recording& whole, std::int64_t first, std::int64_t last)
    : whole_(whole), first_(first), last_(last) {
  if (first < 0 || last <= first || last > whole.n_samples())
    throw InputError(
        fmt::format("samples from {} to before {} are no part of a recording of {}; choose a part of it",
                    first, last, counted(whole.n_samples(), "sample")));
}

void RecordingSlice::read(std::int64_t first, std::size_t count, void* to) {
  check_range(*this, first, count);
  whole_.read(first_ + first, count, to);
}

}  // namespace kokkosort
