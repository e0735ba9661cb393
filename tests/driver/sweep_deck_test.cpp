#include "driver/sweep_deck.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "driver/common_keys.hpp"
#include "io/temporary_folder.hpp"
#include "kokkosort/errors.hpp"

namespace kokkosort::test {
namespace {

namespace fs = std::filesystem;

/// What a deck plans.
struct Planned {
  SweepDeck deck;
  SweepPlan plan;
};

Planned plan_file(const fs::path& path, const std::vector<std::string>& overrides = {}) {
  Planned planned;
  const DeckKeys keys = sweep_keys(planned.deck);
  load_deck_with_output(path, overrides, keys, planned.deck.output_folder);
  planned.plan = plan_sweep(path, planned.deck);
  return planned;
}

Planned plan_text(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const TemporaryFolder folder;
  write_text(folder / "deck.yaml", text);
  return plan_file(folder / "deck.yaml", overrides);
}

std::string error_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const std::string message = message_of<InputError>([&] { plan_text(text, overrides); });
  EXPECT_NE(message, "") << text;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  return message.substr(message.find("deck.yaml") == std::string::npos ? 0 : message.find("deck.yaml"));
}

using Lists = std::vector<std::vector<std::int64_t>>;

TEST(SweepDeck, OneParameter) {
  const Planned planned = plan_text(
      "sweep: {kernel: seeding, parameter: block, values: [8, 4, 1], repeats: 5, problem: {points: 300}}\n"
      "seeding: {seeds: 20, host_draws: true}\n");
  EXPECT_EQ(planned.plan.kernel->name, "seeding");
  EXPECT_EQ(planned.plan.parameters, std::vector<std::string>{"block"});
  EXPECT_EQ(planned.plan.values, (Lists{{8, 4, 1}}));
  EXPECT_EQ(planned.plan.others.at("seeds"), 20);
  EXPECT_EQ(planned.plan.others.at("host_draws"), 1);
  EXPECT_EQ(planned.plan.repeats, 5);
  EXPECT_EQ(planned.deck.problem.points, 300);
}

TEST(SweepDeck, SeveralParametersAndSwitches) {
  const Planned planned = plan_text(
      "sweep:\n  kernel: seeding\n  parameter: [host_draws, block]\n  values:\n    - [false, true]\n    - [64]\n");
  EXPECT_EQ(planned.plan.values, (Lists{{0, 1}, {64}}));
}

TEST(SweepDeck, OverridesTakeLists) {
  const Planned planned = plan_text("sweep: {kernel: seeding, parameter: block, values: 3}\n",
                                    {"sweep.values=[1, 2]", "sweep.parameter=trials", "seeding.block=9"});
  EXPECT_EQ(planned.plan.values, (Lists{{1, 2}}));
  EXPECT_EQ(planned.plan.parameters, std::vector<std::string>{"trials"});
  EXPECT_EQ(planned.plan.others.at("block"), 9);
}

TEST(SweepDeck, WrittenBackItReadsTheSame) {
  const TemporaryFolder folder;
  write_text(folder / "a.yaml",
             "sweep: {kernel: seeding, parameter: [trials, block], values: [[1, 7], [4]], problem: {sections: 3}}\n"
             "seeding: {host_draws: true}\noutput: {folder: out}\n");
  SweepDeck first;
  const DeckKeys first_keys = sweep_keys(first);
  load_deck_with_output(folder / "a.yaml", {}, first_keys, first.output_folder);
  write_text(folder / "b.yaml", first_keys.to_yaml());
  SweepDeck second;
  const DeckKeys second_keys = sweep_keys(second);
  load_deck_with_output(folder / "b.yaml", {}, second_keys, second.output_folder);
  EXPECT_EQ(first_keys.to_yaml(), second_keys.to_yaml());
  EXPECT_EQ(second.values, first.values);
  EXPECT_EQ(second.problem.sections, 3);
}

TEST(SweepDeck, TheBundledDecksAreGood) {
  const fs::path inputs = fs::path(KOKKOSORT_SOURCE_DIR) / "inputs";
  std::set<std::string> swept;
  for (const auto& entry : fs::directory_iterator(inputs))
    if (entry.path().filename().string().starts_with("sweep_")) swept.insert(plan_file(entry.path()).plan.kernel->name);
  for (const SweepKernelInfo& kernel : sweep_kernels()) EXPECT_TRUE(swept.contains(kernel.name)) << kernel.name;
}

/// The README shows the kernels as the registry has them.
TEST(SweepDeck, TheReadmeNamesEveryTunable) {
  const std::string readme = read_text(fs::path(KOKKOSORT_SOURCE_DIR) / "README.md");
  for (const SweepKernelInfo& kernel : sweep_kernels())
    for (const Tunable& tunable : kernel.tunables) {
      const std::size_t row = readme.find("| `" + kernel.name + "` |");
      ASSERT_NE(row, std::string::npos) << kernel.name;
      EXPECT_NE(readme.substr(row, readme.find('\n', row) - row).find("`" + tunable.name + "`"), std::string::npos)
          << kernel.name << "." << tunable.name;
    }
}

TEST(SweepDeckErrors, WhatCannotBeSwept) {
  const std::string good = "sweep: {kernel: seeding, parameter: block, values: [4]}\n";
  EXPECT_EQ(error_of("sweep: {parameter: block, values: [4]}\n").find("deck.yaml: sweep.kernel is missing"), 0u);
  EXPECT_NE(error_of(good, {"sweep.kernel=sorting"}).find("it must be one of seeding, seeding_steps, "), std::string::npos);
  EXPECT_NE(error_of(good, {"sweep.parameter=blocks"}).find("seeding has block, trials, seeds, host_draws"), std::string::npos);
  EXPECT_NE(error_of(good, {"sweep.values=[4, 0]"}).find("has 0 for block; it must be from 1 to "), std::string::npos);
  EXPECT_NE(error_of(good, {"sweep.values=[[4], [5]]"}).find("has 2 lists for 1 parameters"), std::string::npos);
  EXPECT_NE(error_of(good, {"sweep.parameter=[block, block]", "sweep.values=[[4], [5]]"}).find("names one twice"), std::string::npos);
  for (const std::string values : {"[]", "[a]", "[4, [5]]", "[[4], 5]", "{a: 1}", "[4"})
    EXPECT_NE(error_of(good, {"sweep.values=" + values}).find("it must be a list of whole numbers"), std::string::npos) << values;
  EXPECT_NE(error_of(good, {"seeding.trials=17"}).find("from 0 to 16"), std::string::npos);
  EXPECT_NE(error_of(good + "neighbors: {tile_spikes: 4}\n").find("nearest"), std::string::npos);
}

}  // namespace
}  // namespace kokkosort::test
