#include <fmt/format.h>

#include <chrono>

#include "driver/commands.hpp"
#include "driver/common_checks.hpp"
#include "driver/common_keys.hpp"
#include "driver/environment.hpp"
#include "driver/report.hpp"
#include "driver/sort_checks.hpp"
#include "driver/sort_fingerprint.hpp"
#include "driver/sort_run.hpp"

namespace kokkosort {

void run_sort(const CommandLine& line) {
  const auto start = SortRun::Clock::now();
  const auto seconds_since = [](SortRun::Clock::time_point begin) {
    return std::chrono::duration<double>(SortRun::Clock::now() - begin).count();
  };
  SortDeck deck;
  const DeckKeys keys = sort_keys(deck);
  load_deck_with_output(line.deck, line.overrides, keys, deck.output_folder);
  const Runtime runtime(line.device, deck.threads);
  settle_device_limit(deck.device_limit_bytes, runtime.device());
  StageTimes times;
  times.add("start", seconds_since(start));
  const auto started = SortRun::Clock::now();
  SortFiles files = open_sort_files(deck);
  check_sort_outputs(line, deck);
  std::map<std::string, std::string> fingerprints = sort_fingerprints(deck, keys, files);
  times.add("open", seconds_since(started));
  RunProfile profile(line.report);
  RunRecord record = describe_run("sort", keys, runtime.device());
  record.times = times;
  SortRun sort(line, deck, std::move(fingerprints), files, std::move(record), start);
  sort.run();
  const double seconds = sort.seconds();
  report(
      line, deck.result(),
      [&] {
        print_summary(SortSummary{deck, files, sort.result(), sort.record(), seconds, !line.report});
      },
      [&] { print_details(profile, sort.record(), seconds); });
}

void check_sort_deck(const CommandLine& line) {
  SortDeck deck;
  const DeckKeys keys = sort_keys(deck);
  load_deck_with_output(line.deck, line.overrides, keys, deck.output_folder);
  const Runtime runtime(line.device, deck.threads);
  settle_device_limit(deck.device_limit_bytes, runtime.device());
  const SortFiles files = open_sort_files(deck);
  check_sort_outputs(line, deck);
  if (line.quiet) return;
  fmt::print("# {} would sort {} samples of {} channels into {}, with these keys:\n{}{}", line.deck.string(),
             files.recording->n_samples(), files.probe.column.size(), deck.output_folder.string(),
             keys.to_yaml(), room_in_words(deck, files));
}

std::string sort_help() {
  SortDeck deck;
  return sort_keys(deck).to_help();
}

}  // namespace kokkosort
