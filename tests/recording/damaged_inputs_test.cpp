// Thousands of damaged files: each is read, or refused in one line.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "kokkosort/recording/spikeglx.hpp"
#include "recording/probe_inputs.hpp"
#include "recording/probe_samples.hpp"
#include "recording/spikeglx_samples.hpp"

namespace kokkosort::test {
namespace {

const std::vector<std::string> tokens{"[",
                                      "]",
                                      "{",
                                      "}",
                                      "(",
                                      ")",
                                      ":",
                                      ",",
                                      "\"",
                                      "'",
                                      "'''",
                                      "\\",
                                      "#",
                                      "=",
                                      "-",
                                      "-1",
                                      "0",
                                      "1e9",
                                      "1e99",
                                      "1e999",
                                      "NaN",
                                      "null",
                                      "true",
                                      "4294967296",
                                      "0.5",
                                      "\n",
                                      "\r",
                                      ";",
                                      "\t",
                                      "\x01",
                                      "\xff",
                                      "all",
                                      "range",
                                      "range(",
                                      "list(",
                                      "None",
                                      "(0:0:0:1)",
                                      "()",
                                      "[]",
                                      "{}",
                                      "[[",
                                      "{0:",
                                      "99999999999999999999",
                                      std::string(1, '\0'),
                                      "\xef\xbb\xbf",
                                      "e",
                                      ".",
                                      "+",
                                      " "};

/// Changes a text in a few places: bytes, tokens put in, parts taken out, doubled or exchanged.
std::string damaged(std::string text, std::mt19937_64& random) {
  const auto below = [&](std::size_t n) {
    return static_cast<std::size_t>(random() % std::max<std::size_t>(n, 1));
  };
  for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
    const std::size_t place = below(text.size() + 1);
    const std::size_t length = 1 + below(random() % 2 == 0 ? 4 : 40);
    switch (random() % 6) {
      case 0:
        if (place < text.size()) text[place] = static_cast<char>(random() % 256);
        break;
      case 1:
        text.erase(place, length);
        break;
      case 2:
        text.insert(place, text.substr(below(text.size()), length));
        break;
      case 3:
        text.replace(place, std::min(length, text.size() - place), tokens[below(tokens.size())]);
        break;
      case 4:
        text.insert(place, tokens[below(tokens.size())]);
        break;
      default:
        text.resize(random() % 8 == 0 ? place : text.size());
    }
  }
  return text;
}

/// @return how many of the damaged texts are read all the same
int expect_read_or_refused(const std::string& name, const std::string& text,
                           const std::function<std::size_t(const std::filesystem::path&)>& read) {
  constexpr std::uint64_t seed = 7;
  constexpr int n = 4000;
  std::mt19937_64 random(seed);
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / name;
  int n_read = 0;
  for (int i = 0; i < n; ++i) {
    const std::string bad = damaged(text, random);
    std::filesystem::remove(path);  // to write over it would wait for the disk
    write_text(path, bad);
    try {
      EXPECT_GT(read(path), 0u) << "seed " << seed << ", text " << i << ":\n" << bad;
      ++n_read;
    } catch (const InputError& error) {
      const std::string message = error.what();
      EXPECT_TRUE(begins(message, path.string() + ": ")) << "seed " << seed << ", text " << i << ":\n" << bad;
      EXPECT_TRUE(std::none_of(message.begin(), message.end(), [](char c) { return c >= 0 && c < ' '; }))
          << message << "\nseed " << seed << ", text " << i << ":\n"
          << bad;
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what() << "\nseed " << seed << ", text " << i << ":\n" << bad;
    }
  }
  EXPECT_LT(n_read, n);
  return n_read;
}

TEST(DamagedInputs, ProbesAreReadOrRefusedInOneLine) {
  for (const std::string text : {kilosort_json, probeinterface_json, prb}) {
    const int n = expect_read_or_refused("a.probe", text, [](const std::filesystem::path& path) {
      const ProbeFile file = read_probe(path);
      EXPECT_EQ(file.probe.x_um.size(), file.n_channels());
      EXPECT_EQ(file.probe.y_um.size(), file.n_channels());
      EXPECT_EQ(file.probe.shank.size(), file.n_channels());
      return file.n_channels();
    });
    EXPECT_GT(n, 0);
  }
}

TEST(DamagedInputs, SpikeGlxMetaFilesAreReadOrRefusedInOneLine) {
  for (const std::string text : {np1_meta, np2_meta, ni_meta}) {
    const int n = expect_read_or_refused("a.meta", text, [](const std::filesystem::path& path) {
      const SpikeGlxMeta meta = read_spikeglx_meta(path);
      EXPECT_LE(meta.n_neural, meta.n_columns);
      EXPECT_LE(meta.probe.n_channels(), meta.n_neural);
      EXPECT_GE(meta.gain_to_uv, 0.0);
      return meta.n_neural;
    });
    EXPECT_GT(n, 0);
  }
}

}  // namespace
}  // namespace kokkosort::test
