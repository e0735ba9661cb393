// What `kokkosort sort` and `check` refuse of files and limits before any long work.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "driver/machine.hpp"
#include "driver/sort_test.hpp"
#include "kokkosort/recording/probe_file.hpp"

namespace kokkosort::test {
namespace {

namespace fs = std::filesystem;

/// The first 2 s.
class SortChecks : public SortTest {
 protected:
  static constexpr std::int64_t n = 60000;

  void SetUp() override { use(samples_); }

  /// Writes a recording and a deck that names it.
  template <class T>
  void use(const std::vector<T>& samples) const {
    write_samples(data_ / "r.bin", samples);
    write_deck(data_ / "r.bin", files().probe);
  }
  template <class T>
  std::vector<T> as(double scale = 1.0, double offset = 0.0) const {
    std::vector<T> values;
    for (const std::int16_t sample : samples_) values.push_back(static_cast<T>(scale * sample + offset));
    return values;
  }

  void refused(const std::string& options, const std::string& part) const {
    for (const std::string command : {"sort DECK ", "check DECK "}) expect_refused(command + options, part);
  }
  /// @return what check prints
  Finished accepted(const std::string& options = "") const {
    Finished finished = run("check DECK " + options);
    EXPECT_EQ(finished.exit_code, 0) << options << ": " << finished.error;
    return finished;
  }

  /// A deck of the recording with another probe.
  void use_probe(const std::string& text) const {
    write_text(data_ / "p.json", text);
    write_deck(data_ / "r.bin", data_ / "p.json");
  }
  static std::string kilosort_json(const std::vector<double>& x, const std::vector<double>& y) {
    std::vector<std::size_t> channels(x.size());
    for (std::size_t c = 0; c < x.size(); ++c) channels[c] = c;
    return fmt::format(R"({{"chanMap": [{}], "xc": [{}], "yc": [{}], "kcoords": [{}]}})",
                       fmt::join(channels, ", "), fmt::join(x, ", "), fmt::join(y, ", "),
                       fmt::join(std::vector<int>(x.size(), 0), ", "));
  }

  const std::vector<std::int16_t> samples_ = part(0, n);
};

TEST_F(SortChecks, SamplesOfAnotherTypeThanTheDecks) {
  const auto looks_like = [](const std::string& likely, const std::string& said) {
    return fmt::format("r.bin: looks like {}, and input.dtype is {}: ", likely, said);
  };
  refused("input.dtype=uint16", looks_like("int16", "uint16"));
  refused("input.dtype=float32", looks_like("int16 or uint16", "float32"));
  refused("input.dtype=int32", looks_like("int16 or uint16", "int32"));
  refused("input.dtype=int32", "; set input.dtype, or if it is right input.check_dtype=off\n");
  accepted("input.dtype=int32 input.check_dtype=off");
  use(as<std::uint16_t>(1.0, 32768.0));
  refused("", looks_like("uint16", "int16"));
  accepted("input.dtype=uint16");
  accepted("input.check_dtype=off");
  use(as<std::int32_t>(1.0));
  refused("", looks_like("int32", "int16"));
  accepted("input.dtype=int32");
  use(as<float>(0.195));
  refused("", looks_like("float32", "int16"));
  refused("input.dtype=int32", looks_like("float32", "int32"));
  accepted("input.dtype=float32");
}

/// Samples that are odd, but of the type that the deck says.
TEST_F(SortChecks, SamplesOfTheRightTypeAreAccepted) {
  const auto changed = [this](auto change) {
    std::vector<std::int16_t> samples = samples_;
    for (std::size_t i = 0; i < samples.size(); ++i)
      samples[i] = change(samples[i], i % n_channels, i / n_channels);
    use(samples);
    accepted();
  };
  changed([](std::int16_t s, std::size_t c, std::size_t) { return c % 2 == 0 ? std::int16_t{0} : s; });
  changed([](std::int16_t s, std::size_t c, std::size_t) { return c == 5 ? s : std::int16_t{17}; });
  changed([](std::int16_t s, std::size_t, std::size_t) { return std::int16_t(16300 + s); });
  changed([](std::int16_t s, std::size_t, std::size_t) {
    return std::int16_t(std::clamp(1000 * s, -32768, 32767));
  });
  changed([](std::int16_t s, std::size_t c, std::size_t t) {
    return c == 3 ? std::int16_t(t % 2 == 0 ? 32767 : -32768) : s;
  });
  changed([](std::int16_t s, std::size_t, std::size_t) { return std::int16_t(s / 20); });
}

TEST_F(SortChecks, SamplesThatAreNoneOrNeverChange) {
  use(std::vector<std::int16_t>(samples_.size(), 12));
  refused("",
          "r.bin: no channel of the recording is alive: all 16 are constant wherever it was looked at; is "
          "input.dtype");
  std::vector<float> floats = as<float>(0.195);
  for (std::size_t i = floats.size() / 2; i < floats.size(); ++i)
    floats[i] = std::numeric_limits<float>::quiet_NaN();
  use(floats);
  refused("input.dtype=float32", "channel 0 is nan; samples must be finite");
}

TEST_F(SortChecks, RecordingsThatAreTooShort) {
  refused("input.time_range_s='[0, 0.005]'",
          "the recording has 150 samples; to whiten channels by their 16 nearest takes at least 160; ");
  accepted("input.time_range_s='[0, 0.005]' preprocessing.whitening_channels=8");
  refused("input.time_range_s='[0, 0.001]'", "a waveform (detection.nt) alone has 61");
}

TEST_F(SortChecks, RatesThatDifferFromTheFiles) {
  hdf5::OutputFile file(data_ / "r.h5");
  const std::vector<std::int32_t> values(samples_.begin(), samples_.end());
  file.write("traces", {static_cast<std::size_t>(n), n_channels}, values.data());
  file.attribute("/", "sampling_rate_hz", 25000.0);
  file.close();
  write_deck(data_ / "r.h5", files().probe, ", dataset: traces");
  refused("", "input.sampling_rate_hz is 30000, and ");
  refused("", "r.h5 says 25000; leave it out, or correct the file");
  accepted("input.sampling_rate_hz=0");
  accepted("input.sampling_rate_hz=25000.7");
  write_deck(data_ / "r.bin", files().probe);
  refused("input.sampling_rate_hz=30", "input.sampling_rate_hz is 30; it must be from 3000 to ");
}

TEST_F(SortChecks, DatasetsOfTheWrongOrientation) {
  hdf5::OutputFile file(data_ / "r.h5");
  const std::vector<std::int32_t> values(samples_.begin(), samples_.end());
  file.write("traces", {n_channels, static_cast<std::size_t>(n)}, values.data());
  file.close();
  write_deck(data_ / "r.h5", files().probe, ", dataset: traces");
  refused("",
          "r.h5: traces has shape [16, 60000], which is 16 samples of 60000 channels; it must be [samples, "
          "channels]");
}

TEST_F(SortChecks, ProbesThatMakeNoSense) {
  std::vector<double> x(n_channels, 0.0), y;
  for (std::size_t c = 0; c < n_channels; ++c) y.push_back(20.0 * static_cast<double>(c));
  use_probe(kilosort_json(x, y));
  accepted();
  std::vector<double> wrong = y;
  wrong[7] = wrong[2];
  use_probe(kilosort_json(x, wrong));
  refused("",
          "p.json: xc, yc: the channels of columns 2 and 7 are both at (0, 40) of shank 0; give each its own "
          "position or shank, or leave one out (input.exclude_channels)");
  accepted("input.exclude_channels='[7]'");
  wrong[7] += 0.02;
  use_probe(kilosort_json(x, wrong));
  refused("",
          "the channels of columns 2 and 7 are 0.02 um apart; positions must be micrometres, and channels at "
          "least ");
  use_probe(kilosort_json(x, std::vector<double>(n_channels, 5.0)));
  refused("", "all 16 channels of shank 0 are at (0, 5)");
  wrong = y;
  for (double& position : wrong) position *= 1e4;
  use_probe(kilosort_json(x, wrong));
  refused("", "p.json: yc: spans 3000000 um, over a metre");
  wrong = y;
  for (double& position : wrong) position *= 1e-3;
  x[1] = 3.0;  // in millimetres, and wide
  use_probe(kilosort_json(x, wrong));
  refused("", "um apart; positions must be micrometres");
  use_probe(kilosort_json(std::vector<double>(20, 0.0),
                          {y[0], 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}));
  refused("input.channels=16", "p.json: the probe has 20 channels, and the recording 16 columns; ");
}

TEST_F(SortChecks, PositionsOfTheWrongOrientation) {
  const std::vector<double> zeros(n_channels, 0.0);
  std::vector<int> columns;
  for (std::size_t c = 0; c < n_channels; ++c) columns.push_back(static_cast<int>(c));
  use_probe(fmt::format(
      R"({{"probes": [{{"contact_positions": [[{0}], [{1}]], "device_channel_indices": [{1}]}}]}})",
      fmt::join(zeros, ", "), fmt::join(columns, ", ")));
  refused("",
          "p.json: probes[0].contact_positions: has shape [2, 16]; it must be [16, 2]: write it transposed");
  write_text(data_ / "p.prb",
             fmt::format("channel_groups = {{0: {{'channels': [{1}], 'geometry': [[{0}], [{1}]]}}}}\n",
                         fmt::join(zeros, ", "), fmt::join(columns, ", ")));
  write_deck(data_ / "r.bin", data_ / "p.prb");
  refused("", "p.prb: channel_groups[0]['geometry']: has shape [2, 16]; it must be [16, 2]");
}

TEST_F(SortChecks, LimitsThatCannotWork) {
  const auto too_small = [](int limit, const std::string& what) {
    return fmt::format("memory.device_limit_mb = {} is too small: {}", limit, what);
  };
  const std::string small_chunks = "clustering.max_chunk_dots=1000 ";
  refused("memory.device_limit_mb=1",
          too_small(1, "preprocessing windows of 60000 samples of 16 channels needs "));
  const std::string small_windows = small_chunks + "preprocessing.window_samples=1000 ";
  refused("memory.device_limit_mb=4 threads=1 " + small_windows,
          too_small(4, "learning universal templates from 16 channels in windows of 60000 samples needs "));
  const std::string smaller_windows = small_windows + "detection.window_samples=1000 ";
  refused("memory.device_limit_mb=100 threads=1 detection.max_peaks=10000000 " + smaller_windows,
          too_small(100, "learning universal templates from up to 10000000 peaks needs 840; "));
  refused("memory.device_limit_mb=3 threads=1 detection.learning_windows=1 detection.max_peaks=100 " +
              smaller_windows,
          too_small(3, "detection with 16 channels and "));
  refused("memory.device_limit_mb=100",
          too_small(100, "clustering.max_chunk_dots = 67108864 alone takes 257; "));
  refused("memory.device_limit_mb=60 threads=1 matching.max_peels=10000 " + smaller_windows,
          too_small(60, "matching 1 templates in windows of 60000 samples needs "));
  refused("matching.window_samples=400",
          "matching.window_samples is 400; with waveforms of 61 samples it must be at least 488");
  accepted("memory.device_limit_mb=400 threads=2");
}

/// A recording far larger than the disk, which takes hardly any of it.
TEST_F(SortChecks, ADiskThatIsTooSmall) {
  constexpr std::uint64_t bytes = std::uint64_t{8} << 40;
  std::error_code error;
  fs::resize_file(data_ / "r.bin", bytes, error);
  const auto free = free_disk(data_.path());
  if (error || !free || *free > bytes) GTEST_SKIP() << "no file larger than the disk can be made here";
  refused("output.whitened=on", "/out has ");
  refused("output.whitened=on",
          " MB free, and output.whitened = on writes 8388608; set output.whitened=off, or ");
}

TEST_F(SortChecks, RoomThatIsExpectedToBeTooSmallIsWarnedOf) {
  const Finished enough = accepted();
  EXPECT_EQ(enough.error, "");
  EXPECT_NE(
      enough.out.find("# expected, from the recording's length alone: 109 spikes; 1 MB of files, where "),
      std::string::npos)
      << enough.out;
  const std::string options = "memory.host_limit_mb=1 matching.feature_channels=256";
  const std::string warning =
      "kokkosort: warning: memory.host_limit_mb is 1, and spikes are expected to take about 2: ";
  EXPECT_EQ(accepted(options).error.find(warning), 0u);
}

}  // namespace
}  // namespace kokkosort::test
