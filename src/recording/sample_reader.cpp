#include "recording/sample_reader.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <future>
#include <thread>

#include "core/instantiate.hpp"

namespace kokkosort {
namespace {

/// Beside a GPU the host has little else to do; more than eight threads hardly read faster.
template <class Exec>
std::size_t usual_threads() {
  constexpr std::size_t most = 8;
  if (runs_on_host<Exec>) return 1;
  return std::clamp<std::size_t>(std::thread::hardware_concurrency() / 2, 1, most);
}

template <class Exec>
Exec instance_for_copies(const Exec& exec) {
  using namespace Kokkos::Experimental;  // where partition_space is in Kokkos 4
  using namespace Kokkos;
  if constexpr (runs_on_host<Exec>)
    return exec;
  else
    return partition_space(exec, 1)[0];
}

/// What a thread could not read.
struct Failure {
  std::size_t piece = 0;
  std::exception_ptr reason;
};

void rethrow_first(const std::vector<Failure>& failures) {
  const Failure* first = nullptr;
  for (const Failure& failure : failures)
    if (failure.reason && (first == nullptr || failure.piece < first->piece)) first = &failure;
  if (first != nullptr) std::rethrow_exception(first->reason);
}

}  // namespace

template <class Exec>
SampleReader<Exec>::SampleReader(const Exec& exec, Recording& recording, const ReadingOptions& options)
    : copies_(instance_for_copies(exec)),
      recording_(recording),
      piece_bytes_(options.piece_bytes),
      buffers_(!recording.reads_in_parallel() ? 1
               : options.threads > 0          ? options.threads
                                              : usual_threads<Exec>()) {}

template <class Exec>
std::size_t SampleReader<Exec>::bytes(std::size_t n_samples) const {
  return n_samples * recording_.n_channels() * bytes_of(recording_.type());
}

/// Of a recording that one thread reads, a piece is all: a file may be made of compressed chunks, which it
/// would read several times.
template <class Exec>
std::size_t SampleReader<Exec>::piece_samples(std::size_t n_samples) const {
  if (!recording_.reads_in_parallel()) return n_samples;
  return std::clamp<std::size_t>(piece_bytes_ / bytes(1), 1, std::max<std::size_t>(n_samples, 1));
}

template <class Exec>
void SampleReader<Exec>::reserve(std::size_t n_samples) {
  if (runs_on_host<Exec>) return;
  const std::size_t needed = bytes(piece_samples(n_samples));
  for (Buffer& buffer : buffers_)
    if (buffer.size() < needed)
      buffer = Buffer(Kokkos::view_alloc(Kokkos::WithoutInitializing, "kokkosort::recording::window_on_host"),
                      needed);
}

template <class Exec>
void SampleReader<Exec>::read_piece(SampleRange piece, unsigned char* to, const Buffer& buffer) {
  if constexpr (runs_on_host<Exec>) {
    recording_.read(piece.first, piece.size(), to);
  } else {
    recording_.read(piece.first, piece.size(), buffer.data());
    const auto used = std::make_pair(std::size_t{0}, bytes(piece.size()));
    const Vector<unsigned char, Exec> there(to, used.second);
    const std::lock_guard<std::mutex> lock(copying_);
    Kokkos::deep_copy(copies_, there, Kokkos::subview(buffer, used));
    copies_.fence("kokkosort::recording::window");
  }
}

template <class Exec>
void SampleReader<Exec>::read(SampleRange range, unsigned char* to) {
  const std::size_t length = piece_samples(range.size());
  const std::size_t n_pieces = length == 0 ? 0 : (range.size() + length - 1) / length;
  std::atomic<std::size_t> next{0};
  const auto read_some = [&](const Buffer& buffer) {
    Failure failure;
    try {
      while ((failure.piece = next++) < n_pieces) {
        const std::size_t first = failure.piece * length;
        const std::size_t last = std::min(first + length, range.size());
        read_piece(
            {range.first + static_cast<std::int64_t>(first), range.first + static_cast<std::int64_t>(last)},
            to + bytes(first), buffer);
      }
    } catch (...) {
      failure.reason = std::current_exception();
    }
    return failure;
  };
  std::vector<std::future<Failure>> others;
  for (std::size_t i = 1; i < std::min(buffers_.size(), n_pieces); ++i)
    others.push_back(std::async(std::launch::async, read_some, std::cref(buffers_[i])));
  std::vector<Failure> failures = {read_some(buffers_[0])};
  for (std::future<Failure>& other : others) failures.push_back(other.get());
  rethrow_first(failures);
}

#define INSTANTIATE(Exec) template class SampleReader<Exec>;
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
