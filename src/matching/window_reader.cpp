#include "matching/window_reader.hpp"

#include <algorithm>

#include "core/instantiate.hpp"

namespace kokkosort {

SampleRange stored_range(const WindowExtent& window, int nt, std::int64_t n_samples) {
  const std::int64_t first = window.first - nt / 2;
  return {std::clamp<std::int64_t>(first, 0, n_samples),
          std::clamp<std::int64_t>(first + window.n_samples, 0, n_samples)};
}

std::size_t longest_window_bytes(const Recording& recording, const std::vector<WindowExtent>& windows,
                                 int nt) {
  std::size_t longest = 0;
  for (const WindowExtent& window : windows)
    longest = std::max(longest, stored_range(window, nt, recording.n_samples()).size());
  return longest * recording.n_channels() * bytes_of(recording.type());
}

template <class Exec>
WindowReader<Exec>::WindowReader(Recording& recording, const std::vector<WindowExtent>& windows, int nt)
    : recording_(recording), windows_(windows), nt_(nt) {
  const std::size_t bytes = longest_window_bytes(recording, windows, nt);
  for (auto& buffer : buffers_)
    buffer = StagingVector<unsigned char, Exec>(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "kokkosort::matching::window_on_host"), bytes);
  begin_reading();
}

template <class Exec>
WindowReader<Exec>::~WindowReader() {
  if (reading_.valid()) reading_.wait();
}

template <class Exec>
void WindowReader<Exec>::begin_reading() {
  if (next_ == windows_.size()) return;
  const SampleRange range = stored_range(windows_[next_], nt_, recording_.n_samples());
  unsigned char* const to = buffers_[next_ % 2].data();
  reading_ =
      std::async(std::launch::async, [this, range, to] { recording_.read(range.first, range.size(), to); });
}

template <class Exec>
StagingVector<unsigned char, Exec> WindowReader<Exec>::next() {
  reading_.get();
  const auto& buffer = buffers_[next_ % 2];
  const SampleRange range = stored_range(windows_[next_], nt_, recording_.n_samples());
  ++next_;
  begin_reading();
  const std::size_t bytes = range.size() * recording_.n_channels() * bytes_of(recording_.type());
  return Kokkos::subview(buffer, std::make_pair(std::size_t{0}, bytes));
}

#define INSTANTIATE(Exec) template class WindowReader<Exec>;
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
