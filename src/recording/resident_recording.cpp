#include "recording/resident_recording.hpp"

#include <algorithm>
#include <utility>

#include "core/instantiate.hpp"

namespace kokkosort {
namespace {

std::size_t sample_bytes(const Recording& recording) {
  return recording.n_channels() * bytes_of(recording.type());
}

}  // namespace

std::size_t resident_share(const Recording& recording, std::size_t limit_bytes) {
  const std::size_t all = static_cast<std::size_t>(recording.n_samples()) * sample_bytes(recording);
  const std::size_t share = std::min(all, limit_bytes / 2);
  return share < all / 4 ? 0 : share;
}

template <class Exec>
ResidentRecording<Exec>::ResidentRecording(const Exec& exec, Recording& whole, std::size_t most_bytes,
                                           const ReadingOptions& reading)
    : whole_(whole),
      reader_(exec, whole, reading),
      n_kept_(std::min(whole.n_samples(), static_cast<std::int64_t>(most_bytes / sample_bytes(whole)))),
      kept_(unfilled(exec, "kokkosort::recording::resident"),
            static_cast<std::size_t>(n_kept_) * sample_bytes(whole)) {}

template <class Exec>
std::size_t ResidentRecording<Exec>::fill(SampleRange range) {
  std::size_t n_read = 0;
  for (const SampleRange& gap : filled_.missing(range)) {
    reader_.read(gap, samples(gap).data());
    n_read += reader_.bytes(gap.size());
  }
  filled_.add(range);
  return n_read;
}

template <class Exec>
Vector<unsigned char, Exec> ResidentRecording<Exec>::samples(SampleRange range) const {
  const std::size_t first = static_cast<std::size_t>(range.first) * sample_bytes(whole_);
  return Kokkos::subview(kept_, std::make_pair(first, first + range.size() * sample_bytes(whole_)));
}

template <class Exec>
void ResidentRecording<Exec>::release() {
  n_kept_ = 0;
  kept_ = {};
  filled_ = {};
}

#define INSTANTIATE(Exec) template class ResidentRecording<Exec>;
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
