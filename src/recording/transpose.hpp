#pragma once

#include "recording/stored_window.hpp"

namespace kokkosort {

/// What becomes of samples that are transposed: traces(row, t) = scale(row) · (sample(t, column(row)) −
/// offset).
template <class Exec>
struct Transposition {
  Vector<std::int32_t, Exec> column;  // [rows]
  Vector<float, Exec> scale;          // [rows]
  double offset = 0.0;
};

/// Fills traces [rows, samples from `first` on] with the samples of `inside`; zero elsewhere.
/// @param exec    not fenced on return
/// @param inside  samples of the recording; all stored
template <class Exec>
void transpose(const Exec& exec, const StoredWindow<Exec>& stored, const Transposition<Exec>& how,
               SampleRange inside, std::int64_t first, const MatrixRef<float, Exec>& traces);

/// Likewise from samples that are numbers already.
template <class Exec>
void transpose(const Exec& exec, const SampleRows<Exec>& rows, const Transposition<Exec>& how,
               SampleRange inside, std::int64_t first, const MatrixRef<float, Exec>& traces);

/// Picks the recording's channels out of stored samples.
/// @param exec    not fenced on return
/// @param column  [channels]
/// @param to      [at least the range's samples · channels]
template <class Exec>
SampleRows<Exec> convert(const Exec& exec, const StoredWindow<Exec>& stored,
                         const Vector<std::int32_t, Exec>& column, double offset,
                         const Vector<float, Exec>& to);

}  // namespace kokkosort
