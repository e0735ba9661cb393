#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <fstream>
#include <optional>
#include <stdexcept>

#include "core/counted.hpp"
#include "driver/commands.hpp"
#include "driver/common_checks.hpp"
#include "driver/common_keys.hpp"
#include "driver/console_progress.hpp"
#include "driver/environment.hpp"
#include "driver/memory_watch.hpp"
#include "driver/report.hpp"
#include "driver/run_log.hpp"
#include "driver/sort_deck.hpp"
#include "driver/sort_input.hpp"
#include "io/sorting_parts.hpp"
#include "kokkosort/io/phy_folder.hpp"
#include "kokkosort/io/sorting_file.hpp"
#include "kokkosort/recording/whitened_copy.hpp"
#include "kokkosort/report/report.hpp"

namespace kokkosort {
namespace {

using Clock = std::chrono::steady_clock;
using Exec = Kokkos::DefaultExecutionSpace;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The columns of the recording whose channels are so; empty: none.
std::string columns_where(const Preparation& preparation, bool ChannelReport::*is) {
  std::vector<std::int32_t> columns;
  for (std::size_t c = 0; c < preparation.channels.size(); ++c)
    if (preparation.channels[c].*is) columns.push_back(preparation.traces.column[c]);
  return fmt::format("{}", fmt::join(columns, ", "));
}

std::vector<std::string> channel_warnings(const Preparation& preparation) {
  std::vector<std::string> warnings;
  const std::string dead = columns_where(preparation, &ChannelReport::is_dead);
  const std::string saturated = columns_where(preparation, &ChannelReport::is_saturated);
  if (!dead.empty()) warnings.push_back("dead channels, left out (columns of the recording): " + dead);
  if (!saturated.empty())
    warnings.push_back(fmt::format(
        "saturated channels (columns of the recording): {}; input.exclude_channels leaves them out",
        saturated));
  return warnings;
}

/// What else looks well but is not.
std::vector<std::string> sorting_warnings(const SortDeck& deck, const SortResult& result) {
  std::vector<std::string> warnings;
  if (result.pcs_are_generic)
    warnings.emplace_back(
        "too few peaks to learn universal templates from: generic ones were used; lower "
        "detection.learning_threshold, or name a file of templates, detection.universal_templates");
  if (result.unfinished_windows > 0)
    warnings.emplace_back(fmt::format("{} had spikes left after {}; raise matching.max_peels",
                                      counted(result.unfinished_windows, "window"),
                                      counted(deck.stages.matching.max_peels, "round")));
  if (result.sorting.n_spikes() == 0)
    warnings.emplace_back("no spike was found; are input.dtype, input.channels and input.probe right?");
  return warnings;
}

/// Refuses results that are there already, before anything is made.
void check_outputs(const CommandLine& line, const SortDeck& deck) {
  for (const auto& result : {deck.result(), deck.report(), deck.whitened(), deck.log()})
    refuse_replacing_input(line.deck, result);
  check_output(deck.result(), line.overwrite);
  if (deck.write_report) check_output(deck.report(), line.overwrite);
  if (deck.write_whitened) check_output(deck.whitened(), line.overwrite);
  if (deck.write_phy) check_phy(deck.phy(), line.overwrite);
}

void write_text(const PendingFile& file, const std::string& text) {
  std::ofstream stream(file.temporary(), std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) throw std::runtime_error(file.temporary().string() + ": " + std::strerror(errno));
}

/// A sorting while it runs: what its parts share.
class SortRun {
 public:
  SortRun(const CommandLine& line, SortDeck& deck, const DeckKeys& keys, SortFiles& files,
          const Device& device, Clock::time_point start, const StageTimes& until_now)
      : line_(line),
        deck_(deck),
        files_(files),
        start_(start),
        sorting_file_(deck.result(), line.overwrite),
        log_(deck.log()),
        progress_(deck.sampling_rate_hz, log_, line.quiet),
        run_(describe_run("sort", keys, device)) {
    run_.times = until_now;
    if (deck.write_report) report_file_.emplace(deck.report(), line.overwrite);
    if (deck.write_whitened) whitened_file_.emplace(deck.whitened(), line.overwrite);
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
      progress_.fail();
      log_.end(run_, std::string("failed: ") + error.what());
      throw;
    }
    for (const auto& warnings : {channel_warnings(result_.preparation), sorting_warnings(deck_, result_)})
      for (const std::string& warning : warnings) {
        log_.write("warning: " + warning);
        print_warning(warning);
      }
    log_.end(run_, "done: " + deck_.result().string());
  }

  const SortResult& result() const { return result_; }
  const RunRecord& record() const { return run_; }
  double seconds() const { return seconds_since(start_); }

 private:
  /// All are written before the first is put in its place, sorting.h5 the last.
  void write() {
    progress_.begin("writing", 0);
    if (whitened_file_)
      write_whitened(exec_, {*files_.recording, result_.preparation.traces}, whitened_file_->temporary(),
                     deck_.stages.preprocessing.window_samples, run_.ledger, run_.times);
    const SortedRecording recording = sorted_recording();
    {
      const ScopedStage stage(exec_, run_.times, "write");
      std::optional<PendingPhy> phy;  // first: its features are written beside all that follows
      if (deck_.write_phy) phy.emplace(deck_.phy(), line_.overwrite, recording, result_.sorting);
      if (report_file_) write_report(recording);
      run_.memory = memory_.high_water();
      write_sorting(sorting_file_, recording, result_.sorting, run_);
      if (phy) phy->complete();
      if (phy) phy->commit();
      if (whitened_file_) whitened_file_->commit();
      if (report_file_) report_file_->commit();
      sorting_file_.commit();
    }
    progress_.end(deck_.output_folder.string());
  }

  SortedRecording sorted_recording() const {
    return {files_.probe.probe,
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
  }

  void write_report(const SortedRecording& recording) const {
    const Sorting& sorting = result_.sorting;
    write_text(*report_file_,
               report_html({recording, sorting, run_, seconds(), amplitudes_uv(recording, sorting),
                            sorting_warnings(deck_, result_)}));
  }

  const CommandLine& line_;
  const SortDeck& deck_;
  SortFiles& files_;
  Clock::time_point start_;
  PendingFile sorting_file_;
  std::optional<PendingFile> report_file_;
  std::optional<PendingFile> whitened_file_;
  RunLog log_;
  ConsoleProgress progress_;
  RunRecord run_;
  Exec exec_;
  MemoryWatch memory_;
  SortResult result_;
};

}  // namespace

void run_sort(const CommandLine& line) {
  const Clock::time_point start = Clock::now();
  StageTimes times;
  SortDeck deck;
  const DeckKeys keys = sort_keys(deck);
  load_deck_with_output(line.deck, line.overrides, keys, deck.output_folder);
  const Runtime runtime(line.device, deck.threads);
  settle_device_limit(deck.device_limit_bytes, runtime.device());
  times.add("start", seconds_since(start));
  const Clock::time_point started = Clock::now();
  SortFiles files = open_sort_files(deck);
  check_outputs(line, deck);
  times.add("open", seconds_since(started));
  RunProfile profile(line.report);
  SortRun sort(line, deck, keys, files, runtime.device(), start, times);
  sort.run();
  const double seconds = sort.seconds();
  report(
      line, deck.result(),
      [&] { print_summary(SortSummary{deck, files, sort.result(), sort.record(), seconds, !line.report}); },
      [&] { print_details(profile, sort.record(), seconds); });
}

void check_sort_deck(const CommandLine& line) {
  SortDeck deck;
  const DeckKeys keys = sort_keys(deck);
  load_deck_with_output(line.deck, line.overrides, keys, deck.output_folder);
  const Runtime runtime(line.device, deck.threads);
  settle_device_limit(deck.device_limit_bytes, runtime.device());
  const SortFiles files = open_sort_files(deck);
  check_outputs(line, deck);
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
