#pragma once

#include <stdexcept>
#include <string>

namespace kokkosort {

/// Something the user gave is wrong: a deck, a file, a value. The message is one line that names the file
/// or key, what is wrong with it and what would do. The program ends with exit code 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A stage's limit of device memory is too small for it: with a larger one it can be run again.
class DeviceLimitError : public InputError {
 public:
  using InputError::InputError;
};

/// The run was told to end, and has saved what it had.
class Stopped : public std::runtime_error {
 public:
  Stopped() : std::runtime_error("told to end") {}
};

}  // namespace kokkosort
