#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "io/hdf5.hpp"

namespace kokkosort::hdf5 {

/// Writes one member, or what a function makes of it, of all rows as a dataset.
template <class Row, class Member>
void write_column(OutputFile& file, const std::string& name, const std::vector<Row>& rows, Member member) {
  using Value = std::remove_cvref_t<std::invoke_result_t<Member, const Row&>>;
  std::vector<Value> column;
  column.reserve(rows.size());
  for (const Row& row : rows) column.push_back(std::invoke(member, row));
  file.write(name, {column.size()}, column.data());
}

}  // namespace kokkosort::hdf5
