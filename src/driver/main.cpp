#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <csignal>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "core/one_line.hpp"
#include "driver/commands.hpp"
#include "driver/deck_key.hpp"
#include "driver/edit_distance.hpp"
#include "driver/report.hpp"
#include "io/interruption.hpp"
#include "kokkosort/errors.hpp"
#include "kokkosort/version.hpp"

namespace {

using kokkosort::CommandLine;
using kokkosort::ScoreLine;

enum ExitCode { done = 0, failed = 1, bad_input = 2, stopped = 128 };  // stopped: and the signal's number, as shells have it

int device_number(const std::string& text) {
  int number = 0;
  if (!kokkosort::parse_number(text, number) || number < 0)
    throw kokkosort::InputError(
        fmt::format("--device is '{}'; it must be a whole number from 0", text.substr(0, 60)));
  return number;
}

/// CLI11 would only say that it did not expect the word.
void refuse_unknown_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (word.starts_with('-') || std::find(names.begin(), names.end(), word) != names.end()) return;
  const auto nearest = std::min_element(names.begin(), names.end(), [&](const auto& a, const auto& b) {
    return kokkosort::edit_distance(word, a) < kokkosort::edit_distance(word, b);
  });
  throw kokkosort::InputError(fmt::format("there is no command '{}'; of {} the nearest is {}",
                                          word.substr(0, 60), fmt::join(names, ", "), *nearest));
}

void add_deck_options(CLI::App& command, CommandLine& line, const std::string& keys) {
  command.add_option("deck", line.deck, "deck (YAML)")->required()->type_name("DECK.yaml");
  command.add_option("overrides", line.overrides, "keys that replace the deck's")
      ->type_name("section.key=value");
  command
      .add_option_function<std::string>(
          "--device", [&line](const std::string& n) { line.device = device_number(n); },
          "number of the device, from 0; kokkosort info lists them")
      ->type_name("N");
  command
      .add_option_function<std::string>(
          "--threads", [&line](const std::string& n) { line.overrides.push_back("threads=" + n); },
          "threads of the host; the same as threads=N")
      ->type_name("N");
  command.add_flag("--overwrite", line.overwrite, "replace an existing result");
  command.add_flag("--quiet", line.quiet, "print no summary");
  command.footer(keys);
}

void add_score_options(CLI::App& command, ScoreLine& line) {
  command.add_option("truth", line.truth, "true spikes: truth.h5, or HDF5 with truth/sample and truth/unit")
      ->required()
      ->type_name("TRUTH.h5");
  command.add_option("result", line.result, "sorted spikes: sorting.h5, or HDF5 with spikes/sample and spikes/unit")
      ->required()
      ->type_name("SORTING.h5");
  command.add_option("--csv", line.csv, "write the table there")->type_name("FILE");
  command.add_flag("--json", line.json, "print the summary alone, as one line of JSON");
  command.add_option("--rate", line.rate, "sampling rate, where the files have no attribute sampling_rate_hz")
      ->type_name("HZ");
  command.add_flag("--overwrite", line.overwrite, "replace an existing table");
}

void print_error(const std::string& message) {
  fmt::print(stderr, "kokkosort: {}\n", kokkosort::one_line(message));
}

void run(int argc, char** argv) {
  CommandLine line;
  CLI::App app("KokkoSort sorts the spikes of multi-channel extracellular recordings.", "kokkosort");
  app.set_version_flag("--version", kokkosort::version);
  app.require_subcommand(0, 1);  // none is refused below: CLI11 would not name a mistyped one
  CLI::App* sort = app.add_subcommand("sort", "sort a recording: from the amplifier's file to units");
  add_deck_options(*sort, line, kokkosort::sort_help());
  sort->add_flag("--fresh", line.fresh, "ignore checkpoints of an earlier run");
  CLI::App* cluster = app.add_subcommand("cluster", "cluster the spikes of a recording");
  add_deck_options(*cluster, line, kokkosort::cluster_help());
  CLI::App* match = app.add_subcommand("match", "match templates to a recording");
  add_deck_options(*match, line, kokkosort::match_help());
  for (CLI::App* command : {sort, cluster, match})
    command->add_flag("--report", line.report,
                      "print a profile of the stages, and what crossed between host and device");
  CLI::App* simulate = app.add_subcommand("simulate", "simulate a recording with a known truth");
  add_deck_options(*simulate, line, kokkosort::simulate_help());
  ScoreLine score_line;
  CLI::App* score = app.add_subcommand("score", "compare a sorting with the truth");
  add_score_options(*score, score_line);
  CLI::App* check = app.add_subcommand("check", "check a deck and the files it names, and stop");
  add_deck_options(*check, line, "Keys of decks: kokkosort sort --help, cluster --help, match --help, simulate --help and sweep --help list "
                   "them.");
  CLI::App* sweep = app.add_subcommand("sweep", "time a kernel over values of its tunables");
  add_deck_options(*sweep, line, kokkosort::sweep_help());
  CLI::App* info = app.add_subcommand("info", "print versions, backends, devices and limits");
  bool ceilings = false;
  info->add_flag("--ceilings", ceilings, "measure what the device can do at most, too");

  if (argc > 1) refuse_unknown_command(app, std::string(argv[1]).substr(0, 200));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0)
      throw kokkosort::InputError(std::string(error.what()) + "; kokkosort --help shows the usage");
    app.exit(error);  // help or version
    return;
  }
  if (sort->parsed()) {
    return kokkosort::run_sort(line);  // has printed all, or warned
  } else if (cluster->parsed()) {
    return kokkosort::run_cluster(line);  // likewise
  } else if (match->parsed()) {
    return kokkosort::run_match(line);  // likewise
  } else if (simulate->parsed()) {
    return kokkosort::run_simulate(line);  // likewise
  } else if (score->parsed()) {
    kokkosort::run_score(score_line);
  } else if (sweep->parsed()) {
    kokkosort::run_sweep_deck(line);
  } else if (check->parsed()) {
    kokkosort::run_check(line);
  } else if (info->parsed()) {
    kokkosort::run_info(ceilings);
  } else {
    throw kokkosort::InputError("which command? kokkosort --help lists them");
  }
  kokkosort::flush_output();
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files is to fail as a full disk does
  kokkosort::clean_up_when_interrupted();
  try {
    run(argc, argv);
    return done;
  } catch (const kokkosort::Stopped&) {
    const int signal = kokkosort::GracefulStop::signal();
    print_error(fmt::format("stopped by {}; what was found is kept: the same command goes on from there",
                            kokkosort::name_of_signal(signal)));
    return stopped + signal;
  } catch (const kokkosort::InputError& error) {
    print_error(error.what());
    return bad_input;
  } catch (const std::filesystem::filesystem_error& error) {
    print_error(error.path1().string() + ": " + error.code().message());
    return bad_input;
  } catch (const std::exception& error) {
    print_error(error.what());
    return failed;
  }
}
