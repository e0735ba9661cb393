#pragma once

#include <string>

namespace kokkosort {

/// A Python string literal of a path: plain ASCII, whatever bytes the path has. Bytes that are no UTF-8
/// become what Python's file functions take for them.
std::string python_literal(const std::string& path);

}  // namespace kokkosort
