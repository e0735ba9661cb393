#pragma once

#include <map>
#include <optional>
#include <string>

#include "kokkosort/checkpoints.hpp"

namespace kokkosort::test {

/// Checkpoints in memory, that say what a test wants.
class MemoryCheckpoints final : public Checkpoints {
 public:
  /// Keeps nothing while `is_full`.
  std::optional<SavedArrays> load(const std::string& name) override {
    if (!saved.contains(name)) return {};
    return SavedArrays(saved.at(name));
  }
  void save(const std::string& name, ArraysToSave arrays) override {
    was_saved = !is_full;
    if (is_full) return;
    std::map<std::string, SavedArray> copies;
    for (const ArrayToSave& array : arrays.arrays())
      std::visit(
          [&]<class T>(const ArrayToSave::Pieces<T>& pieces) {
            std::vector<T> values;
            for (const auto& piece : pieces) values.insert(values.end(), piece.begin(), piece.end());
            copies[array.name] = {array.shape, std::move(values)};
          },
          array.pieces);
    saved[name] = std::move(copies);
    ++n_saved;
  }
  bool finish() override { return was_saved; }
  void remove(const std::string& beginning) override {
    std::erase_if(saved, [&](const auto& entry) { return entry.first.starts_with(beginning); });
  }
  bool is_due() const override { return due_after > 0 && ++n_asked_due % due_after == 0; }
  bool is_worth(std::size_t) const override { return true; }
  bool should_stop() const override { return ++n_asked == stop_at; }

  std::map<std::string, std::map<std::string, SavedArray>> saved;
  int n_saved = 0;
  int due_after = 0;  // windows; 0: never
  bool is_full = false;
  bool was_saved = true;
  int stop_at = 0;  // when it was asked so often; 0: never

 private:
  mutable int n_asked = 0;
  mutable int n_asked_due = 0;
};

}  // namespace kokkosort::test
