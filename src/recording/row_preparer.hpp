#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kokkosort/transfer_ledger.hpp"
#include "recording/high_pass.hpp"
#include "recording/stored_window.hpp"

namespace kokkosort {

/// Which samples a window of traces takes.
struct RowPlan {
  bool is_filtered = false;
  HighPass filter;
  std::int64_t n_samples = 0;  // of the recording

  RowPlan() = default;
  RowPlan(const TracePreparation& preparation, std::int64_t samples);

  /// Samples that come out: the window's that are in the recording, and the rest of their blocks.
  SampleRange rows(SampleRange window) const;
  /// Samples that must be stored for it.
  SampleRange stored(SampleRange window) const;
  std::vector<SampleRange> stored(const std::vector<SampleRange>& windows) const;
};

/// Makes stored samples into rows: the recording's channels picked, filtered, referenced.
template <class Exec>
class RowPreparer {
 public:
  /// @param windows        that will be prepared
  /// @param stage          for the ledger
  /// @param scratch_floats  that the caller wants of scratch()
  RowPreparer(const Exec& exec, const TracePreparation& preparation, const RowPlan& plan,
              const std::vector<SampleRange>& windows, std::size_t scratch_floats, const std::string& stage,
              TransferLedger& ledger);

  /// The rows of one of the windows, and maybe some before and after; they stay until the next call.
  /// @param exec    not fenced on return
  /// @param stored  plan.stored(window) or more
  SampleRows<Exec> prepare(const Exec& exec, const StoredWindow<Exec>& stored, SampleRange window) const;

  const Vector<std::int32_t, Exec>& column() const { return column_; }

  /// Memory that is free while rows are there.
  const Vector<float, Exec>& scratch() const { return scratch_; }

  /// Floats that the constructor allocates.
  static std::size_t floats(const TracePreparation& preparation, const RowPlan& plan,
                            const std::vector<SampleRange>& windows, std::size_t scratch_floats);

 private:
  RowPlan plan_;
  double offset_;
  Vector<std::int32_t, Exec> column_;      // [channels]
  Vector<std::int32_t, Exec> referenced_;  // channels whose median is taken away
  Vector<float, Exec> scratch_;
  Vector<float, Exec> rows_;
};

}  // namespace kokkosort
