#include "core/window_blocks.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "kokkosort/errors.hpp"

namespace kokkosort {

WindowBlocks::WindowBlocks(StageCheckpoints kept) : kept_(std::move(kept)) {}

std::string WindowBlocks::name_of(std::size_t block) const {
  return fmt::format("{}-{:04}", kept_.stage, block);
}

std::size_t WindowBlocks::restore(const std::function<void(SavedArrays&)>& take) {
  if (kept_.checkpoints == nullptr) return 0;
  while (std::optional<SavedArrays> block = kept_.checkpoints->load(name_of(n_blocks_))) {
    // One that does not follow the others is left of a run that was interrupted elsewhere.
    if (static_cast<std::size_t>(block->number("first_window")) != n_kept_) break;
    n_kept_ = static_cast<std::size_t>(block->number("last_window"));
    ++n_blocks_;
    take(*block);
  }
  return n_kept_;
}

ArraysToSave WindowBlocks::begin_block(std::size_t done) const {
  ArraysToSave block;
  block.add_number("first_window", static_cast<double>(n_kept_));
  block.add_number("last_window", static_cast<double>(done));
  return block;
}

void WindowBlocks::keep_some(std::size_t done, const Collect& collect) {
  if (kept_.checkpoints == nullptr) return;
  const bool stops = kept_.checkpoints->should_stop();
  if (stops || kept_.checkpoints->is_due()) {
    ArraysToSave block = begin_block(done);
    collect(n_kept_, block);
    kept_.checkpoints->save(name_of(n_blocks_), std::move(block));
    if (kept_.checkpoints->finish()) {
      ++n_blocks_;
      n_kept_ = done;
    }
  }
  if (stops) throw Stopped();
}

void WindowBlocks::keep_rest(std::size_t done, const Collect& collect) {
  if (kept_.checkpoints == nullptr || n_kept_ == done) return;
  ArraysToSave block = begin_block(done);
  collect(n_kept_, block);
  const bool stops = kept_.checkpoints->should_stop();
  if (stops || kept_.checkpoints->is_worth(block.bytes())) {
    kept_.checkpoints->save(name_of(n_blocks_++), std::move(block));
    n_kept_ = done;
  }
  if (!stops) return;
  kept_.checkpoints->finish();
  throw Stopped();
}

}  // namespace kokkosort
