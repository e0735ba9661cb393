#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kokkosort/recording/preparation.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {

/// Samples [first, last). May lie outside a recording, where traces are zero.
struct SampleRange {
  std::int64_t first;
  std::int64_t last;

  std::size_t size() const { return static_cast<std::size_t>(last - first); }
};

/// Brings a recording's windows to the device as whitened traces, one after the other: each is read while the
/// one before is worked on, goes up once as stored, and is prepared there.
///
/// What becomes of a sample does not depend on the window it is in, to the last bit: the filter works in
/// blocks that begin at fixed samples of the recording.
template <class Exec>
class TraceLoader {
 public:
  /// @param recording  must stay
  /// @param windows  in ascending order; they may overlap, leave samples out, or lie outside the recording
  /// @param order    [channels], the channel of each row of the traces; empty: 0, 1, …
  /// @param stage    for the ledger and the times: "matching"
  /// @param ledger, times  must stay
  TraceLoader(const Exec& exec, PreparedRecording recording, std::vector<SampleRange> windows,
              const std::vector<std::int32_t>& order, const std::string& stage, TransferLedger& ledger,
              StageTimes& times);
  ~TraceLoader();
  TraceLoader(const TraceLoader&) = delete;
  TraceLoader& operator=(const TraceLoader&) = delete;

  /// Fills the first columns of `traces` with the next window; exec is fenced on return.
  /// @param traces  [channels, at least the window's samples]; further columns become zero
  /// @throws InputError if the recording cannot be read, std::out_of_range if there is no further window
  void next(const Matrix<float, Exec>& traces);

  /// Device bytes that a loader takes, besides the traces.
  static std::size_t device_bytes(const PreparedRecording& recording,
                                  const std::vector<SampleRange>& windows);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kokkosort
