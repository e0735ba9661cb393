#include "recording/window_reader.hpp"

#include <algorithm>
#include <utility>

#include "core/instantiate.hpp"

namespace kokkosort {
namespace {

/// Samples of the longest range that the recording does not keep on the device.
template <class Exec>
std::size_t longest_read(const ResidentRecording<Exec>* resident, const std::vector<SampleRange>& ranges) {
  if (resident == nullptr) return longest_of(ranges);
  std::size_t longest = 0;
  for (const SampleRange& range : ranges)
    if (!resident->keeps(range)) longest = std::max(longest, range.size());
  return longest;
}

}  // namespace

std::size_t longest_of(const std::vector<SampleRange>& ranges) {
  std::size_t longest = 0;
  for (const SampleRange& range : ranges) longest = std::max(longest, range.size());
  return longest;
}

template <class Exec>
WindowReader<Exec>::WindowReader(const Exec& exec, Recording& recording, std::vector<SampleRange> ranges,
                                 const std::string& stage, TransferLedger& ledger, StageTimes& times)
    : exec_(exec),
      recording_(recording),
      resident_(dynamic_cast<ResidentRecording<Exec>*>(&recording)),
      ranges_(std::move(ranges)),
      stage_(stage),
      ledger_(ledger),
      times_(times),
      reader_(resident_ != nullptr ? resident_->reader() : own_reader_.emplace(exec, recording)) {
  reader_.reserve(longest_of(ranges_));
  for (auto& buffer : buffers_)
    buffer = Vector<unsigned char, Exec>(unfilled(exec_, "kokkosort::recording::window"),
                                         reader_.bytes(longest_read(resident_, ranges_)));
  begin_reading();
}

template <class Exec>
WindowReader<Exec>::~WindowReader() {
  if (reading_.valid()) reading_.wait();
}

template <class Exec>
Vector<unsigned char, Exec> WindowReader<Exec>::place_of(std::size_t i) const {
  const SampleRange range = ranges_[i];
  if (resident_ != nullptr && resident_->keeps(range)) return resident_->samples(range);
  return Kokkos::subview(buffers_[i % 2], std::make_pair(std::size_t{0}, reader_.bytes(range.size())));
}

template <class Exec>
void WindowReader<Exec>::begin_reading() {
  if (next_ == ranges_.size()) return;
  const SampleRange range = ranges_[next_];
  if (resident_ != nullptr && resident_->keeps(range)) {
    reading_ = std::async(std::launch::async, [this, range] { return resident_->fill(range); });
    return;
  }
  unsigned char* const to = buffers_[next_ % 2].data();
  reading_ = std::async(std::launch::async, [this, range, to] {
    reader_.read(range, to);
    return reader_.bytes(range.size());
  });
}

template <class Exec>
StoredWindow<Exec> WindowReader<Exec>::next() {
  std::size_t bytes = 0;
  {
    // Fences at its end: what was queued has used the other buffer, which may be read into then.
    const ScopedStage<Exec> stage(exec_, times_, stage_ + "::wait for reading");
    bytes = reading_.get();
  }
  if (bytes > 0) ledger_.record(stage_, "window", Direction::up, bytes);
  const std::size_t i = next_++;
  begin_reading();
  return {place_of(i), recording_.type(), recording_.n_channels(), ranges_[i]};
}

template <class Exec>
std::size_t WindowReader<Exec>::device_bytes(const Recording& recording,
                                             const std::vector<SampleRange>& ranges) {
  return 2 * longest_read(dynamic_cast<const ResidentRecording<Exec>*>(&recording), ranges) *
         recording.n_channels() * bytes_of(recording.type());
}

#define INSTANTIATE(Exec) template class WindowReader<Exec>;
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
