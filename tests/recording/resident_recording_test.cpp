// A recording whose beginning stays on the device, and how its samples get there.
#include "recording/resident_recording.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "execution_spaces.hpp"
#include "host_copies.hpp"
#include "io/temporary_folder.hpp"
#include "kokkosort/errors.hpp"
#include "recording/load_traces.hpp"
#include "recording/window_reader.hpp"

namespace kokkosort::test {
namespace {

constexpr std::size_t width = 3;  // channels
constexpr std::size_t sample_bytes = width * sizeof(std::int16_t);

/// Counts the samples that are read; refuses some.
class WatchedRecording final : public Recording {
 public:
  WatchedRecording(std::int64_t n_samples, bool in_parallel)
      : samples_(counting(static_cast<std::size_t>(n_samples) * width), width), in_parallel_(in_parallel) {}

  std::int64_t n_samples() const override { return samples_.n_samples(); }
  std::size_t n_channels() const override { return samples_.n_channels(); }
  SampleType type() const override { return samples_.type(); }
  void read(std::int64_t first, std::size_t count, void* to) override {
    const auto last = first + static_cast<std::int64_t>(count);
    for (const std::int64_t sample : unreadable)
      if (sample >= first && sample < last)
        throw InputError("sample " + std::to_string(sample) + " cannot be read");
    n_read += count;
    ++n_calls;
    samples_.read(first, count, to);
  }
  bool reads_in_parallel() const override { return in_parallel_; }

  std::atomic<std::size_t> n_read{0};
  std::atomic<int> n_calls{0};
  std::vector<std::int64_t> unreadable;

 private:
  static std::vector<std::int16_t> counting(std::size_t n) {
    std::vector<std::int16_t> values(n);
    std::iota(values.begin(), values.end(), std::int16_t{0});
    return values;
  }

  MemoryRecording samples_;
  bool in_parallel_;
};

/// Samples in device memory as the recording has them.
template <class View>
void expect_samples(const View& bytes, SampleRange range) {
  const auto on_host = to_host(bytes);
  ASSERT_EQ(on_host.size(), range.size() * sample_bytes);
  const auto* const values = reinterpret_cast<const std::int16_t*>(on_host.data());
  for (std::size_t i = 0; i < range.size() * width; ++i)
    ASSERT_EQ(values[i], static_cast<std::int16_t>(static_cast<std::size_t>(range.first) * width + i)) << i;
}

TEST(SampleSet, KnowsWhatIsMissing) {
  const auto as_text = [](const std::vector<SampleRange>& ranges) {
    std::string text;
    for (const SampleRange& range : ranges)
      text += std::to_string(range.first) + "-" + std::to_string(range.last) + " ";
    return text;
  };
  SampleSet set;
  EXPECT_EQ(as_text(set.missing({3, 9})), "3-9 ");
  set.add({10, 20});
  set.add({40, 50});
  set.add({7, 7});
  EXPECT_EQ(as_text(set.missing({0, 60})), "0-10 20-40 50-60 ");
  EXPECT_EQ(as_text(set.missing({12, 20})), "");
  EXPECT_EQ(as_text(set.missing({15, 45})), "20-40 ");
  EXPECT_EQ(as_text(set.missing({20, 40})), "20-40 ");
  set.add({20, 25});
  set.add({0, 2});
  EXPECT_EQ(as_text(set.missing({0, 60})), "2-10 25-40 50-60 ");
  set.add({1, 45});
  EXPECT_EQ(as_text(set.missing({0, 60})), "50-60 ");
}

template <class Exec>
class ResidentRecordingTest : public testing::Test {};
TYPED_TEST_SUITE(ResidentRecordingTest, ExecutionSpaces, ExecutionSpaceName);

/// Pieces of one sample and more, fewer and more threads than pieces; one call where a recording wants one
/// thread.
TYPED_TEST(ResidentRecordingTest, SeveralThreadsReadPieces) {
  for (const bool in_parallel : {false, true})
    for (const std::size_t piece_bytes : {std::size_t{1}, 7 * sample_bytes + 1, std::size_t{1} << 20})
      for (const std::size_t threads : {1u, 3u, 8u}) {
        WatchedRecording recording(1000, in_parallel);
        SampleReader<TypeParam> reader(TypeParam(), recording, {threads, piece_bytes});
        for (const SampleRange& range : {SampleRange{0, 1000}, {10, 31}, {5, 5}, {999, 1000}}) {
          const Vector<unsigned char, TypeParam> there("kokkosort::test::there", reader.bytes(range.size()));
          reader.reserve(range.size());
          recording.n_calls = 0;
          reader.read(range, there.data());
          expect_samples(there, range);
          const int expected_calls = range.size() > 0 ? 1 : 0;
          EXPECT_TRUE(in_parallel || recording.n_calls == expected_calls);
        }
      }
}

/// Whichever thread fails first, the reason is the first one of the recording.
TYPED_TEST(ResidentRecordingTest, TheFirstFailureIsTold) {
  WatchedRecording recording(1000, true);
  recording.unreadable = {900, 707, 703, 702, 800};
  SampleReader<TypeParam> reader(TypeParam(), recording, {4, sample_bytes});
  reader.reserve(1000);
  const Vector<unsigned char, TypeParam> there("kokkosort::test::there", reader.bytes(1000));
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(message_of<InputError>([&] {
                reader.read({0, 1000}, there.data());
              }),
              "sample 702 cannot be read");
}

/// What is kept is read once, whichever windows ask for it; what is not, whenever it is asked for.
TYPED_TEST(ResidentRecordingTest, IsReadOnce) {
  constexpr std::int64_t n_kept = 500;
  const std::vector<SampleRange> windows = {{0, 120},   {100, 300}, {290, 290},  {400, 500},
                                            {450, 501}, {600, 700}, {1000, 1000}};
  WatchedRecording whole(1000, true);
  ResidentRecording<TypeParam> resident(TypeParam(), whole, n_kept * sample_bytes + sample_bytes - 1);
  EXPECT_EQ(resident.device_bytes(), n_kept * sample_bytes);
  const std::size_t not_kept = 51 + 100;
  for (const std::size_t expected : {300 + 100 + not_kept, not_kept, not_kept}) {
    TransferLedger ledger;
    StageTimes times;
    whole.n_read = 0;
    WindowReader<TypeParam> reader(TypeParam(), resident, windows, "test", ledger, times);
    for (const SampleRange& window : windows) {
      const StoredWindow<TypeParam> stored = reader.next();
      EXPECT_EQ(stored.range.first, window.first);
      expect_samples(stored.bytes, window);
    }
    EXPECT_EQ(whole.n_read, expected);
    EXPECT_EQ(ledger.entries().at({"test", "window", Direction::up}).bytes, expected * sample_bytes);
  }
  EXPECT_EQ(WindowReader<TypeParam>::device_bytes(resident, windows), 2 * 100 * sample_bytes);
  EXPECT_EQ(WindowReader<TypeParam>::device_bytes(whole, windows), 2 * 200 * sample_bytes);

  resident.release();
  EXPECT_EQ(resident.device_bytes(), 0u);
  TransferLedger ledger;
  StageTimes times;
  WindowReader<TypeParam> reader(TypeParam(), resident, {{0, 120}}, "test", ledger, times);
  expect_samples(reader.next().bytes, {0, 120});
}

/// A window that could not be read is read again by the next who asks for it.
TYPED_TEST(ResidentRecordingTest, AFailureLeavesNothingFilled) {
  WatchedRecording whole(100, true);
  whole.unreadable = {60};
  ResidentRecording<TypeParam> resident(TypeParam(), whole, 100 * sample_bytes);
  resident.reader().reserve(100);
  EXPECT_EQ(resident.fill({0, 50}), 50 * sample_bytes);
  EXPECT_THROW(resident.fill({40, 100}), InputError);
  whole.unreadable.clear();
  EXPECT_EQ(resident.fill({40, 100}), 50 * sample_bytes);
  expect_samples(resident.samples({0, 100}), {0, 100});
}

/// Traces are the same to the last bit, wherever what is kept ends: before, in and after windows.
TYPED_TEST(ResidentRecordingTest, TracesDoNotDependOnIt) {
  WatchedRecording whole(5000, true);
  TracePreparation preparation = filtered_only(width, 30000.0, 300.0);
  preparation.common_reference = true;
  const auto expected = to_host(load_all(TypeParam(), whole, preparation, 1000));
  for (const std::size_t n_kept : {0u, 1u, 2000u, 2345u, 4999u, 5000u, 6000u}) {
    SCOPED_TRACE(std::to_string(n_kept) + " samples kept");
    ResidentRecording<TypeParam> resident(TypeParam(), whole, n_kept * sample_bytes,
                                          {.threads = 2, .piece_bytes = 1000});
    for (const std::int64_t window : {1000, 1700})
      EXPECT_EQ(to_host(load_all(TypeParam(), resident, preparation, window)), expected);
  }
}

TEST(ResidentShare, IsAtMostHalfOfTheLimitAndWorthIt) {
  const MemoryRecording recording(std::vector<std::int16_t>(4000), 4);
  EXPECT_EQ(resident_share(recording, 1 << 20), 8000u);
  EXPECT_EQ(resident_share(recording, 16000), 8000u);
  EXPECT_EQ(resident_share(recording, 10000), 5000u);
  EXPECT_EQ(resident_share(recording, 4000), 2000u);
  EXPECT_EQ(resident_share(recording, 3998), 0u);
  EXPECT_EQ(resident_share(recording, 0), 0u);
}

}  // namespace
}  // namespace kokkosort::test
