#pragma once

#include <string>

namespace kokkosort {

/// A text without line ends and what else a terminal would obey: names in files may contain anything.
inline std::string one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return text;
}

}  // namespace kokkosort
