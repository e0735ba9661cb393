#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "kokkosort/types.hpp"

namespace kokkosort {

enum class Direction { up, down };  // to the device, to the host

/// Counts the bytes that cross between host and device, by stage and by what crosses (DESIGN, section 2).
class TransferLedger {
 public:
  struct Key {
    std::string stage;
    std::string what;
    Direction direction;
    auto operator<=>(const Key&) const = default;
  };
  struct Entry {
    std::size_t bytes = 0;
    std::size_t copies = 0;
  };

  void record(const std::string& stage, const std::string& what, Direction direction, std::size_t bytes) {
    Entry& entry = entries_[{stage, what, direction}];
    entry.bytes += bytes;
    ++entry.copies;
  }

  const std::map<Key, Entry>& entries() const { return entries_; }

 private:
  std::map<Key, Entry> entries_;
};

/// Copies host data to the device; queued on exec, the host array must stay until exec is fenced. Every copy in
/// the project goes through this function or copy_down, so that the ledger is complete.
template <class Exec, class Device, class Host>
void copy_up(const Exec& exec, TransferLedger& ledger, const std::string& stage, const std::string& what,
             const Device& to, const Host& from) {
  Kokkos::deep_copy(exec, to, from);
  ledger.record(stage, what, Direction::up, from.span() * sizeof(typename Host::value_type));
}

/// Copies device data to the host and waits for it.
template <class Exec, class Host, class Device>
void copy_down(const Exec& exec, TransferLedger& ledger, const std::string& stage, const std::string& what,
               const Host& to, const Device& from) {
  Kokkos::deep_copy(exec, to, from);
  exec.fence("kokkosort::" + stage + "::" + what);
  ledger.record(stage, what, Direction::down, to.span() * sizeof(typename Host::value_type));
}

}  // namespace kokkosort
