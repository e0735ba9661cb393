// A whole recording: learning templates from it, and detection, through files' integers.
#include "kokkosort/detection/detect.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "detection/detection_problem.hpp"
#include "execution_spaces.hpp"
#include "io/temporary_folder.hpp"
#include "kokkosort/detection/universal_templates.hpp"
#include "kokkosort/errors.hpp"
#include "kokkosort/recording/memory_recording.hpp"
#include "matching/match_problem.hpp"
#include "system/annotations.hpp"

namespace kokkosort::test {
namespace {

template <class DeviceView>
bool same_bytes(const DeviceView& a, const DeviceView& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(typename DeviceView::value_type)) == 0;
}

void expect_same(const SpikeFeatures& a, const SpikeFeatures& b) {
  EXPECT_TRUE(same_bytes(a.sample, b.sample));
  EXPECT_TRUE(same_bytes(a.centre, b.centre));
  EXPECT_TRUE(same_bytes(a.features, b.features));
}

void expect_same(const PrincipalComponents& a, const PrincipalComponents& b) {
  EXPECT_TRUE(same_bytes(a.wPCA, b.wPCA));
  EXPECT_TRUE(same_bytes(a.wTEMP, b.wTEMP));
}

/// A recording in whole steps of test_scale, with spikes of two planted shapes.
template <class Exec>
class DetectTest : public testing::Test {
 protected:
  DetectTest() { RecordProperty("seed", std::to_string(seed)); }

  /// @param n_spikes  of shapes 0 and 5 in turn, 90 samples apart, at random places
  void record(std::size_t n_spikes, std::size_t n_samples) {
    const HostMatrix<float> traces = noise_traces(random, problem.n_channels(), n_samples);
    planted = random_shapes(random, problem, n_spikes, 1);
    for (std::size_t i = 0; i < n_spikes; ++i) {
      planted[i].sample = static_cast<std::int64_t>(80 + 90 * i);
      planted[i].shape = i % 2 == 0 ? 0 : 5;
      planted[i].amplitude = 40.0;
    }
    add_shapes(problem, planted, traces);
    samples = stored_samples<std::int16_t>(traces);
  }

  Detection detect(const PrincipalComponents& pcs, const Exec& exec = Exec()) {
    MemoryRecording recording(samples, problem.n_channels());
    ledger = TransferLedger();
    return detect_spikes(exec, {recording, preparation}, problem.probe, problem.grid, pcs, problem.options,
                         ledger);
  }

  UniversalTemplates learn(const Exec& exec = Exec()) {
    MemoryRecording recording(samples, problem.n_channels());
    ledger = TransferLedger();
    return learn_universal_templates(exec, {recording, preparation}, problem.probe, problem.options, ledger);
  }

  double likeness(const PrincipalComponents& learned, std::size_t shape) const {
    double best = -1.0;
    for (std::size_t k = 0; k < learned.wTEMP.extent(0); ++k) {
      double sum = 0.0;
      for (std::size_t t = 0; t < 61; ++t)
        sum += static_cast<double>(learned.wTEMP(k, t)) * static_cast<double>(problem.pcs.wTEMP(shape, t));
      best = std::max(best, sum);
    }
    return best;
  }

  static constexpr std::uint64_t seed = 441;
  std::mt19937_64 random{seed};
  DetectionProblem problem{shuffle_channels(random, staggered_probe(16))};
  TracePreparation preparation = whitened_already(16, test_scale);
  std::vector<PlantedShape> planted;
  std::vector<std::int16_t> samples;
  TransferLedger ledger;
};
TYPED_TEST_SUITE(DetectTest, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(DetectTest, AsTheSearchOfTheTraces) {
  this->record(100, 9500);
  const Detection detection = this->detect(this->problem.pcs);
  const WindowSpikes found = search_traces<TypeParam>(this->problem, as_traces(this->samples, 16));
  ASSERT_EQ(detection.spikes.n_spikes(), found.sample.size());
  EXPECT_GT(found.sample.size(), 90u);
  for (std::size_t i = 0; i < found.sample.size(); ++i) {
    EXPECT_EQ(detection.spikes.sample(i), found.sample[i]);
    EXPECT_EQ(detection.spikes.centre(i), found.centre[i]);
  }
  EXPECT_TRUE(std::equal(found.features.begin(), found.features.end(), detection.spikes.features.data()));
  EXPECT_EQ(detection.spikes.n_rows(), 10u);
  EXPECT_EQ(detection.spikes.n_pcs(), 6u);
  EXPECT_EQ(detection.spikes.dmin_um, 20.0);
  EXPECT_EQ(detection.spikes.dminx_um, 32.0);
  EXPECT_EQ(detection.spikes.file_order.size(), 0u);
}

TYPED_TEST(DetectTest, PlantedShapesAreLearnedAndFound) {
  this->record(600, 54100);
  const UniversalTemplates learned = this->learn();
  EXPECT_GE(learned.n_peaks, 550u);
  EXPECT_GT(this->likeness(learned.pcs, 0), 0.98);
  EXPECT_GT(this->likeness(learned.pcs, 5), 0.98);
  EXPECT_EQ(learned.pcs.peak_sample, 20);
  const Detection detection = this->detect(learned.pcs);
  std::size_t found = 0;
  for (const PlantedShape& spike : this->planted)
    for (std::size_t i = 0; i < detection.spikes.n_spikes(); ++i) {
      const auto c = static_cast<std::size_t>(detection.spikes.centre(i));
      if (std::abs(detection.spikes.sample(i) - spike.sample) <= 2 &&
          std::hypot(this->problem.grid.centres.x_um[c] - spike.x_um,
                     this->problem.grid.centres.y_um[c] - spike.y_um) <= 40.0)
        ++found;
    }
  EXPECT_GE(found, 590u);
  EXPECT_LE(detection.spikes.n_spikes(), 610u);
}

TYPED_TEST(DetectTest, WindowsGiveTheSameBytes) {
  this->record(300, 27100);
  const Detection once = this->detect(this->problem.pcs);
  EXPECT_GT(once.spikes.n_spikes(), 280u);
  for (const int length : {27099, 13000, 2001, 150}) {
    SCOPED_TRACE("windows of " + std::to_string(length));
    this->problem.options.window_samples = length;
    expect_same(this->detect(this->problem.pcs).spikes, once.spikes);
  }
}

TYPED_TEST(DetectTest, FilteredTracesInWindowsGiveTheSameBytes) {
  this->record(200, 18100);
  this->preparation.sampling_rate_hz = 30000.0;
  this->preparation.highpass_hz = 300.0;
  const Detection once = this->detect(this->problem.pcs);
  EXPECT_EQ(once.spikes.sampling_rate_hz, 30000.0);
  EXPECT_GT(once.spikes.n_spikes(), 150u);
  this->problem.options.window_samples = 4000;
  expect_same(this->detect(this->problem.pcs).spikes, once.spikes);
}

/// An instance of fewer threads, or another stream.
TYPED_TEST(DetectTest, RunsAndInstancesGiveTheSameBytes) {
  using namespace Kokkos::Experimental;  // where partition_space is in Kokkos 4
  using namespace Kokkos;
  this->problem.options.window_samples = 5000;
  this->record(300, 27100);
  const UniversalTemplates once = this->learn();
  const Detection detection = this->detect(once.pcs);
  expect_same(this->learn().pcs, once.pcs);
  expect_same(this->detect(once.pcs).spikes, detection.spikes);
  if (runs_on_host<TypeParam> && TypeParam().concurrency() < 2)
    GTEST_SKIP() << TypeParam::name() << " has one thread: nothing to divide";
  for (const TypeParam& part : partition_space(TypeParam(), 1, 1)) {
    expect_same(this->learn(part).pcs, once.pcs);
    expect_same(this->detect(once.pcs, part).spikes, detection.spikes);
  }
}

/// At most so many, of windows all over the recording.
TYPED_TEST(DetectTest, LearnsFromFewPeaksOfFewWindows) {
  this->record(600, 54100);
  this->problem.options.window_samples = 3000;
  const std::size_t all = this->learn().n_peaks;
  this->problem.options.max_peaks = 198;
  const UniversalTemplates some = this->learn();
  EXPECT_GT(all, 400u);
  EXPECT_LE(some.n_peaks, 198u);
  EXPECT_GE(some.n_peaks, 150u);
  EXPECT_GT(this->likeness(some.pcs, 0), 0.95);
  this->problem.options.max_peaks = 100000;
  this->problem.options.learning_windows = 6;
  const std::size_t of_third = this->learn().n_peaks;
  EXPECT_GT(of_third, all / 4);
  EXPECT_LT(of_third, all / 2);
}

/// Spikes are found all the same.
TYPED_TEST(DetectTest, TooFewPeaksMakeGenericTemplates) {
  this->record(60, 9000);
  EXPECT_FALSE(this->learn().are_generic);
  this->record(40, 9000);
  const UniversalTemplates generic = this->learn();
  EXPECT_TRUE(generic.are_generic);
  EXPECT_GE(generic.n_peaks, 38u);
  EXPECT_LT(generic.n_peaks, 60u);
  EXPECT_EQ(generic.pcs.wPCA.extent(0), 6u);
  EXPECT_EQ(generic.pcs.wTEMP.extent(0), 6u);
  EXPECT_EQ(generic.pcs.peak_sample, 20);
  EXPECT_GT(this->likeness(generic.pcs, 0), 0.9);
  EXPECT_GT(this->likeness(generic.pcs, 5), 0.9);
  const SpikeFeatures spikes = this->detect(generic.pcs).spikes;
  EXPECT_EQ(spikes.n_spikes(), 40u);
  for (const PlantedShape& spike : this->planted)
    EXPECT_TRUE(std::any_of(spikes.sample.data(), spikes.sample.data() + spikes.n_spikes(),
                            [&](std::int64_t sample) { return std::abs(sample - spike.sample) <= 3; }))
        << spike.sample;
}

/// None, shorter than a waveform, silent.
TYPED_TEST(DetectTest, RecordingsWithoutSpikes) {
  for (const std::size_t n : {0u, 1u, 40u, 3000u}) {
    SCOPED_TRACE(std::to_string(n) + " samples");
    this->samples.assign(n * 16, 0);
    const Detection detection = this->detect(this->problem.pcs);
    EXPECT_EQ(detection.spikes.n_spikes(), 0u);
    EXPECT_EQ(detection.spikes.features.extent(1), 10u);
    EXPECT_EQ(detection.spikes.features.extent(2), 6u);
    const UniversalTemplates generic = this->learn();
    EXPECT_TRUE(generic.are_generic);
    EXPECT_EQ(generic.n_peaks, 0u);
  }
}

TYPED_TEST(DetectTest, TooManySpikesAreRefused) {
  this->record(100, 9500);
  this->problem.options.max_spikes = 50;
  const std::string message = message_of<InputError>([&] { this->detect(this->problem.pcs); });
  EXPECT_NE(message.find("detection.threshold"), std::string::npos) << message;
}

/// Whole numbers on channels that are each alone on a shank, and a shape of one sample: a spike is what is
/// above the threshold and the largest within ±2 samples, the earliest of equals.
TYPED_TEST(DetectTest, MoreSpikesInAWindowThanAnyBuffer) {
  constexpr std::int64_t n = 60000;
  constexpr std::int64_t reach = 2;
  constexpr std::size_t n_channels = 12;
  Probe probe = linear_probe(n_channels);
  for (std::size_t c = 0; c < n_channels; ++c) probe.shank[c] = static_cast<std::int32_t>(c);
  DetectionProblem alone(probe);
  alone.options.threshold = 0.5;
  alone.pcs.wPCA = HostMatrix<float>("kokkosort::test::one_sample", 1, 9);
  alone.pcs.wPCA(0, 4) = 1.0f;
  alone.pcs.wTEMP = alone.pcs.wPCA;
  alone.pcs.peak_sample = reach;
  std::uniform_int_distribution<int> value(-60, 60);
  std::vector<std::int16_t> stored(static_cast<std::size_t>(n) * n_channels);
  for (std::int16_t& x : stored) x = static_cast<std::int16_t>(value(this->random));
  const auto at = [&](std::int64_t t, std::size_t c) {
    return stored[static_cast<std::size_t>(t) * n_channels + c];
  };
  const auto is_spike = [&](std::int64_t t, std::size_t c) {
    for (std::int64_t u = std::max<std::int64_t>(0, t - reach); u <= std::min(n - 1, t + reach); ++u)
      if (at(u, c) > at(t, c) || (at(u, c) == at(t, c) && u < t)) return false;
    return at(t, c) > 0;
  };

  MemoryRecording recording(stored, n_channels);
  const TracePreparation as_stored = whitened_already(n_channels, 1.0);
  const SpikeFeatures found = detect_spikes(TypeParam(), {recording, as_stored}, alone.probe, alone.grid,
                                            alone.pcs, alone.options, this->ledger)
                                  .spikes;
  ASSERT_EQ(alone.options.window_samples, n);
  EXPECT_GT(found.n_spikes(), 100000u);
  std::size_t i = 0;
  for (std::int64_t t = 0; t < n; ++t)
    for (std::size_t c = 0; c < n_channels; ++c) {
      if (!is_spike(t, c)) continue;
      ASSERT_LT(i, found.n_spikes());
      ASSERT_EQ(found.sample(i), t);
      ASSERT_EQ(found.centre(i), static_cast<std::int32_t>(c));
      ASSERT_EQ(found.features(i, 0, 0), static_cast<float>(at(t, c)));
      ++i;
    }
  EXPECT_EQ(i, found.n_spikes());
}

/// What the refusal names is enough; chunks are shorter first.
TYPED_TEST(DetectTest, MemoryLimits) {
  this->record(200, 18100);
  const Detection once = this->detect(this->problem.pcs);
  this->problem.options.device_limit_bytes = 100000;
  for (const std::string& message : {message_of<InputError>([&] { this->detect(this->problem.pcs); }),
                                     message_of<InputError>([&] { this->learn(); })}) {
    EXPECT_NE(message.find("memory.device_limit_mb"), std::string::npos) << message;
    EXPECT_NE(message.find("detection.window_samples"), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
  const std::string message = message_of<InputError>([&] { this->detect(this->problem.pcs); });
  std::smatch needed;
  ASSERT_TRUE(std::regex_search(message, needed, std::regex("needs ([0-9]+)"))) << message;
  this->problem.options.device_limit_bytes = std::stoul(needed[1]) << 20;
  expect_same(this->detect(this->problem.pcs).spikes, once.spikes);
}

TYPED_TEST(DetectTest, SpikesComeDownOnce) {
  this->record(200, 18100);
  this->problem.options.window_samples = 4000;
  const Detection detection = this->detect(this->problem.pcs);
  const auto& entries = this->ledger.entries();
  EXPECT_EQ(entries.at({"detection", "features", Direction::down}).bytes,
            detection.spikes.features.size() * 4);
  EXPECT_EQ(entries.at({"detection", "spikes", Direction::down}).bytes, detection.spikes.n_spikes() * 8);
  std::set<std::string> down;
  for (const auto& [key, entry] : entries)
    if (key.direction == Direction::down) down.insert(key.what);
  EXPECT_EQ(down, (std::set<std::string>{"features", "n_peaks", "spikes"}));
}

TYPED_TEST(DetectTest, EverythingIsOursAndOnTheInstanceGiven) {
  this->record(300, 27100);
  this->problem.options.window_samples = 5000;
  const TypeParam exec = own_instance<TypeParam>();
  Annotations<TypeParam> told;
  {
    const KokkosListener listener;
    const UniversalTemplates learned = this->learn(exec);
    EXPECT_GT(this->detect(learned.pcs, exec).spikes.n_spikes(), 200u);
    told = Annotations<TypeParam>(listener);
  }
  EXPECT_EQ(told.strange_kernels(), std::set<std::string>());
  EXPECT_EQ(told.strange_views(), std::set<std::string>());
  const auto ours = told.our_kernels();
  for (const std::string kernel :
       {"mark_isolated_peaks", "cut_clips", "list_peaks", "find_spikes", "spike_features"})
    EXPECT_TRUE(ours.contains(our_prefix + "detection::" + kernel)) << kernel;
  const auto regions = told.regions_but_of_blas();
  for (const std::string& region : regions) EXPECT_TRUE(region.starts_with(our_prefix)) << region;
  for (const std::string stage : {"peaks", "shapes", "workspace", "search"})
    EXPECT_TRUE(regions.contains(our_prefix + "detection::" + stage)) << stage;
  const std::uint32_t given = Kokkos::Tools::Experimental::device_id(exec);
  EXPECT_EQ(told.kernels_elsewhere(given), std::set<std::string>());
  EXPECT_GE(told.kernels_on(given), 30u);
  EXPECT_GE(told.our_views(), 25u);
}

}  // namespace
}  // namespace kokkosort::test
