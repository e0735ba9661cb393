#pragma once
// Python text that holds plain data, read without Python.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kokkosort {

/// A value that a Python text spells out.
struct PythonValue {
  enum class Kind {
    number,
    text,
    list,
    dict,
    other
  };  // a tuple or range is a list; None, True, False: other

  Kind kind = Kind::other;
  double number = 0.0;
  std::string text;
  std::vector<PythonValue> items;  // of a list; of a dict: key, value, key, value, …

  /// A dict's value of a text key, of several the last; nullptr if there is none.
  const PythonValue* find(std::string_view key) const;
};

/// Reads a text of assignments NAME = VALUE, where values are numbers, strings, lists, tuples, dicts,
/// range(n), range(a, b) or list() of these.
///
/// @param name  whose value is wanted; the last assignment holds
/// @param file  what errors begin with
/// @throws InputError naming the line of anything else, or if the name is not assigned to
PythonValue read_python_value(const std::string& text, const std::string& name, const std::string& file);

}  // namespace kokkosort
