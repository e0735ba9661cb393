#include <fmt/format.h>

#include <cstdio>

#include "driver/commands.hpp"
#include "driver/common_keys.hpp"
#include "driver/environment.hpp"
#include "driver/sweep_deck.hpp"
#include "sweep/sweep_file.hpp"

namespace kokkosort {

namespace {

/// Fills the deck, and refuses what could not be swept or written.
SweepPlan load_plan(const CommandLine& line, SweepDeck& deck, const DeckKeys& keys) {
  load_deck_with_output(line.deck, line.overrides, keys, deck.output_folder);
  const SweepPlan plan = plan_sweep(line.deck, deck);
  check_output(deck.result(), line.overwrite);
  check_output(deck.table(), line.overwrite);
  return plan;
}

}  // namespace

void run_sweep_deck(const CommandLine& line) {
  SweepDeck deck;
  const DeckKeys keys = sweep_keys(deck);
  const SweepPlan plan = load_plan(line, deck, keys);
  const Runtime runtime(line.device, deck.threads);
  const RunRecord run = describe_run("sweep", keys, runtime.device());
  const SweepProblem problem = make_sweep_problem(deck.problem);
  PendingFile result(deck.result(), line.overwrite);
  PendingFile table(deck.table(), line.overwrite);
  const auto say = [&](const std::string& step) {
    if (!line.quiet) fmt::print("{}\n", step);
    std::fflush(stdout);
  };
  say(fmt::format("{} on {}: {}", plan.kernel->name, runtime.device().name, size_of(problem)));
  const auto points = run_sweep(plan, problem, say);
  write_sweep_csv(table, problem, plan, points, run);
  write_sweep(result, problem, plan, points, run);
  commit_together({&table, &result});
  if (!line.quiet) fmt::print("result: {} and {}\n", deck.result().string(), deck.table().string());
}

void check_sweep_deck(const CommandLine& line) {
  SweepDeck deck;
  const DeckKeys keys = sweep_keys(deck);
  const SweepPlan plan = load_plan(line, deck, keys);
  const Runtime runtime(line.device, deck.threads);
  const SweepProblem problem = make_sweep_problem(deck.problem);
  if (line.quiet) return;
  fmt::print("# {} would time {} combinations on {} sections into {}, with these keys:\n{}", line.deck.string(),
             sweep_grid(plan).size(), problem.sections.size(), deck.result().string(), keys.to_yaml());
}

std::string sweep_help() {
  SweepDeck deck;
  return sweep_keys(deck).to_help();
}

}  // namespace kokkosort
