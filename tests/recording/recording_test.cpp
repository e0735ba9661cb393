#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/temporary_folder.hpp"
#include "kokkosort/errors.hpp"
#include "kokkosort/recording/memory_recording.hpp"
#include "kokkosort/recording/open_recording.hpp"

namespace kokkosort::test {
namespace {

namespace fs = std::filesystem;

template <class T>
void write_samples(const fs::path& path, const std::vector<T>& samples) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(samples.data()),
             static_cast<std::streamsize>(samples.size() * sizeof(T)));
}

template <class T>
std::vector<T> counting(std::size_t n) {
  std::vector<T> values(n);
  std::iota(values.begin(), values.end(), T{1});
  return values;
}

template <class T>
std::vector<T> read(Recording& recording, std::int64_t first, std::size_t count) {
  std::vector<T> values(count * recording.n_channels());
  recording.read(first, count, values.data());
  return values;
}

/// Reads a recording of 7 samples of 3 channels, 1 … 21, whole and in parts.
template <class T>
void expect_counting(Recording& recording) {
  const auto all = counting<T>(21);
  ASSERT_EQ(recording.n_samples(), 7);
  ASSERT_EQ(recording.n_channels(), 3u);
  ASSERT_EQ(recording.type(), sample_type_of<T>());
  for (std::size_t first = 0; first <= 7; ++first)
    for (std::size_t count = 0; first + count <= 7; ++count)
      EXPECT_EQ(read<T>(recording, static_cast<std::int64_t>(first), count),
                std::vector<T>(all.begin() + static_cast<std::ptrdiff_t>(3 * first),
                               all.begin() + static_cast<std::ptrdiff_t>(3 * (first + count))));
  T unused[24];
  EXPECT_THROW(recording.read(0, 8, unused), std::out_of_range);
  EXPECT_THROW(recording.read(8, 0, unused), std::out_of_range);
  EXPECT_THROW(recording.read(-1, 2, unused), std::out_of_range);
}

template <class T>
class RecordingOf : public testing::Test {};
using SampleTypes = testing::Types<std::int16_t, std::uint16_t, std::int32_t, float>;
TYPED_TEST_SUITE(RecordingOf, SampleTypes);

TYPED_TEST(RecordingOf, MemoryIsReadWholeAndInParts) {
  MemoryRecording recording(counting<TypeParam>(21), 3);
  expect_counting<TypeParam>(recording);
}

TYPED_TEST(RecordingOf, AFileIsReadWholeAndInParts) {
  const TemporaryFolder folder;
  write_samples(folder / "a.bin", counting<TypeParam>(21));
  const auto recording = open_flat_recording({folder / "a.bin"}, 3, sample_type_of<TypeParam>());
  expect_counting<TypeParam>(*recording);
}

TYPED_TEST(RecordingOf, SeveralFilesAreReadAsOne) {
  const TemporaryFolder folder;
  const auto all = counting<TypeParam>(21);
  write_samples<TypeParam>(folder / "a.bin", {all.begin(), all.begin() + 3});
  write_samples<TypeParam>(folder / "b.bin", {all.begin() + 3, all.begin() + 15});
  write_samples<TypeParam>(folder / "c.bin", {all.begin() + 15, all.end()});
  const auto recording = open_flat_recording({folder / "a.bin", folder / "b.bin", folder / "c.bin"}, 3,
                                             sample_type_of<TypeParam>());
  expect_counting<TypeParam>(*recording);
}

TYPED_TEST(RecordingOf, SamplesBeyondTwoToTheThirtyOneOfOneChannelAreFound) {
  const TemporaryFolder folder;
  constexpr std::int64_t n =
      (std::int64_t{1} << 31) + 5;  // samples, of which only the last three are on the disk
  const auto tail = counting<TypeParam>(3);
  write_text(folder / "sparse.bin", "");
  std::error_code error;
  fs::resize_file(folder / "sparse.bin", static_cast<std::uintmax_t>(n - 3) * sizeof(TypeParam), error);
  if (error) GTEST_SKIP() << "NOT TESTED: " << error.message();
  std::ofstream(folder / "sparse.bin", std::ios::binary | std::ios::app)
      .write(reinterpret_cast<const char*>(tail.data()), 3 * sizeof(TypeParam));
  write_samples(folder / "more.bin", counting<TypeParam>(2));
  const auto recording =
      open_flat_recording({folder / "sparse.bin", folder / "more.bin"}, 1, sample_type_of<TypeParam>());
  ASSERT_EQ(recording->n_samples(), n + 2);
  EXPECT_EQ(read<TypeParam>(*recording, n - 4, 6), (std::vector<TypeParam>{0, 1, 2, 3, 1, 2}));
  EXPECT_EQ(read<TypeParam>(*recording, (std::int64_t{1} << 31) - 1, 2), (std::vector<TypeParam>{0, 0}));
}

TEST(MemoryRecording, RefusesWhatIsNoWholeNumberOfSamples) {
  EXPECT_NE(message_of<InputError>([] { MemoryRecording(counting<float>(7), 3); }).find("has 7 values"),
            std::string::npos);
  EXPECT_NE(message_of<InputError>([] { MemoryRecording(counting<float>(7), 0); }), "");
  EXPECT_EQ(MemoryRecording(std::vector<float>{}, 3).n_samples(), 0);
}

/// What opening a file of so many bytes as 3 channels of int16 ends with.
std::string opening_error(std::size_t bytes) {
  const TemporaryFolder folder;
  write_text(folder / "a.bin", std::string(bytes, 'x'));
  return message_of<InputError>([&] { open_flat_recording({folder / "a.bin"}, 3, SampleType::int16); });
}

TEST(FlatRecording, RefusesWhatIsNoWholeNumberOfSamples) {
  EXPECT_EQ(opening_error(6), "");
  const std::string message = opening_error(16);
  EXPECT_NE(message.find(
                "a.bin: has 16 bytes, 4 more than a whole number of samples of 3 channels of int16 (6 bytes"),
            std::string::npos)
      << message;
  EXPECT_NE(opening_error(5).find("has 5 bytes, 5 more than"), std::string::npos);
  EXPECT_NE(opening_error(0).find("is empty"), std::string::npos);
  EXPECT_NE(opening_error(1).find("has 1 byte, 1 more than a whole"), std::string::npos);
}

TEST(FlatRecording, RefusesNumpyFiles) {
  const TemporaryFolder folder;
  write_text(folder / "good.bin", "\x93NUMPX");
  write_text(folder / "a.npy", "\x93NUMPY");
  EXPECT_NE(message_of<InputError>([&] {
              open_flat_recording({folder / "good.bin", folder / "a.npy"}, 3, SampleType::int16);
            }).find("a.npy: is a NumPy file; write it with tofile()"),
            std::string::npos);
  EXPECT_EQ(open_flat_recording({folder / "good.bin"}, 3, SampleType::int16)->n_samples(), 1);
}

TEST(FlatRecording, NamesTheFileThatIsWrong) {
  const TemporaryFolder folder;
  write_text(folder / "good.bin", "123456");
  write_text(folder / "bad.bin", "1234567");
  const auto error = [&](const std::string& name) {
    return message_of<InputError>([&] {
      open_flat_recording({folder / "good.bin", folder / name}, 3, SampleType::int16);
    });
  };
  EXPECT_NE(error("bad.bin").find("bad.bin: has 7 bytes"), std::string::npos);
  EXPECT_NE(error("none.bin").find("none.bin: there is no such file"), std::string::npos);
  EXPECT_NE(error("").find("is not a file"), std::string::npos);  // the folder
  EXPECT_NE(error("good.bin/more").find("cannot be opened"), std::string::npos);
  EXPECT_NE(message_of<InputError>([] { open_flat_recording({}, 3, SampleType::int16); }), "");
  EXPECT_NE(message_of<InputError>([&] { open_flat_recording({folder / "good.bin"}, 0, SampleType::int16); }),
            "");
  EXPECT_NE(message_of<InputError>([] {
              open_flat_recording({"/dev/zero"}, 3, SampleType::int16);
            }).find("/dev/zero: is not a file"),
            std::string::npos);
}

TEST(FlatRecording, AFileThatGetsShorterIsAnError) {
  const TemporaryFolder folder;
  write_samples(folder / "a.bin", counting<std::int16_t>(3000));
  const auto recording = open_flat_recording({folder / "a.bin"}, 3, SampleType::int16);
  fs::resize_file(folder / "a.bin", 3001);
  EXPECT_EQ(read<std::int16_t>(*recording, 0, 500).back(), 1500);
  const std::string message = message_of<InputError>([&] { read<std::int16_t>(*recording, 400, 200); });
  EXPECT_NE(message.find("a.bin: ends at byte 3001; it had 6000 when it was opened"), std::string::npos)
      << message;
}

TEST(FlatRecording, SamplesBeyondTwoToTheThirtyOneAreFound) {
  const TemporaryFolder folder;
  const fs::path path = folder / "sparse.bin";
  constexpr std::int64_t n =
      (std::int64_t{1} << 32) + 11;  // samples of two channels: 16 GB, of which 12 bytes exist
  write_text(path, "");
  std::error_code error;
  fs::resize_file(path, static_cast<std::uintmax_t>(n) * 4, error);
  if (error) GTEST_SKIP() << "NOT TESTED: " << path << ": " << error.message();
  const std::vector<std::int16_t> tail = counting<std::int16_t>(6);
  {
    std::fstream stream(path, std::ios::binary | std::ios::in | std::ios::out);
    stream.seekp(static_cast<std::streamoff>((n - 3) * 4));
    stream.write(reinterpret_cast<const char*>(tail.data()), 12);
  }
  const auto recording = open_flat_recording({path, path}, 2, SampleType::int16);
  EXPECT_EQ(recording->n_samples(), 2 * n);
  const std::vector<std::int16_t> expected{0, 0, 1, 2, 3, 4, 5, 6, 0, 0};  // over the seam between both files
  EXPECT_EQ(read<std::int16_t>(*recording, n - 4, 5), expected);
  EXPECT_EQ(read<std::int16_t>(*recording, 2 * n - 3, 3), tail);
}

TEST(FloatRecording, SamplesThatAreNotFiniteAreNamed) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    const TemporaryFolder folder;
    std::vector<float> values = counting<float>(21);
    write_samples(folder / "good.bin", values);
    values[3 * 5 + 1] = bad;
    write_samples(folder / "bad.bin", values);
    const auto flat = open_flat_recording({folder / "good.bin", folder / "bad.bin"}, 3, SampleType::float32);
    EXPECT_EQ(read<float>(*flat, 0, 12).size(), 36u);
    std::string message = message_of<InputError>([&] { read<float>(*flat, 10, 4); });
    EXPECT_NE(message.find("bad.bin: sample 5, channel 1 is "), std::string::npos) << message;
    MemoryRecording memory(values, 3);
    message = message_of<InputError>([&] { read<float>(memory, 4, 3); });
    EXPECT_NE(message.find("sample 5, channel 1 is "), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace kokkosort::test
