#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "kokkosort/transfer_ledger.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {

/// A device copy of a host array; done when it returns, so the host array may go.
template <class Exec, class T>
Vector<T, Exec> upload_vector(const Exec& exec, TransferLedger& ledger, const std::string& stage, const std::string& what,
                              const std::vector<T>& values) {
  const std::string label = "kokkosort::" + stage + "::" + what;
  const HostVector<const T> from(values.data(), values.size());
  const Vector<T, Exec> to(unfilled(exec, label), values.size());
  copy_up(exec, ledger, stage, what, to, from);
  exec.fence(label);
  return to;
}

}  // namespace kokkosort
