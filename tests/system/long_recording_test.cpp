// Recordings of more samples than 31 bits count, through preparation, detection and matching: spikes are at
// the samples where they were planted.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "execution_spaces.hpp"
#include "kokkosort/detection/detect.hpp"
#include "kokkosort/matching/match.hpp"
#include "kokkosort/random.hpp"
#include "kokkosort/recording/recording_slice.hpp"
#include "long_tests.hpp"
#include "templates/template_problem.hpp"

namespace kokkosort::test {
namespace {

constexpr std::int64_t two_to_31 = std::int64_t{1} << 31;
constexpr std::int64_t n_samples = two_to_31 + 150001;
constexpr int nt = 9;
constexpr int peak_sample = 3;
constexpr float peak = 500.0f;  // of a spike, where noise has 10

/// One channel of noise that is made when it is read, and spikes whose waveform is the same.
class SparseRecording final : public kokkosort::Recording {
 public:
  /// @param peaks  samples of the spikes' peaks, ascending
  SparseRecording(const float* waveform, const std::vector<std::int64_t>& peaks)
      : waveform_(waveform, waveform + nt), peaks_(peaks) {}

  std::int64_t n_samples() const override { return test::n_samples; }
  std::size_t n_channels() const override { return 1; }
  SampleType type() const override { return SampleType::int16; }
  bool reads_in_parallel() const override { return true; }

  void read(std::int64_t first, std::size_t count, void* to) override {
    std::vector<std::int16_t> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = noise(first + static_cast<std::int64_t>(i));
    const std::int64_t last = first + static_cast<std::int64_t>(count);
    for (auto spike = std::lower_bound(peaks_.begin(), peaks_.end(), first - nt);
         spike != peaks_.end() && *spike < last + nt; ++spike)
      for (int s = 0; s < nt; ++s) {
        const std::int64_t t = *spike - peak_sample + s;
        if (t >= first && t < last)
          values[static_cast<std::size_t>(t - first)] += static_cast<std::int16_t>(peak * waveform_[s]);
      }
    std::memcpy(to, values.data(), count * sizeof(std::int16_t));
  }

 private:
  /// The sum of four bytes, of a deviation of 10.
  static std::int16_t noise(std::int64_t sample) {
    const std::uint64_t bits = scatter_bits(static_cast<std::uint64_t>(sample));
    const auto sum = (bits & 255) + (bits >> 8 & 255) + (bits >> 16 & 255) + (bits >> 24 & 255);
    return static_cast<std::int16_t>((static_cast<int>(sum) - 510) / 15);
  }

  std::vector<float> waveform_;
  std::vector<std::int64_t> peaks_;
};

template <class Exec>
class LongRecordingTest : public testing::Test {
 protected:
  LongRecordingTest() {
    pcs.wPCA = orthonormal({{0.0, 0.1, -0.6, -1.0, -0.5, 0.1, 0.2, 0.1, 0.0}});
    pcs.wTEMP = pcs.wPCA;
    pcs.peak_sample = peak_sample;
    templates(0, 0, 0) = 50.0f;
  }

  /// Expects these peaks in samples [first, last) of the recording.
  void expect_found(std::int64_t first, std::int64_t last, const std::vector<std::int64_t>& peaks) {
    SparseRecording whole(&pcs.wPCA(0, 0), peaks);
    RecordingSlice slice(whole, first, last);
    TransferLedger ledger;
    PreprocessingOptions preprocessing;
    preprocessing.highpass_hz = 100.0;
    preprocessing.whitening_stride = 4000;
    const Preparation preparation =
        prepare_recording(Exec(), slice, probe, {0}, 30000.0, 0.0, preprocessing, ledger);
    EXPECT_NEAR(preparation.channels[0].noise, 10.0, 1.0);
    const PreparedRecording traces{slice, preparation.traces};

    DetectionOptions detection;
    detection.threshold = 15.0;
    detection.scales = 1;
    const DetectionGrid grid = make_detection_grid(probe, detection);
    const SpikeFeatures detected = detect_spikes(Exec(), traces, probe, grid, pcs, detection, ledger).spikes;
    std::vector<std::int64_t> samples;
    for (std::size_t i = 0; i < detected.n_spikes(); ++i)
      samples.push_back(first + detected.sample(i) - nt / 2 + peak_sample);
    EXPECT_EQ(samples, peaks);

    MatchingOptions matching;
    matching.threshold = 15.0;
    const Matching matched = match_templates(Exec(), {traces, probe, pcs, templates}, matching, ledger);
    EXPECT_EQ(matched.unfinished_windows, 0);
    samples.clear();
    for (const std::int64_t sample : matched.sample) samples.push_back(first + sample);
    EXPECT_EQ(samples, peaks);
  }

  Probe probe = linear_probe(1);
  PrincipalComponents pcs;
  HostTensor3<float> templates{"kokkosort::test::templates", 1, 1, 1};
};
TYPED_TEST_SUITE(LongRecordingTest, ExecutionSpaces, ExecutionSpaceName);

const std::vector<std::int64_t> late_peaks{two_to_31 - 50000, two_to_31 - 20,    two_to_31,
                                           two_to_31 + 20,    two_to_31 + 40000, n_samples - 10};

TYPED_TEST(LongRecordingTest, APartBeyondTwoToTheThirtyOne) {
  this->expect_found(two_to_31 - 60000, n_samples, late_peaks);
}

TYPED_TEST(LongRecordingTest, AllOfIt) {
  if (!long_tests_are_wanted()) GTEST_SKIP() << left_out("some minutes");
  std::vector<std::int64_t> peaks{10, 777777, 1000000000};
  peaks.insert(peaks.end(), late_peaks.begin(), late_peaks.end());
  this->expect_found(0, n_samples, peaks);
}

}  // namespace
}  // namespace kokkosort::test
