#pragma once

#include <algorithm>
#include <any>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kokkosort/types.hpp"

namespace kokkosort {

using ArrayShape = std::vector<std::size_t>;

/// Values of an array.
using ArrayValues = std::variant<std::vector<float>, std::vector<double>, std::vector<std::int32_t>,
                                 std::vector<std::int64_t>>;

/// An array that is to be saved: its memory, in pieces that follow each other in it.
struct ArrayToSave {
  template <class T>
  using Pieces = std::vector<std::span<const T>>;

  std::string name;
  ArrayShape shape;
  std::variant<Pieces<float>, Pieces<double>, Pieces<std::int32_t>, Pieces<std::int64_t>> pieces;
};

/// What a checkpoint is made of. Vectors are copied and Views stay as long as this does; pieces are borrowed.
class ArraysToSave {
 public:
  ArraysToSave() = default;
  ArraysToSave(ArraysToSave&&) = default;  // copies would be elsewhere, and what is said to lie there is not
  ArraysToSave& operator=(ArraysToSave&&) = default;

  template <class T>
  void add(const std::string& name, ArrayShape shape, ArrayToSave::Pieces<T> pieces) {
    arrays_.push_back({name, std::move(shape), std::move(pieces)});
  }
  template <class T>
  void add(const std::string& name, std::vector<T> values) {
    const auto& copy = std::get<std::vector<T>>(copies_.emplace_back(std::move(values)));
    add<T>(name, {copy.size()}, {{copy.data(), copy.size()}});
  }
  template <class T>
  void add(const std::string& name, const HostMatrix<T>& matrix) {
    add<T>(name, {matrix.extent(0), matrix.extent(1)}, {{matrix.data(), matrix.size()}});
    kept_.emplace_back(matrix);
  }
  template <class T>
  void add(const std::string& name, const HostTensor3<T>& tensor) {
    add<T>(name, {tensor.extent(0), tensor.extent(1), tensor.extent(2)}, {{tensor.data(), tensor.size()}});
    kept_.emplace_back(tensor);
  }
  /// Lets something stay that pieces are of.
  void keep(std::any owner) { kept_.push_back(std::move(owner)); }
  void add_number(const std::string& name, double value) { add(name, std::vector<double>{value}); }

  const std::vector<ArrayToSave>& arrays() const { return arrays_; }
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const ArrayToSave& array : arrays_)
      std::visit(
          [&sum](const auto& pieces) {
            for (const auto& piece : pieces) sum += piece.size_bytes();
          },
          array.pieces);
    return sum;
  }

 private:
  std::vector<ArrayToSave> arrays_;
  std::deque<ArrayValues> copies_;
  std::vector<std::any> kept_;
};

/// An array that was saved.
struct SavedArray {
  ArrayShape shape;
  ArrayValues values;
};

/// What a checkpoint held. Asked for by the names and types they were saved with.
class SavedArrays {
 public:
  explicit SavedArrays(std::map<std::string, SavedArray> arrays) : arrays_(std::move(arrays)) {}

  template <class T>
  std::vector<T>& vector(const std::string& name) {
    return std::get<std::vector<T>>(arrays_.at(name).values);
  }
  template <class T>
  HostMatrix<T> matrix(const std::string& name) {
    const ArrayShape& shape = arrays_.at(name).shape;
    const HostMatrix<T> copy("kokkosort::saved::" + name, shape.at(0), shape.at(1));
    std::copy(vector<T>(name).begin(), vector<T>(name).end(), copy.data());
    return copy;
  }
  template <class T>
  HostTensor3<T> tensor(const std::string& name) {
    const ArrayShape& shape = arrays_.at(name).shape;
    const HostTensor3<T> copy("kokkosort::saved::" + name, shape.at(0), shape.at(1), shape.at(2));
    std::copy(vector<T>(name).begin(), vector<T>(name).end(), copy.data());
    return copy;
  }
  double number(const std::string& name) { return vector<double>(name).at(0); }

 private:
  std::map<std::string, SavedArray> arrays_;
};

/// Where a long run keeps what it has finished, for another run to go on from there, and where it hears that
/// it is to end.
class Checkpoints {
 public:
  virtual ~Checkpoints() = default;

  /// @return what was saved under a name by a run that would find the same; none, if there is nothing such
  virtual std::optional<SavedArrays> load(const std::string& name) = 0;
  /// Replaces what is there, beside what else the run does. That it cannot be saved is no reason to end: it
  /// is told, and the run goes on.
  /// @param arrays  what they borrow must stay until finish()
  virtual void save(const std::string& name, ArraysToSave arrays) = 0;
  /// Waits until all is saved. @return false if what was saved last could not be
  virtual bool finish() = 0;
  /// Forgets all whose name begins so.
  virtual void remove(const std::string& beginning) = 0;

  /// Whether the last one was saved so long ago that a stage should save what it has found so far.
  virtual bool is_due() const = 0;
  /// Whether so many bytes are better saved than found again, which takes as long as since the last were
  /// saved.
  virtual bool is_worth(std::size_t bytes) const = 0;
  /// Whether the run has been told to end: then it saves what it has, and throws Stopped.
  virtual bool should_stop() const = 0;
};

/// Where a stage keeps what it finds in a recording's windows.
struct StageCheckpoints {
  Checkpoints* checkpoints = nullptr;  // null: nowhere
  std::string stage;                   // beginning of their names
};

}  // namespace kokkosort
