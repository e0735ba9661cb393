#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <exception>
#include <memory>

#include "core/counted.hpp"
#include "core/kernel_counter.hpp"
#include "driver/commands.hpp"
#include "driver/common_checks.hpp"
#include "driver/common_keys.hpp"
#include "driver/console_progress.hpp"
#include "driver/environment.hpp"
#include "driver/report.hpp"
#include "driver/run_log.hpp"
#include "driver/sort_deck.hpp"
#include "driver/sort_input.hpp"
#include "kokkosort/io/phy_folder.hpp"
#include "kokkosort/io/sorting_file.hpp"
#include "kokkosort/recording/whitened_copy.hpp"

namespace kokkosort {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;

/// Watches memory for the record of a run. A tool that Kokkos has loaded keeps its place: then only the
/// process is seen.
class MemoryWatch {
 public:
  MemoryWatch() {
    if (!Kokkos::Tools::profileLibraryLoaded()) counter_ = std::make_unique<KernelCounter>();
  }

  std::map<std::string, std::uint64_t> high_water() const {
    std::map<std::string, std::uint64_t> memory;
    if (counter_) memory = counter_->high_water();
    rusage usage{};
    if (getrusage(RUSAGE_SELF, &usage) == 0)
      memory["process"] = static_cast<std::uint64_t>(usage.ru_maxrss) << 10;  // kilobytes
    return memory;
  }

 private:
  std::unique_ptr<KernelCounter> counter_;
};

/// What looks well but is not.
std::vector<std::string> find_warnings(const SortDeck& deck, const SortResult& result) {
  std::vector<std::string> warnings;
  std::string dead;
  std::string saturated;
  const auto& channels = result.preparation.channels;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    if (channels[c].is_dead) dead += fmt::format(" {}", result.preparation.traces.column[c]);
    if (channels[c].is_saturated) saturated += fmt::format(" {}", result.preparation.traces.column[c]);
  }
  if (!dead.empty()) warnings.push_back("dead channels, left out (columns of the recording):" + dead);
  if (!saturated.empty())
    warnings.push_back("saturated channels (columns of the recording):" + saturated +
                       "; input.exclude_channels leaves them out");
  if (result.unfinished_windows > 0)
    warnings.push_back(fmt::format("{} had spikes left after {} rounds; raise matching.max_peels",
                                   counted(result.unfinished_windows, "window"),
                                   deck.stages.matching.max_peels));
  if (result.sorting.n_spikes() == 0)
    warnings.push_back("no spike was found; are input.dtype, input.channels and input.probe right?");
  return warnings;
}

/// A sorting while it runs: what its parts share.
class SortRun {
 public:
  SortRun(const CommandLine& line, SortDeck& deck, const DeckKeys& keys, SortFiles& files,
          const Device& device)
      : line_(line),
        deck_(deck),
        files_(files),
        sorting_file_(deck.result(), line.overwrite),
        log_(deck.log()),
        progress_(deck.sampling_rate_hz, log_, line.quiet),
        run_(describe_run("sort", keys, device)) {
    if (deck.write_phy) check_phy(deck.phy(), line.overwrite);
    if (deck.write_whitened) whitened_file_ = std::make_unique<PendingFile>(deck.whitened(), line.overwrite);
  }

  /// The log is complete whatever happens.
  void run() {
    log_.begin(run_);
    try {
      result_ =
          sort_recording(exec_, files_.input(deck_), deck_.options(), run_.times, run_.ledger, progress_);
      write();
    } catch (const std::exception& error) {
      run_.memory = memory_.high_water();
      log_.end(run_, std::string("failed: ") + error.what());
      throw;
    }
    for (const std::string& warning : find_warnings(deck_, result_)) {
      log_.write("warning: " + warning);
      print_warning(warning);
    }
    log_.end(run_, "done: " + deck_.result().string());
  }

  const SortResult& result() const { return result_; }
  const RunRecord& record() const { return run_; }

 private:
  void write() {
    const ScopedStage stage(exec_, run_.times, "write");
    progress_.begin("writing", 0);
    const SortedRecording recording{files_.probe.probe,
                                    files_.probe.column,
                                    static_cast<std::size_t>(deck_.n_columns),
                                    deck_.recording,
                                    deck_.dataset.empty() ? name_of(files_.whole->type()) : "",
                                    deck_.sampling_rate_hz,
                                    files_.recording->n_samples(),
                                    files_.first_sample,
                                    deck_.gain_to_uv,
                                    result_.pcs,
                                    result_.matched_templates,
                                    result_.preparation};
    if (whitened_file_) {
      write_whitened(exec_, {*files_.recording, result_.preparation.traces}, whitened_file_->temporary(),
                     deck_.stages.preprocessing.window_samples, run_.ledger, run_.times);
      whitened_file_->commit();
    }
    if (deck_.write_phy) write_phy(deck_.phy(), line_.overwrite, recording, result_.sorting);
    run_.memory = memory_.high_water();
    write_sorting(sorting_file_, recording, result_.sorting, run_);  // last: it is there only if all is
    progress_.end(deck_.result().string());
  }

  const CommandLine& line_;
  const SortDeck& deck_;
  SortFiles& files_;
  PendingFile sorting_file_;
  std::unique_ptr<PendingFile> whitened_file_;
  RunLog log_;
  ConsoleProgress progress_;
  RunRecord run_;
  Exec exec_;
  MemoryWatch memory_;
  SortResult result_;
};

}  // namespace

void run_sort(const CommandLine& line) {
  const auto start = std::chrono::steady_clock::now();
  SortDeck deck;
  const DeckKeys keys = sort_keys(deck);
  load_deck_with_output(line.deck, line.overrides, keys, deck.output_folder);
  const Runtime runtime(line.device, deck.threads);
  check_device_limit(deck.device_limit_bytes, runtime.device());
  SortFiles files = open_sort_files(deck);
  SortRun sort(line, deck, keys, files, runtime.device());
  sort.run();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report(line, deck.result(), sort.record().ledger, [&] {
    print_summary(SortSummary{deck, files, sort.result(), sort.record(), seconds});
  });
}

void check_sort_deck(const CommandLine& line) {
  SortDeck deck;
  const DeckKeys keys = sort_keys(deck);
  load_deck_with_output(line.deck, line.overrides, keys, deck.output_folder);
  const Runtime runtime(line.device, deck.threads);
  check_device_limit(deck.device_limit_bytes, runtime.device());
  const SortFiles files = open_sort_files(deck);
  check_output(deck.result(), line.overwrite);
  if (deck.write_phy) check_phy(deck.phy(), line.overwrite);
  if (line.quiet) return;
  fmt::print("# {} would sort {} samples of {} channels into {}, with these keys:\n{}", line.deck.string(),
             files.recording->n_samples(), files.probe.column.size(), deck.output_folder.string(),
             keys.to_yaml());
}

std::string sort_help() {
  SortDeck deck;
  return sort_keys(deck).to_help();
}

}  // namespace kokkosort
