#pragma once

#include <cstddef>
#include <string>

#include "kokkosort/transfer_ledger.hpp"
#include "recording/stored_window.hpp"

namespace kokkosort {

/// Sums of products of channels, over windows.
template <class Exec>
class Covariance {
 public:
  Covariance(const Exec& exec, std::size_t n_channels, std::size_t longest_window);

  /// @param exec   not fenced on return
  /// @param window  samples of the rows that count
  void add(const Exec& exec, const SampleRows<Exec>& rows, SampleRange window);

  /// The mean product of each pair of channels, [channels, channels].
  HostMatrix<double> mean(const Exec& exec, const std::string& stage, TransferLedger& ledger) const;

  /// That the constructor allocates.
  static std::size_t device_bytes(std::size_t n_channels, std::size_t longest_window);

 private:
  std::size_t n_channels_;
  std::size_t n_samples_ = 0;
  Vector<float, Exec> products_;  // [chunks, channels, channels], of a window
  Matrix<double, Exec> sums_;     // [channels, channels]
};

}  // namespace kokkosort
