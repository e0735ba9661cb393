#pragma once

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <mutex>
#include <string>

namespace kokkosort {

/// Calls body(i) for each i below n on all threads of the host, in any order, and returns when all are done:
/// for what the host does itself, section by section or template by template. A body must not depend on what
/// another one writes. What bodies throw is thrown on when all are done: of several the one of the smallest
/// i.
/// @param what  "stage::what", for tools
template <class Body>
void host_loop(const std::string& what, std::size_t n, const Body& body) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  std::mutex mutex;
  std::exception_ptr failure;
  std::size_t failed = n;
  Kokkos::RangePolicy<Host, Kokkos::Schedule<Kokkos::Dynamic>> policy(Host(), 0, n);
  policy.set_chunk_size(1);
  Kokkos::parallel_for("kokkosort::on_host::" + what, policy, [&](const std::size_t i) {
    try {
      body(i);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex);
      if (i < failed) failure = std::current_exception();
      failed = std::min(failed, i);
    }
  });
  Host().fence("kokkosort::on_host::" + what);
  if (failure) std::rethrow_exception(failure);
}

/// The same for n things that are little work each: calls body(first, last) for blocks of neighbours, of
/// which all but the last are of this size.
template <class Body>
void host_blocks(const std::string& what, std::size_t n, const Body& body, std::size_t block = 2048) {
  host_loop(what, (n + block - 1) / block,
            [&](std::size_t i) { body(i * block, std::min(n, (i + 1) * block)); });
}

/// Copies an array that does not fit caches, on all threads of the host: they also share the work of memory
/// that is touched for the first time.
template <class T>
void host_copy(const std::string& what, const T* from, std::size_t n, T* to) {
  constexpr std::size_t block = std::size_t{1} << 16;
  host_blocks(
      what, n, [=](std::size_t first, std::size_t last) { std::copy(from + first, from + last, to + first); },
      block);
}

}  // namespace kokkosort
