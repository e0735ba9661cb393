#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "kokkosort/transfer_ledger.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {

/// A device copy of a host array; done when it returns, so the host array may go.
template <class Exec, class T>
Vector<T, Exec> upload_vector(const Exec& exec, TransferLedger& ledger, const std::string& stage,
                              const std::string& what, const std::vector<T>& values) {
  const std::string label = "kokkosort::" + stage + "::" + what;
  const HostVector<const T> from(values.data(), values.size());
  const Vector<T, Exec> to(unfilled(exec, label), values.size());
  copy_up(exec, ledger, stage, what, to, from);
  exec.fence(label);
  return to;
}

/// Likewise of a matrix.
template <class Exec, class T>
Matrix<T, Exec> upload_matrix(const Exec& exec, TransferLedger& ledger, const std::string& stage,
                              const std::string& what, const HostMatrix<T>& from) {
  const std::string label = "kokkosort::" + stage + "::" + what;
  const Matrix<T, Exec> to(unfilled(exec, label), from.extent(0), from.extent(1));
  copy_up(exec, ledger, stage, what, to, from);
  exec.fence(label);
  return to;
}

/// Device memory as the host sees it, when it is there: itself where the device is the host, else a copy at
/// the beginning of `staging`.
template <class Exec, class T>
StagingVector<T, Exec> bring_down(const Exec& exec, TransferLedger& ledger, const std::string& stage,
                                  const std::string& what, const StagingVector<T, Exec>& staging,
                                  const Vector<T, Exec>& from) {
  if constexpr (runs_on_host<Exec>) {
    exec.fence("kokkosort::" + stage + "::" + what);
    ledger.record(stage, what, Direction::down, from.size() * sizeof(T));
    return from;
  } else {
    const StagingVector<T, Exec> to(Kokkos::subview(staging, std::make_pair(std::size_t{0}, from.size())));
    copy_down(exec, ledger, stage, what, to, from);
    return to;
  }
}

}  // namespace kokkosort
