#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "driver/deck_key.hpp"
#include "kokkosort/io/run_record.hpp"

namespace kokkosort {

/// Something that the binary's best backend can run on: a graphics card, or the processor.
struct Device {
  std::string name;
  std::size_t memory_bytes = 0;
  std::size_t free_bytes = 0;  // that no program had taken when the Runtime began; 0: not asked
};

/// The devices that --device counts; none if the backend finds no card.
std::vector<Device> list_devices();

/// "Serial, OpenMP", …: the execution spaces built in.
std::string enabled_backends();

/// Names and versions of this program, the libraries it stands on and the compiler.
std::vector<std::pair<std::string, std::string>> versions();

/// Now, as ISO 8601 in UTC.
std::string utc_now();

/// What is known of a run before it begins: all but times and ledger. Kokkos is initialised.
RunRecord describe_run(const std::string& command, const DeckKeys& keys, const Device& device);

/// Kokkos, from construction to destruction.
class Runtime {
 public:
  /// @param device   -1: the environment's choice, else the first
  /// @param threads  of the host; 0: choose_threads()
  /// @throws InputError if there is no such device, or the environment's choice is none
  Runtime(int device, int threads);

  const Device& device() const { return device_; }

 private:
  Device device_;
  Kokkos::ScopeGuard guard_;
};

}  // namespace kokkosort
