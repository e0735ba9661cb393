#include "kokkosort/recording/recording_slice.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "io/temporary_folder.hpp"
#include "kokkosort/errors.hpp"
#include "kokkosort/recording/memory_recording.hpp"

namespace kokkosort::test {
namespace {

MemoryRecording counting_recording() {
  std::vector<std::int32_t> samples(20);
  std::iota(samples.begin(), samples.end(), 0);
  return MemoryRecording(samples, 2);
}

TEST(RecordingSlice, IsReadAsIfThereWereNoOthers) {
  MemoryRecording whole = counting_recording();
  for (std::int64_t first = 0; first < 10; ++first)
    for (std::int64_t last = first + 1; last <= 10; ++last) {
      RecordingSlice slice(whole, first, last);
      ASSERT_EQ(slice.n_samples(), last - first);
      ASSERT_EQ(slice.n_channels(), 2u);
      ASSERT_EQ(slice.type(), SampleType::int32);
      std::vector<std::int32_t> values(static_cast<std::size_t>(2 * (last - first)));
      slice.read(0, values.size() / 2, values.data());
      for (std::size_t i = 0; i < values.size(); ++i)
        EXPECT_EQ(values[i], 2 * first + static_cast<std::int64_t>(i));
      slice.read(last - first - 1, 1, values.data());
      EXPECT_EQ(values[0], 2 * (last - 1));
      EXPECT_THROW(slice.read(0, static_cast<std::size_t>(last - first + 1), values.data()),
                   std::out_of_range);
      EXPECT_THROW(slice.read(-1, 1, values.data()), std::out_of_range);
    }
}

TEST(RecordingSlice, RefusesWhatIsNotInTheRecording) {
  MemoryRecording whole = counting_recording();
  const auto error = [&](std::int64_t first, std::int64_t last) {
    return message_of<InputError>([&] { RecordingSlice(whole, first, last); });
  };
  EXPECT_EQ(error(0, 10), "");
  EXPECT_EQ(error(5, 11),
            "samples from 5 to before 11 are no part of a recording of 10 samples; choose a part of it");
  for (const auto& [first, last] :
       std::vector<std::pair<int, int>>{{-1, 5}, {5, 5}, {6, 5}, {10, 10}, {10, 11}})
    EXPECT_NE(error(first, last), "") << first << " " << last;
}

}  // namespace
}  // namespace kokkosort::test
