#include <fmt/format.h>

#include <chrono>

#include "driver/commands.hpp"
#include "driver/common_checks.hpp"
#include "driver/common_keys.hpp"
#include "driver/environment.hpp"
#include "driver/match_deck.hpp"
#include "driver/match_input.hpp"
#include "driver/memory_watch.hpp"
#include "driver/report.hpp"
#include "kokkosort/io/matched_file.hpp"
#include "kokkosort/recording/noise_level.hpp"

namespace kokkosort {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;

/// Fills the deck, and refuses a result in the inputs' place.
void load(const CommandLine& line, MatchDeck& deck, const DeckKeys& keys) {
  load_deck_with_output(line.deck, line.overrides, keys, deck.output_folder);
  refuse_replacing_inputs(deck);
}

MatchFiles open_timed(const Exec& exec, MatchDeck& deck, StageTimes& times) {
  const ScopedStage stage(exec, times, "read");
  return open_match_files(deck);
}

/// Whitened traces have noise of one standard deviation; if these do not, some key is wrong or they are
/// others.
void warn_of_noise(const MatchDeck& deck, const MatchFiles& files) {
  const double noise = files.scale_to_sigma * noise_level(*files.traces);
  if (noise == 0.0 || (noise >= 0.3 && noise <= 3.0)) return;
  print_warning(fmt::format(
      "{}: the noise is {:.3g} standard deviations, where whitened traces have 1; are they whitened, "
      "and are input.scale_to_sigma = {} and input.dtype right?",
      deck.recording.front().string(), noise, files.scale_to_sigma));
}

/// What looks well but is not.
void warn(const MatchDeck& deck, const Matching& matching) {
  if (matching.unfinished_windows > 0)
    print_warning(fmt::format("{} of {} windows had spikes left after {} rounds; raise matching.max_peels",
                              matching.unfinished_windows, matching.windows, deck.matching.max_peels));
  if (matching.n_spikes() == 0)
    print_warning(
        fmt::format("no spike was found; is input.scale_to_sigma = {} right? matching.threshold = {} may be "
                    "too high",
                    deck.scale_to_sigma, deck.matching.threshold));
}

}  // namespace

void run_match(const CommandLine& line) {
  const auto start = std::chrono::steady_clock::now();
  MatchDeck deck;
  const DeckKeys keys = match_keys(deck);
  load(line, deck, keys);

  const Runtime runtime(line.device, deck.threads);
  settle_device_limit(deck.matching.device_limit_bytes, runtime.device());
  PendingFile result(deck.result(), line.overwrite);
  const Exec exec;
  const MemoryWatch memory;
  RunProfile profile(line.report);
  StageTimes times;
  const MatchFiles files = open_timed(exec, deck, times);
  warn_of_noise(deck, files);
  RunRecord run = describe_run("match", keys, runtime.device());  // with what the files told
  run.times = times;
  const Matching matching = match_templates(exec, files.input(), deck.matching, run.ledger);
  run.times.add(matching.times);
  run.memory = memory.high_water();
  {
    const ScopedStage stage(exec, run.times, "write");
    write_matched(result, files.set, matching, run);
  }

  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  warn(deck, matching);
  report(
      line, deck.result(),
      [&] { print_summary(MatchSummary{deck, files, matching, run, seconds, !line.report}); },
      [&] { print_details(profile, run, seconds); });
}

void check_match_deck(const CommandLine& line) {
  MatchDeck deck;
  const DeckKeys keys = match_keys(deck);
  load(line, deck, keys);
  const Runtime runtime(line.device, deck.threads);
  settle_device_limit(deck.matching.device_limit_bytes, runtime.device());
  check_output(deck.result(), line.overwrite);
  const MatchFiles files = open_match_files(deck);
  warn_of_noise(deck, files);
  if (line.quiet) return;
  fmt::print("# {} would match {} templates to {} samples of {} channels into {}, with these keys:\n{}",
             line.deck.string(), files.set.n_templates(), files.traces->n_samples(),
             files.traces->n_channels(), deck.result().string(), keys.to_yaml());
}

std::string match_help() {
  MatchDeck deck;
  return match_keys(deck).to_help();
}

}  // namespace kokkosort
