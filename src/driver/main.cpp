#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

#include "driver/commands.hpp"
#include "kokkosort/errors.hpp"
#include "kokkosort/version.hpp"

namespace {

using kokkosort::CommandLine;

enum ExitCode { done = 0, failed = 1, bad_input = 2 };

void add_deck_options(CLI::App& command, CommandLine& line) {
  command.add_option("deck", line.deck, "deck (YAML)")->required()->type_name("DECK.yaml");
  command.add_option("overrides", line.overrides, "keys that replace the deck's")
      ->type_name("section.key=value");
  command.add_option("--device", line.device, "number of the device, from 0; kokkosort info lists them")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N");
  command
      .add_option_function<std::string>(
          "--threads", [&line](const std::string& n) { line.overrides.push_back("threads=" + n); },
          "threads of the host; the same as threads=N")
      ->type_name("N");
  command.add_flag("--overwrite", line.overwrite, "replace an existing result");
  command.add_flag("--quiet", line.quiet, "print no summary");
  command.footer(kokkosort::deck_help());
}

/// One line, whatever the message holds: names in files may contain anything.
void print_error(std::string message) {
  for (char& c : message)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  fmt::print(stderr, "kokkosort: {}\n", message);
}

void run(int argc, char** argv) {
  CommandLine line;
  CLI::App app("KokkoSort sorts the spikes of multi-channel extracellular recordings.", "kokkosort");
  app.set_version_flag("--version", kokkosort::version);
  app.require_subcommand(0, 1);  // none is refused below: CLI11 would not name a mistyped one
  CLI::App* cluster = app.add_subcommand("cluster", "cluster the spikes of a recording");
  add_deck_options(*cluster, line);
  cluster->add_flag("--report", line.report, "print what crossed between host and device");
  CLI::App* check = app.add_subcommand("check", "check a deck and the files it names, and stop");
  add_deck_options(*check, line);
  const CLI::App* info = app.add_subcommand("info", "print versions, backends, devices and limits");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0)
      throw kokkosort::InputError(std::string(error.what()) + "; kokkosort --help shows the usage");
    app.exit(error);  // help or version
    return;
  }
  if (cluster->parsed()) {
    kokkosort::run_cluster(line);
  } else if (check->parsed()) {
    kokkosort::run_check(line);
  } else if (info->parsed()) {
    kokkosort::run_info();
  } else {
    throw kokkosort::InputError("which command? kokkosort --help lists them");
  }
  if (std::fflush(stdout) != 0) throw std::runtime_error("the summary could not be printed");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc, argv);
    return done;
  } catch (const kokkosort::InputError& error) {
    print_error(error.what());
    return bad_input;
  } catch (const std::exception& error) {
    print_error(error.what());
    return failed;
  }
}
