#pragma once
// HDF5 takes the nearest integer that fits where a value does not fit the type in memory,
// and misreads big-endian unsigned ones of the same size. So integers of other types are read in full width
// first.

#include <fmt/format.h>
#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace kokkosort::hdf5 {

/// Whether all integers of an HDF5 type are integers of T.
template <class T>
bool always_fits(hid_t type) {
  const std::size_t value_bits = H5Tget_precision(type) - (H5Tget_sign(type) == H5T_SGN_2 ? 1 : 0);
  return value_bits <= std::size_t{std::numeric_limits<T>::digits};
}

/// "from -128 to 127".
template <class T>
std::string allowed_values() {
  return fmt::format("from {} to {}", std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max());
}

/// An integer attribute that does not fit T, in digits. Empty if it fits.
template <class T>
std::string attribute_misfit(hid_t attribute, hid_t type) {
  if constexpr (std::is_integral_v<T>) {
    const auto misfit = [attribute](hid_t native, auto wide) {
      H5Aread(attribute, native, &wide);
      return std::in_range<T>(wide) ? std::string() : std::to_string(wide);
    };
    return H5Tget_sign(type) == H5T_SGN_2 ? misfit(H5T_NATIVE_INT64, std::int64_t{0})
                                          : misfit(H5T_NATIVE_UINT64, std::uint64_t{0});
  }
  return {};
}

}  // namespace kokkosort::hdf5
