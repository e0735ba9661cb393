#include "driver/sort_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <fstream>
#include <stdexcept>

#include "core/counted.hpp"
#include "driver/common_checks.hpp"
#include "driver/report.hpp"
#include "io/interruption.hpp"
#include "io/pending_steps.hpp"
#include "io/sorting_parts.hpp"
#include "kokkosort/detection/universal_templates.hpp"
#include "kokkosort/errors.hpp"
#include "kokkosort/io/phy_folder.hpp"
#include "kokkosort/recording/whitened_copy.hpp"
#include "kokkosort/report/report.hpp"

namespace kokkosort {
namespace {

namespace fs = std::filesystem;

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
    warnings.emplace_back(fmt::format(
        "too few peaks to learn universal templates from, {} of the {} that are needed: generic ones were "
        "used; lower detection.learning_threshold, or name a file of templates, "
        "detection.universal_templates",
        result.isolated_peaks, fewest_peaks(deck.stages.detection)));
  if (result.unfinished_windows > 0)
    warnings.emplace_back(fmt::format("{} had spikes left after {}; raise matching.max_peels",
                                      counted(result.unfinished_windows, "window"),
                                      counted(deck.stages.matching.max_peels, "round")));
  if (result.sorting.n_spikes() == 0)
    warnings.emplace_back("no spike was found; are input.dtype, input.channels and input.probe right?");
  return warnings;
}

void write_text(const PendingFile& file, const std::string& text) {
  std::ofstream stream(file.temporary(), std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) throw std::runtime_error(file.temporary().string() + ": " + std::strerror(errno));
}

/// Whether a result may take the place of one that is there.
bool may_replace(const CommandLine& line, const SortDeck& deck, const fs::path& result) {
  const std::vector<fs::path> unfinished = half_committed(deck.journal());
  return line.overwrite ||
         std::find(unfinished.begin(), unfinished.end(), fs::absolute(result)) != unfinished.end();
}

/// Makes the folder of the results. @return it
const fs::path& made(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) refuse_place(folder, error.message());
  return folder;
}

}  // namespace

void check_sort_outputs(const CommandLine& line, const SortDeck& deck) {
  for (const auto& result : {deck.result(), deck.report(), deck.whitened(), deck.log()})
    refuse_replacing_input(line.deck, result);
  const auto check = [&](const fs::path& result) { check_output(result, may_replace(line, deck, result)); };
  check(deck.result());
  if (deck.write_report) check(deck.report());
  if (deck.write_whitened) check(deck.whitened());
  if (deck.write_phy) check_phy(deck.phy(), may_replace(line, deck, deck.phy()));
  std::error_code error;
  if (fs::is_directory(deck.journal(), error))
    throw InputError(deck.journal().string() + ": is a folder; remove it, or set output.folder");
  if (deck.checkpoint_use != CheckpointUse::off && fs::exists(deck.checkpoints(), error) &&
      !fs::is_directory(deck.checkpoints(), error))
    throw InputError(deck.checkpoints().string() + ": is not a folder; remove it, or set output.folder");
}

SortRun::SortRun(const CommandLine& line, const SortDeck& deck,
                 std::map<std::string, std::string> fingerprints, SortFiles& files, RunRecord run,
                 Clock::time_point start)
    : line_(line),
      deck_(deck),
      files_(files),
      start_(start),
      lock_(made(deck.output_folder)),
      sorting_file_(deck.result(), may_replace(line, deck, deck.result())),
      log_(deck.log()),
      progress_(deck.sampling_rate_hz, log_, line.quiet),
      fingerprints_(std::move(fingerprints)),
      run_(std::move(run)) {
  if (lock_.is_held())
    for (const auto& result : {deck.result(), deck.report(), deck.whitened(), deck.phy()})
      remove_abandoned(result);
  if (deck.write_report) report_file_.emplace(deck.report(), may_replace(line, deck, deck.report()));
  if (deck.write_whitened) whitened_file_.emplace(deck.whitened(), may_replace(line, deck, deck.whitened()));
}

void SortRun::keep_checkpoints() {
  CheckpointOptions options;
  options.seconds = deck_.checkpoint_s;
  options.fingerprints = fingerprints_;
  options.should_stop = [] { return GracefulStop::signal() != 0; };
  options.tell = [this](const std::string& text) { progress_.note(text); };
  checkpoints_.emplace(deck_.checkpoints(), std::move(options));
  if (line_.fresh) checkpoints_->remove("");
}

void SortRun::run() {
  log_.begin(run_);
  try {
    if (deck_.checkpoint_use != CheckpointUse::off) keep_checkpoints();
    sort();
    write();
  } catch (const Stopped&) {
    run_.memory = memory_.high_water();
    progress_.fail();
    log_.end(run_, fmt::format("stopped by {}: the same command goes on from here",
                               name_of_signal(GracefulStop::signal())));
    throw;
  } catch (const std::exception& error) {
    run_.memory = memory_.high_water();
    progress_.fail();
    log_.end(run_, std::string("failed: ") + error.what());
    throw;
  }
  warn();
  log_.end(run_, "done: " + deck_.result().string());
}

void SortRun::sort() {
  std::optional<GracefulStop> graceful;
  if (checkpoints_) graceful.emplace();  // without them there is nothing to stop for
  result_ = sort_recording(exec_, files_.input(deck_), deck_.options(), run_.times, run_.ledger, progress_,
                           checkpoints_ ? &*checkpoints_ : nullptr);
  run_.resumed_at = result_.resumed_at;
}

/// All are written before the first is put in its place.
void SortRun::write() {
  progress_.begin("writing", 0);
  if (whitened_file_)
    write_whitened(exec_, {*files_.recording, result_.preparation.traces}, whitened_file_->temporary(),
                   deck_.stages.preprocessing.window_samples, run_.ledger, run_.times);
  const SortedRecording recording = sorted_recording();
  {
    const ScopedStage stage(exec_, run_.times, "write");
    std::optional<PendingPhy> phy;  // first: its features are written beside all that follows
    if (deck_.write_phy)
      phy.emplace(deck_.phy(), may_replace(line_, deck_, deck_.phy()), recording, result_.sorting);
    if (report_file_) write_report(recording);
    run_.memory = memory_.high_water();
    write_sorting(sorting_file_, recording, result_.sorting, run_);
    if (phy) phy->complete();
    std::vector<PendingResult*> results;
    if (phy) results.push_back(&phy->result());
    if (whitened_file_) results.push_back(&*whitened_file_);
    if (report_file_) results.push_back(&*report_file_);
    results.push_back(&sorting_file_);
    commit_together(results, deck_.journal());
  }
  progress_.end(deck_.output_folder.string());
  if (checkpoints_ && deck_.checkpoint_use == CheckpointUse::until_done) checkpoints_->remove("");
}

void SortRun::warn() {
  for (const auto& warnings : {channel_warnings(result_.preparation), sorting_warnings(deck_, result_)})
    for (const std::string& warning : warnings) {
      log_.write("warning: " + warning);
      print_warning(warning);
    }
}

SortedRecording SortRun::sorted_recording() const {
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

void SortRun::write_report(const SortedRecording& recording) const {
  const Sorting& sorting = result_.sorting;
  write_text(*report_file_,
             report_html({recording, sorting, run_, seconds(), amplitudes_uv(recording, sorting),
                          sorting_warnings(deck_, result_)}));
}

}  // namespace kokkosort
