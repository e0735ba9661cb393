#include "recording/window_reader.hpp"

#include <algorithm>
#include <utility>

#include "core/instantiate.hpp"
#include "core/transfers.hpp"

namespace kokkosort {

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
      ranges_(std::move(ranges)),
      stage_(stage),
      ledger_(ledger),
      times_(times) {
  const std::size_t longest = bytes(longest_of(ranges_));
  for (auto& buffer : buffers_)
    buffer = StagingVector<unsigned char, Exec>(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "kokkosort::recording::window_on_host"), longest);
  on_device_ = Vector<unsigned char, Exec>(unfilled(exec_, "kokkosort::recording::window"),
                                           runs_on_host<Exec> ? 0 : longest);
  begin_reading();
}

template <class Exec>
WindowReader<Exec>::~WindowReader() {
  if (reading_.valid()) reading_.wait();
}

template <class Exec>
std::size_t WindowReader<Exec>::bytes(std::size_t n_samples) const {
  return n_samples * recording_.n_channels() * bytes_of(recording_.type());
}

template <class Exec>
void WindowReader<Exec>::begin_reading() {
  if (next_ == ranges_.size()) return;
  const SampleRange range = ranges_[next_];
  unsigned char* const to = buffers_[next_ % 2].data();
  reading_ =
      std::async(std::launch::async, [this, range, to] { recording_.read(range.first, range.size(), to); });
}

template <class Exec>
StoredWindow<Exec> WindowReader<Exec>::next() {
  {
    // Fences at its end: what was queued has used the other buffer, which may be read into then.
    const ScopedStage<Exec> stage(exec_, times_, stage_ + "::wait for reading");
    reading_.get();
  }
  const SampleRange range = ranges_[next_];
  const StagingVector<unsigned char, Exec> read(
      Kokkos::subview(buffers_[next_ % 2], std::make_pair(std::size_t{0}, bytes(range.size()))));
  ++next_;
  begin_reading();
  return {bring_up(exec_, ledger_, stage_, "window", on_device_, read), recording_.type(),
          recording_.n_channels(), range};
}

#define INSTANTIATE(Exec) template class WindowReader<Exec>;
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
