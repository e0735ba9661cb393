#include "kokkosort/io/sorting_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "io/hdf5.hpp"
#include "io/small_sorting.hpp"
#include "io/temporary_folder.hpp"
#include "kokkosort/io/templates_file.hpp"
#include "system/hdf5_contents.hpp"

namespace kokkosort::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t limit = std::size_t{1} << 30;

void write_some(const fs::path& path, const SmallSorting& small,
                const std::string& date = "2000-01-01T00:00:00Z") {
  RunRecord run;
  run.command = "sort";
  run.date = date;
  PendingFile pending(path, false);
  write_sorting(pending, small.recording(), small.sorting, run);
  pending.commit();
}

template <class T>
std::vector<T> read_all(const fs::path& path, const std::string& name, const hdf5::Shape& shape) {
  hdf5::InputFile file(path, limit);
  const hdf5::Dataset dataset = file.open<T>(name, shape.size());
  EXPECT_EQ(dataset.shape, shape) << name;
  std::vector<T> values(dataset.size());
  file.read(dataset, values.data());
  return values;
}

template <class View>
auto values_of(const View& view) {
  return std::vector<typename View::non_const_value_type>(view.data(), view.data() + view.size());
}

TEST(SortingFile, HoldsTheSpikes) {
  const TemporaryFolder folder;
  const fs::path path = folder / "sorting.h5";
  const SmallSorting small;
  write_some(path, small);
  const hdf5::Shape shape{40};
  const std::vector<std::int64_t> samples = read_all<std::int64_t>(path, "spikes/sample", shape);
  for (std::size_t i = 0; i < samples.size(); ++i) EXPECT_EQ(samples[i], small.sorting.sample[i] + 1000);
  EXPECT_EQ(read_all<std::int32_t>(path, "spikes/unit", shape), small.sorting.unit);
  EXPECT_EQ(read_all<std::int32_t>(path, "spikes/template", shape), small.sorting.matched);
  EXPECT_EQ(read_all<float>(path, "spikes/amplitude", shape), small.sorting.amplitude);
  EXPECT_EQ(read_all<float>(path, "spikes/x_um", shape), small.sorting.x_um);
  EXPECT_EQ(read_all<float>(path, "spikes/y_um", shape), small.sorting.y_um);
}

TEST(SortingFile, HoldsTheUnits) {
  const TemporaryFolder folder;
  const fs::path path = folder / "sorting.h5";
  const SmallSorting small;
  write_some(path, small);
  const std::vector<Unit>& units = small.sorting.units;
  EXPECT_EQ(read_all<std::int32_t>(path, "units/id", {3}), (std::vector<std::int32_t>{0, 1, 2}));
  EXPECT_EQ(read_all<std::int64_t>(path, "units/spikes", {3}),
            (std::vector<std::int64_t>{units[0].spikes, units[1].spikes, units[2].spikes}));
  EXPECT_EQ(read_all<double>(path, "units/x_um", {3}), (std::vector<double>{0, 10, 20}));
  EXPECT_EQ(read_all<double>(path, "units/y_um", {3}), (std::vector<double>{5, 6, 7}));
  EXPECT_EQ(read_all<std::int32_t>(path, "units/channel", {3}), (std::vector<std::int32_t>{0, 1, 2}));
  EXPECT_EQ(read_all<double>(path, "units/contamination", {3}), (std::vector<double>{0, 0.0625, 0.125}));
  EXPECT_EQ(read_all<std::int32_t>(path, "units/refractory", {3}), (std::vector<std::int32_t>{1, 0, 1}));
  EXPECT_EQ(read_all<double>(path, "units/amplitude_sigma", {3}), (std::vector<double>{8, 9, 10}));
  EXPECT_EQ(read_all<double>(path, "units/firing_rate_hz", {3}), (std::vector<double>{0, 1.5, 3}));
  EXPECT_EQ(read_all<float>(path, "similarity", {3, 3}), values_of(small.sorting.similarity));
}

TEST(SortingFile, HoldsTemplatesAndTheirWaveforms) {
  const TemporaryFolder folder;
  const fs::path path = folder / "sorting.h5";
  const SmallSorting small;
  write_some(path, small);
  for (const auto& [pc, waveform, templates] :
       {std::tuple{"units/templates_pc", "units/waveform", small.sorting.templates},
        std::tuple{"templates/pc", "templates/waveform", small.matched_templates}}) {
    const std::size_t n = templates.extent(0);
    EXPECT_EQ(read_all<float>(path, pc, {n, 5, 2}), values_of(templates));
    const std::vector<float> waveforms = read_all<float>(path, waveform, {n, 5, 5});
    for (std::size_t k = 0, i = 0; k < n; ++k)
      for (std::size_t t = 0; t < 5; ++t)
        for (std::size_t c = 0; c < 5; ++c, ++i)
          EXPECT_NEAR(waveforms[i], waveform_reference(templates, small.pcs.wPCA, k, t, c), 1e-6);
  }
  const TemplateSet set = read_templates(path, "templates/pc", limit);
  EXPECT_EQ(set.n_templates(), 4u);
  EXPECT_EQ(set.sampling_rate_hz, 30000.0);
}

TEST(SortingFile, HoldsHowTheRecordingWasPrepared) {
  const TemporaryFolder folder;
  const fs::path path = folder / "sorting.h5";
  SmallSorting small;
  small.files = {"/data/a.bin", "/data/b.bin"};
  write_some(path, small);
  EXPECT_EQ(read_all<std::int32_t>(path, "probe/column", {5}), small.column);
  EXPECT_EQ(read_all<double>(path, "probe/y_um", {5}), small.probe.y_um);
  EXPECT_EQ(read_all<std::int32_t>(path, "probe/shank", {5}), small.probe.shank);
  EXPECT_EQ(read_all<float>(path, "pcs/wPCA", {2, 5}), values_of(small.pcs.wPCA));
  EXPECT_EQ(read_all<double>(path, "preprocessing/whitening", {5, 5}),
            values_of(small.preparation.whitening));
  EXPECT_EQ(read_all<std::int32_t>(path, "preprocessing/dead", {5}),
            (std::vector<std::int32_t>{0, 0, 0, 0, 1}));
  EXPECT_EQ(read_all<std::int32_t>(path, "preprocessing/saturated", {5}),
            (std::vector<std::int32_t>{0, 1, 0, 0, 0}));
  EXPECT_EQ(read_all<double>(path, "preprocessing/noise", {5}), (std::vector<double>{10, 11, 12, 13, 14}));

  const hdf5::InputFile file(path, limit);
  EXPECT_EQ(file.attribute<double>("recording", "sampling_rate_hz"), 30000.0);
  EXPECT_EQ(file.attribute<std::int64_t>("recording", "n_samples"), 3000);
  EXPECT_EQ(file.attribute<std::int64_t>("recording", "first_sample"), 1000);
  EXPECT_EQ(file.attribute<std::int64_t>("recording", "n_columns"), 6);
  EXPECT_EQ(file.attribute<double>("recording", "gain_to_uv"), 0.195);
  EXPECT_TRUE(file.has_attribute("recording", "dtype"));
}

TEST(SortingFile, NamesAllFilesOfTheRecording) {
  const TemporaryFolder folder;
  const fs::path path = folder / "sorting.h5";
  SmallSorting small;
  small.files = {"/data/a.bin", "/data/b.bin"};
  write_some(path, small);
  const std::string files = read_contents(path).at("/recording@files");
  EXPECT_NE(files.find("[2,] /data/a.bin\n/data/b.bin\n"), std::string::npos) << files;
}

/// Units as they were before whitening, of which the file must find the amplitudes again.
TEST(SortingFile, AmplitudesInMicrovoltsAreOfTheWaveformBeforeWhitening) {
  const TemporaryFolder folder;
  SmallSorting small;
  const HostTensor3<float> raw("kokkosort::test::raw", 3, 5, 2);
  for (std::size_t i = 0; i < raw.size(); ++i) raw.data()[i] = static_cast<float>(std::sin(1.0 + 7.0 * i));
  for (std::size_t u = 0; u < 3; ++u)
    for (std::size_t c = 0; c < 5; ++c)
      for (std::size_t p = 0; p < 2; ++p) {
        double sum = 0.0;
        for (std::size_t d = 0; d < 5; ++d) sum += small.preparation.whitening(c, d) * raw(u, d, p);
        small.sorting.templates(u, c, p) = static_cast<float>(sum);
      }
  write_some(folder / "sorting.h5", small);
  const std::vector<double> found = read_all<double>(folder / "sorting.h5", "units/amplitude_uv", {3});
  for (std::size_t u = 0; u < 3; ++u) {
    double largest = 0.0;
    for (std::size_t t = 0; t < 5; ++t)
      largest = std::max(largest, std::abs(waveform_reference(raw, small.pcs.wPCA, u, t, u)));
    EXPECT_NEAR(found[u], 0.195 * largest, 1e-5 * largest);
  }
}

TEST(SortingFile, WithoutAGainThereAreNoMicrovolts) {
  const TemporaryFolder folder;
  SmallSorting small;
  small.gain_to_uv = 0.0;
  write_some(folder / "sorting.h5", small);
  EXPECT_FALSE(hdf5::InputFile(folder / "sorting.h5", limit).has("units/amplitude_uv"));
}

TEST(SortingFile, NoSpikesAreEmptyDatasets) {
  const TemporaryFolder folder;
  const fs::path path = folder / "sorting.h5";
  write_some(path, SmallSorting(0, 0));
  read_all<std::int64_t>(path, "spikes/sample", {0});
  read_all<std::int32_t>(path, "units/id", {0});
  read_all<float>(path, "units/waveform", {0, 5, 5});
  read_all<float>(path, "templates/pc", {0, 5, 2});
  read_all<float>(path, "similarity", {0, 0});
  EXPECT_NE(read_contents(path).at("/recording@files").find("[0,]"), std::string::npos);
}

TEST(SortingFile, TwoRunsDifferInTheRecordOfTheRunOnly) {
  const TemporaryFolder folder;
  write_some(folder / "a.h5", SmallSorting());
  write_some(folder / "b.h5", SmallSorting());
  write_some(folder / "c.h5", SmallSorting(), "2024-12-31T23:59:59Z");
  EXPECT_EQ(read_text(folder / "a.h5"), read_text(folder / "b.h5"));
  EXPECT_NE(read_text(folder / "a.h5"), read_text(folder / "c.h5"));
}

TEST(SortingFile, PartsThatDoNotAgreeAreNotWritten) {
  const TemporaryFolder folder;
  const std::vector<std::pair<std::string, std::function<void(SmallSorting&)>>> spoilers{
      {"spike 0 is at sample -1", [](SmallSorting& s) { s.sorting.sample[0] = -1; }},
      {"spike 39 is at sample 3000", [](SmallSorting& s) { s.sorting.sample[39] = 3000; }},
      {"spike 6 is before spike 5", [](SmallSorting& s) { s.sorting.sample[6] = 0; }},
      {"spike 3 has unit 3 of 3", [](SmallSorting& s) { s.sorting.unit[3] = 3; }},
      {"spike 3 has template 4 of 4", [](SmallSorting& s) { s.sorting.matched[3] = 4; }},
      {"unit 1 has 0 spikes",
       [](SmallSorting& s) {
         for (std::int32_t& unit : s.sorting.unit)
           if (unit == 1) unit = 0;
         s.sorting.units[0].spikes += std::exchange(s.sorting.units[1].spikes, 0);
       }},
      {"unit 2 has ", [](SmallSorting& s) { ++s.sorting.units[2].spikes; }},
      {"unit 2 has channel 5 of 5", [](SmallSorting& s) { s.sorting.unit_channels(2, 1) = 5; }},
      {"amplitude has 39", [](SmallSorting& s) { s.sorting.amplitude.pop_back(); }},
      {"similarity has 4",
       [](SmallSorting& s) { s.sorting.similarity = HostMatrix<float>("kokkosort::test::s", 2, 2); }},
      {"column has 4", [](SmallSorting& s) { s.column.pop_back(); }}};
  for (const auto& [part, spoil] : spoilers) {
    SmallSorting small;
    spoil(small);
    const std::string message =
        message_of<std::logic_error>([&] { write_some(folder / "sorting.h5", small); });
    EXPECT_NE(message.find(part), std::string::npos) << part << ": " << message;
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace kokkosort::test
