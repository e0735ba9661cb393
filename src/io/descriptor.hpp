#pragma once

#include <unistd.h>

#include <utility>

namespace kokkosort {

/// Owns a file descriptor. Negative: none.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }

  int get() const { return number_; }

 private:
  int number_;
};

}  // namespace kokkosort
