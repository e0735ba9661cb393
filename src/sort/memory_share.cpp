#include "sort/memory_share.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <stdexcept>

#include "core/instantiate.hpp"
#include "kokkosort/errors.hpp"

namespace kokkosort {
namespace {

/// The stages' limits of device memory.
template <class Body>
void for_each_limit(SortOptions& options, const Body& body) {
  for (std::size_t* const limit :
       {&options.preprocessing.device_limit_bytes, &options.detection.device_limit_bytes,
        &options.clustering.device_limit_bytes, &options.templates.device_limit_bytes,
        &options.matching.device_limit_bytes, &options.curation.device_limit_bytes})
    body(*limit);
}

std::size_t smallest_limit(SortOptions& options) {
  std::size_t smallest = options.matching.device_limit_bytes;
  for_each_limit(options, [&](std::size_t limit) { smallest = std::min(smallest, limit); });
  return smallest;
}

/// Of an error: the host's has no words of its own.
std::string words_of(const std::exception& error) {
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr ? "the host has no more" : error.what();
}

}  // namespace

bool ran_out_of_memory(const std::exception& error) {
  // Kokkos has no type for it, and CUDA's and HIP's libraries have words alone.
  const std::string words = error.what();
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
         words.find("failed to allocate") != std::string::npos ||
         words.find("out of memory") != std::string::npos;
}

template <class Exec>
MemoryShare<Exec>::MemoryShare(const Exec& exec, Recording& recording, const SortOptions& options,
                               Progress& progress)
    : recording_(recording), progress_(progress), given_(options), options_(options) {
  if (runs_on_host<Exec>) return;
  const std::size_t share = resident_share(recording, smallest_limit(given_));
  try {
    resident_.emplace(exec, recording, share);
  } catch (const std::exception& error) {
    if (!ran_out_of_memory(error)) throw;
    progress_.note("memory ran out (" + words_of(error) + "): the recording does not stay on the device");
    resident_.emplace(exec, recording, 0);
  }
  for_each_limit(options_, [&](std::size_t& limit) { limit -= resident_->device_bytes(); });
}

template <class Exec>
bool MemoryShare<Exec>::release_recording() {
  if (!resident_ || resident_->device_bytes() == 0) return false;
  resident_->release();
  options_ = given_;
  return true;
}

template <class Exec>
void MemoryShare<Exec>::halve_limits(const std::exception& error) {
  constexpr std::size_t least = std::size_t{1} << 20;
  ran_out_ = words_of(error);
  if (smallest_limit(given_) / 2 < least)
    throw std::runtime_error("memory ran out (" + ran_out_ + "), however little is taken at once");
  for_each_limit(given_, [](std::size_t& limit) { limit /= 2; });
  options_ = given_;
  progress_.note(fmt::format("memory ran out ({}): goes on as with memory.device_limit_mb = {}", ran_out_,
                             smallest_limit(given_) >> 20));
}

template <class Exec>
void MemoryShare<Exec>::give_up(const DeviceLimitError& error) const {
  if (ran_out_.empty()) throw DeviceLimitError(error);
  throw std::runtime_error(
      fmt::format("memory ran out ({}), and less does not do: {}", ran_out_, error.what()));
}

#define INSTANTIATE(Exec) template class MemoryShare<Exec>;
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
