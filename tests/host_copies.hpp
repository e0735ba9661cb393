#pragma once

#include <vector>

#include "kokkosort/types.hpp"

namespace kokkosort::test {

/// A View's values in host memory, row after row.
template <class DeviceView>
std::vector<typename DeviceView::non_const_value_type> to_host(const DeviceView& view) {
  const auto mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return {mirror.data(), mirror.data() + mirror.size()};
}

template <class Exec, class T>
Vector<T, Exec> to_device(const std::vector<T>& values) {
  const Vector<T, Exec> to("kokkosort::test::vector", values.size());
  const HostVector<const T> from(values.data(), values.size());
  Kokkos::deep_copy(to, from);
  return to;
}

/// @param values  row after row
template <class Exec, class T>
Matrix<T, Exec> to_device(const std::vector<T>& values, std::size_t rows, std::size_t columns) {
  const Matrix<T, Exec> to("kokkosort::test::matrix", rows, columns);
  const HostMatrix<const T> from(values.data(), rows, columns);
  Kokkos::deep_copy(to, from);
  return to;
}

}  // namespace kokkosort::test
