#include "driver/deck.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "driver/cluster_deck.hpp"
#include "driver/common_keys.hpp"
#include "driver/match_deck.hpp"
#include "io/temporary_folder.hpp"
#include "kokkosort/errors.hpp"

namespace kokkosort::test {
namespace {

namespace fs = std::filesystem;

ClusterDeck load(const fs::path& path, const std::vector<std::string>& overrides = {}) {
  ClusterDeck deck;
  const DeckKeys keys = cluster_keys(deck);
  load_deck_with_output(path, overrides, keys, deck.output_folder);
  return deck;
}

ClusterDeck load_text(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const TemporaryFolder folder;
  write_text(folder / "deck.yaml", text);
  return load(folder / "deck.yaml", overrides);
}

const std::string smallest = "input: {features: f.h5}\n";

/// The one line that loading ends with.
std::string error_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const std::string message = message_of<InputError>([&] { load_text(text, overrides); });
  EXPECT_NE(message, "") << text;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  return message.substr(message.find("deck.yaml") == std::string::npos ? 0 : message.find("deck.yaml"));
}

TEST(Deck, DefaultsAreTheOptionsOwn) {
  const ClusterDeck deck = load_text(smallest);
  EXPECT_EQ(deck.group, "detected");
  EXPECT_EQ(deck.clustering.seeding.seeds, ClusteringOptions().seeding.seeds);
  EXPECT_EQ(deck.clustering.device_limit_bytes, ClusteringOptions().device_limit_bytes);
}

TEST(Deck, SetsEveryKindOfKey) {
  const ClusterDeck deck = load_text(
      "input:\n  features: f.h5\n  group: matched\n"
      "clustering: {seeds: 7, resolution: 1.5e-1, null_model: degree, refractory: on, max_chunk_dots: "
      "100}\n"
      "memory:\n  device_limit_mb: 3\nseed: 18446744073709551615\nthreads: 2\noutput:\n");
  EXPECT_EQ(deck.group, "matched");
  EXPECT_EQ(deck.clustering.seeding.seeds, 7);
  EXPECT_EQ(deck.clustering.assignment.resolution, 0.15);
  EXPECT_EQ(deck.clustering.assignment.null_model, NullModel::degree);
  EXPECT_TRUE(deck.clustering.splits.refractory);
  EXPECT_EQ(deck.clustering.neighbours.max_chunk_dots, 100u);
  EXPECT_EQ(deck.clustering.device_limit_bytes, std::size_t{3} << 20);
  EXPECT_EQ(deck.clustering.seed, 18446744073709551615u);
  EXPECT_EQ(deck.threads, 2);
}

TEST(Deck, PathsStartFromTheDeckAndThoseOfOverridesFromHere) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "decks");
  write_text(folder / "decks/mine.yaml", "input: {features: ../data/f.h5}\n");
  const ClusterDeck deck = load(folder / "decks/mine.yaml");
  EXPECT_EQ(deck.features, folder / "data/f.h5");
  EXPECT_EQ(deck.result(), folder / "decks/results/mine/clusters.h5");

  const ClusterDeck other = load(folder / "decks/mine.yaml", {"input.features=g.h5", "output.folder=/out"});
  EXPECT_EQ(other.features, fs::current_path() / "g.h5");
  EXPECT_EQ(other.result(), "/out/clusters.h5");
}

TEST(Deck, TheLastOverrideHolds) {
  const ClusterDeck deck = load_text(smallest + "clustering: {seeds: 1}\n",
                                     {"clustering.seeds=2", "clustering.seeds=3", "input.group=a=b"});
  EXPECT_EQ(deck.clustering.seeding.seeds, 3);
  EXPECT_EQ(deck.group, "a=b");
}

TEST(Deck, AnOverrideMayGiveWhatTheDeckLacks) {
  EXPECT_EQ(load_text("seed: 3\n", {"input.features=/f.h5"}).features, "/f.h5");
}

TEST(Deck, WrittenBackItReadsTheSame) {
  const TemporaryFolder folder;
  write_text(folder / "a.yaml",
             "input: {features: 'with \"quotes\": and # signs.h5', group: \"on\"}\n"
             "clustering: {resolution: 0.1, refractory: off, trials: 16}\nseed: 9\n");
  ClusterDeck first;
  const DeckKeys first_keys = cluster_keys(first);
  load_deck_with_output(folder / "a.yaml", {}, first_keys, first.output_folder);
  write_text(folder / "b.yaml", first_keys.to_yaml());
  ClusterDeck second;
  const DeckKeys second_keys = cluster_keys(second);
  load_deck_with_output(folder / "b.yaml", {}, second_keys, second.output_folder);
  EXPECT_EQ(first_keys.to_yaml(), second_keys.to_yaml());
  EXPECT_EQ(second.features, first.features);
  EXPECT_FALSE(second.clustering.splits.refractory);
}

TEST(Deck, EveryDefaultIsAllowed) {
  ClusterDeck deck;
  const DeckKeys keys = cluster_keys(deck);
  for (const DeckKey& key : keys.all()) {
    const std::string value = key.get();
    EXPECT_TRUE(value.empty() || key.set(value, "/")) << key.name;
  }
}

TEST(Deck, TheBundledDecksAreGood) {
  const fs::path inputs = fs::path(KOKKOSORT_SOURCE_DIR) / "inputs";
  ClusterDeck defaults;
  const DeckKeys keys = cluster_keys(defaults);
  const std::string before = keys.to_yaml();
  load_deck_with_output(inputs / "features.yaml", {}, keys, defaults.output_folder);
  defaults.features.clear();
  defaults.output_folder.clear();
  EXPECT_EQ(keys.to_yaml(), before);  // it says that it shows the defaults
  for (const DeckKey& key : keys.all()) {
    const std::string word = key.name.substr(key.name.rfind('.') + 1) + ": ";
    EXPECT_NE(read_text(inputs / "features.yaml").find(word), std::string::npos) << key.name;
  }
}

TEST(Deck, TheBundledMatchingDeckShowsAllKeysWithTheirDefaults) {
  const fs::path path = fs::path(KOKKOSORT_SOURCE_DIR) / "inputs/match.yaml";
  MatchDeck deck;
  const DeckKeys keys = match_keys(deck);
  const std::string before = keys.to_yaml();
  load_deck_with_output(path, {}, keys, deck.output_folder);
  EXPECT_EQ(deck.result(), path.parent_path() / "results/match/matched.h5");
  deck.recording.clear();
  deck.templates.clear();
  deck.output_folder.clear();
  EXPECT_EQ(keys.to_yaml(), before);
  for (const DeckKey& key : keys.all()) {
    const std::string word = key.name.substr(key.name.rfind('.') + 1) + ": ";
    EXPECT_NE(read_text(path).find(word), std::string::npos) << key.name;
    const std::string value = key.get();
    EXPECT_TRUE(value.empty() || key.set(value, "/")) << key.name;
  }
}

MatchDeck load_match(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const TemporaryFolder folder;
  write_text(folder / "deck.yaml", "input:\n  templates: t.h5\n" + text);
  MatchDeck deck;
  const DeckKeys keys = match_keys(deck);
  load_deck_with_output(folder / "deck.yaml", overrides, keys, deck.output_folder);
  for (fs::path& path : deck.recording) path = path.lexically_relative(folder.path());
  return deck;
}

TEST(Deck, PathsAreOneOrAList) {
  using Paths = std::vector<fs::path>;
  EXPECT_EQ(load_match("  recording: a.bin\n").recording, Paths{"a.bin"});
  EXPECT_EQ(load_match("  recording: [a.bin, 'b: c.bin', ../d#.bin]\n").recording,
            (Paths{"a.bin", "b: c.bin", "../d#.bin"}));
  EXPECT_EQ(load_match("  recording:\n    - a.bin\n    - \"b\\\"c\"\n").recording, (Paths{"a.bin", "b\"c"}));
  for (const std::string name : {"'a: b, c #.bin'", "./[a].bin", "'{a}'", "'\"a\"'", "007", "'~'"}) {
    const MatchDeck deck = load_match("  recording: " + name + "\n");
    EXPECT_EQ(deck.recording.size(), 1u) << name;
  }
  for (const std::string name : {"'[a.bin, b.bin]'", "\"[a].bin\"", "'[a.bin'"})
    EXPECT_EQ(load_match("  recording: " + name + "\n").recording,
              Paths{fs::path(name.substr(1, name.size() - 2))});
  EXPECT_EQ(load_match("  recording: ['[a].bin', b.bin]\n").recording, (Paths{"[a].bin", "b.bin"}));
  EXPECT_EQ(load_match("", {"input.recording=./[x].bin"}).recording.size(), 1u);
  EXPECT_EQ(load_match("", {"input.recording=/x/a: b.bin"}).recording.size(), 1u);
  EXPECT_EQ(load_match("", {"input.recording=[/x/a.bin, /x/b.bin]"}).recording.size(), 2u);
}

TEST(Deck, PathsWrittenBackReadTheSame) {
  MatchDeck first, second;
  const DeckKeys first_keys = match_keys(first), second_keys = match_keys(second);
  first.templates = "/t.h5";
  first.output_folder = "/out";
  first.recording = {"/a.bin", "/with \"quotes\": and # signs, [b].bin", "/c\nd"};
  const TemporaryFolder folder;
  write_text(folder / "deck.yaml", first_keys.to_yaml());
  load_deck_with_output(folder / "deck.yaml", {}, second_keys, second.output_folder);
  EXPECT_EQ(second.recording, first.recording);
  EXPECT_EQ(second_keys.to_yaml(), first_keys.to_yaml());
}

TEST(Deck, PathsInAListMayHaveBytesThatAreNoText) {
  const std::string name = "caf\xe9\x0e, \"1\"\\";
  const MatchDeck deck = load_match("  recording: [" + yaml_text(name) + ", b.bin, '~', 'null']\n");
  EXPECT_EQ(deck.recording, (std::vector<fs::path>{name, "b.bin", "~", "null"}));
}

TEST(DeckErrors, PathsThatAreNone) {
  for (const std::string text : {"''", "[]", "[a.bin, '']", "[[a.bin]]", "{a: b}", "~", "[a.bin, ~]",
                                 "\"a\\0.bin\"", "[\"a\\0.bin\"]"}) {
    const std::string message = message_of<InputError>([&] { load_match("  recording: " + text + "\n"); });
    EXPECT_NE(message.find("deck.yaml:3: input.recording "), std::string::npos) << text << ": " << message;
    EXPECT_NE(message.find("it must be a path, or a list of paths"), std::string::npos)
        << text << ": " << message;
  }
  for (const std::string text :
       {"[x].bin", "[a.bin] b.bin", "[a.bin] [b.bin]", "[a.bin], [b.bin]", "[a.bin] # ]", "[a.bin]]",
        "[a.bin", "[a.bin]\n---\n[b.bin]", "[[a.bin]]", "[]", ""})
    EXPECT_NE(message_of<InputError>([&] {
                load_match("", {"input.recording=" + text});
              }).find("it must be a path, or a list of paths"),
              std::string::npos)
        << text;
  EXPECT_NE(message_of<InputError>([] { load_match("  recording: [a.bin] b.bin\n"); }), "");
  EXPECT_NE(message_of<InputError>([] { load_match("  dtype: int16\n"); }).find("input.recording is missing"),
            std::string::npos);
}

TEST(Deck, TellsWhetherAKeyIsSet) {
  const TemporaryFolder folder;
  const auto sets = [&](const std::string& text, const std::string& name,
                        const std::vector<std::string>& overrides = {}) {
    write_text(folder / "deck.yaml", text);
    return deck_sets(folder / "deck.yaml", overrides, name);
  };
  EXPECT_TRUE(sets("sweep: {kernel: x}", "sweep"));
  EXPECT_TRUE(sets("input: {recording: x}", "input.recording"));
  EXPECT_TRUE(sets("input: {recording: x}", "input"));
  EXPECT_TRUE(sets("", "input.recording", {"input.recording=x"}));
  EXPECT_TRUE(sets("", "sweep", {"sweep.kernel=x"}));
  EXPECT_FALSE(sets("input: {templates_dataset: x}", "input.templates", {"input.templates_dataset=x"}));
  for (const std::string text : {"", "input", "input: x", "input: [recording]", "- input",
                                 "input: {features: x}", "input: {recording: x", "recording: x"})
    EXPECT_FALSE(sets(text, "input.recording")) << text;
  EXPECT_FALSE(deck_sets(folder / "none.yaml", {}, "sweep"));
}

TEST(DeckErrors, UnknownKeysNameTheNearest) {
  EXPECT_EQ(
      error_of(smallest + "clustering:\n  neigbours: 10\n"),
      "deck.yaml:3: unknown key 'clustering.neigbours'; the nearest known key is clustering.neighbours");
  EXPECT_NE(error_of(smallest + "seeds: 10\n").find("nearest known key is clustering.seeds"),
            std::string::npos);
  EXPECT_NE(error_of(smallest + "min_ratio: 10\n").find("nearest known key is clustering.min_ratio"),
            std::string::npos);
  EXPECT_EQ(error_of("inptu: {features: f.h5}\n"),
            "deck.yaml:1: unknown group 'inptu'; the nearest known group is input");
  EXPECT_NE(error_of(smallest + "clusterng: {seeds: 3}\n").find("nearest known group is clustering"),
            std::string::npos);
  EXPECT_EQ(error_of(smallest, {"clustering.trails=3"}),
            "command line: unknown key 'clustering.trails'; the nearest known key is clustering.trials");
}

TEST(DeckErrors, DecksOfOtherCommandsAreRecognised) {
  const std::string match = "; this looks like a deck of match";
  EXPECT_EQ(error_of("input: {recording: r.bin, templates: t.h5}\noutput: {folder: out}\n"),
            "deck.yaml:1: unknown key 'input.recording'" + match);
  EXPECT_EQ(error_of("seed: 1\nmatching: {threshold: 9, max_peels: 3}\n"),
            "deck.yaml:2: unknown group 'matching'; this looks like a deck of sort");
  EXPECT_EQ(error_of("input: {recording: r.bin, probe: p.json}\n"),
            "deck.yaml:1: unknown key 'input.recording'; this looks like a deck of sort");
  EXPECT_EQ(error_of("seed: 1\n", {"input.recording=r.bin", "input.templates=t.h5"}),
            "command line: unknown key 'input.recording'" + match);
  EXPECT_NE(
      error_of("sweep: {kernel: neighbours, problem: {points: 3}}\n").find("looks like a deck of sweep"),
      std::string::npos);
  EXPECT_EQ(
      error_of(smallest + "matching: {threshold: 9}\n"),
      "deck.yaml:2: unknown group 'matching', which decks of match, sort have; the nearest known group is "
      "clustering");
  EXPECT_NE(message_of<InputError>([] {
              load_match("  features: f.h5\n  group: matched\nseed: 3\n");
            }).find(":3: unknown key 'input.features'; this looks like a deck of cluster"),
            std::string::npos);
  for (const auto& [name, command] :
       {std::pair{"match", "match"}, {"demo", "sort"}, {"sweep_neighbours", "sweep"}}) {
    const fs::path path = fs::path(KOKKOSORT_SOURCE_DIR) / "inputs" / (std::string(name) + ".yaml");
    if (!fs::exists(path)) continue;
    const std::string message = message_of<InputError>([&] { load(path); });
    EXPECT_NE(message.find(std::string("looks like a deck of ") + command), std::string::npos) << message;
  }
}

TEST(DeckErrors, ValuesThatAreNotAllowed) {
  EXPECT_EQ(error_of(smallest + "\nclustering:\n  seeds: many\n"),
            "deck.yaml:4: clustering.seeds is 'many'; it must be a whole number from 1 to 200");
  for (const std::string value : {"0", "201", "-1", "1.5", "1e2", "0x10", "99999999999999999999", "[1, 2]",
                                  "{a: 1}", "\"100\"", "", "~", "nan"})
    EXPECT_NE(error_of(smallest + "clustering: {seeds: " + value + "}\n").find("clustering.seeds is "),
              std::string::npos);
  for (const std::string value : {"nan", "inf", ".nan", "-0.1", "1,5", "1 2"})
    EXPECT_NE(
        error_of(smallest + "clustering:\n  min_bimodality: " + value + "\n").find("a number from 0 to 1"),
        std::string::npos);
  EXPECT_NE(error_of(smallest + "clustering: {neighbours: 33}\n").find("from 1 to 32"), std::string::npos);
  EXPECT_NE(error_of(smallest + "clustering: {trials: 17}\n").find("from 0 to 16"), std::string::npos);
  EXPECT_NE(error_of(smallest + "clustering: {null_model: Degree}\n").find("one of degree, kilosort"),
            std::string::npos);
  EXPECT_NE(error_of(smallest + "clustering: {refractory: true}\n").find("one of on, off"),
            std::string::npos);
  EXPECT_NE(error_of(smallest + "memory: {host_limit_mb: 0}\n").find("megabytes from 1 to 1073741824"),
            std::string::npos);
  EXPECT_NE(error_of(smallest + "memory: {host_limit_mb: 18446744073709551615}\n").find("megabytes"),
            std::string::npos);
  EXPECT_NE(error_of("input: {features: ''}\n").find("it must be a path"), std::string::npos);
  EXPECT_EQ(error_of(smallest, {"threads=all"}),
            "command line: threads is 'all'; it must be a whole number from 0 to 512");
}

TEST(DeckErrors, ZeroBytes) {
  EXPECT_EQ(error_of("input: {features: \"f\\0.h5\"}\n"),
            "deck.yaml:1: input.features holds a zero byte; it must be a path");
  EXPECT_EQ(error_of("input:\n  group: \"detected\\0\"\n"),
            "deck.yaml:2: input.group holds a zero byte; it must be text");
}

TEST(DeckErrors, MissingAndRepeatedKeys) {
  EXPECT_NE(error_of("seed: 1\n").find("deck.yaml: input.features is missing; it must be a path"),
            std::string::npos);
  EXPECT_EQ(error_of(smallest + "seed: 1\nseed: 2\n"), "deck.yaml:3: seed is given twice");
  EXPECT_EQ(error_of(smallest + "input: {group: matched}\n"), "deck.yaml:2: input is given twice");
  EXPECT_NE(error_of(smallest, {"seed"}).find("not of the form section.key=value"), std::string::npos);
}

TEST(DeckErrors, Shapes) {
  for (const std::string text : {"- input\n", "input\n", "42\n", "~\n", "", "# nothing\n", "\n\n"})
    error_of(text);
  EXPECT_EQ(error_of(smallest + "clustering: 3\n"),
            "deck.yaml:2: clustering is a group of keys, not a value");
  EXPECT_NE(error_of(smallest + "clustering: [seeds, 3]\n").find("group of keys"), std::string::npos);
  EXPECT_NE(error_of(smallest + "? [a, b]\n: 1\n").find("a key must be a word"), std::string::npos);
  EXPECT_NE(error_of(smallest + "---\n" + smallest).find("second document"), std::string::npos);
}

TEST(DeckErrors, WhatIsNoYaml) {
  EXPECT_NE(error_of(smallest + "clustering: {seeds: 3\n").find("is not YAML"), std::string::npos);
  EXPECT_NE(error_of("a: b: c\n").find("deck.yaml:1: is not YAML"), std::string::npos);
  EXPECT_NE(error_of(smallest + "\tseed: 1\n").find("is not YAML"), std::string::npos);
  EXPECT_NE(error_of("seed: *nothing\n").find("is not YAML"), std::string::npos);
  error_of(std::string(100000, '['));
  EXPECT_NE(error_of(smallest + "...\n, more\n").find("second document"), std::string::npos);  // without end
  EXPECT_EQ(error_of(smallest, {"clustering.seeds=1\n...\n, 2"}).find('\n'), std::string::npos);
  EXPECT_NE(error_of(std::string("\x89HDF\r\n\x1a\n\0\0", 10)).find("is not a deck"), std::string::npos);
  EXPECT_NE(error_of(std::string(2 << 20, ' ')).find("is not a deck"), std::string::npos);

  const TemporaryFolder folder;
  EXPECT_NE(
      message_of<InputError>([&] { load(folder / "none.yaml"); }).find("none.yaml: there is no such deck"),
      std::string::npos);
  EXPECT_NE(message_of<InputError>([&] { load(folder.path()); }).find("is a folder"), std::string::npos);
}

TEST(DeckErrors, AliasesThatMultiplyAreNotFollowed) {
  std::string bomb = "clustering: {seeds: &a0 [1, 1]}\nx0: &b0 [*a0]\n";
  for (int i = 1; i < 40; ++i)
    bomb += "x" + std::to_string(i) + ": &b" + std::to_string(i) + " [*b" + std::to_string(i - 1) + ", *b" +
            std::to_string(i - 1) + "]\n";
  EXPECT_NE(error_of(bomb).find("clustering.seeds is a list"), std::string::npos);
  error_of("clustering: &a\n  clustering: *a\n");
}

/// A part of a deck many times over.
std::string repeated(const std::string& part, int n) {
  std::string text;
  for (int i = 0; i < n; ++i) text += part;
  return text;
}

TEST(DeckErrors, DeepNestingIsRefused) {
  for (const std::string part : {"[", "{a: ", "- ", "? ", "[{? ", "&a [", "!t {a: "})
    EXPECT_NE(error_of("seed: 1\nx:\n  " + repeated(part, 20000)).find("is not YAML"), std::string::npos)
        << part;
  for (const std::string part : {"[", "{a: ", "clustering: {"})
    EXPECT_LT(
        error_of("clustering: " + repeated(part, 300) + "1" + repeated(part == "[" ? "]" : "}", 300)).size(),
        300u);
}

TEST(DeckErrors, LongKeysAndOddOnesAreShownInALine) {
  EXPECT_LT(error_of("input: {features: f.h5}\n? " + std::string(500000, 'k') + "\n: 1\n").size(), 300u);
  const std::string twice = std::string(900, 'k') + ": {}\n";
  EXPECT_LT(error_of("x: " + twice + twice).size(), 300u);
  for (const std::string key : {"a\\nb", "a\\eb", "a\\x7fb", "\\0"})
    for (const char c : error_of(smallest + "\"" + key + "\": 1\n" + "\"" + key + "\": 2\n"))
      EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) << key;
}

TEST(DeckErrors, WhatIsNoFileIsNotWaitedFor) {
  const TemporaryFolder folder;
  const auto error = [&](const std::string& name) {
    return message_of<InputError>([&] { load(folder / name); });
  };
  ASSERT_EQ(mkfifo((folder / "pipe.yaml").c_str(), 0600), 0);
  EXPECT_NE(error("pipe.yaml").find("pipe.yaml: is empty"), std::string::npos) << error("pipe.yaml");
  fs::create_symlink("loop.yaml", folder / "loop.yaml");
  EXPECT_NE(error("loop.yaml").find("loop.yaml: cannot be opened: Too many levels"), std::string::npos)
      << error("loop.yaml");
  EXPECT_NE(message_of<InputError>([] { load("/dev/zero"); }).find("/dev/zero: is not a deck"),
            std::string::npos);
  EXPECT_NE(message_of<InputError>([] { load("/dev/null"); }).find("/dev/null: is empty"), std::string::npos);
  if (geteuid() == 0) return;  // may read everything
  write_text(folder / "secret.yaml", smallest);
  fs::permissions(folder / "secret.yaml", fs::perms::none);
  EXPECT_NE(error("secret.yaml").find("Permission denied"), std::string::npos) << error("secret.yaml");
}

}  // namespace
}  // namespace kokkosort::test
