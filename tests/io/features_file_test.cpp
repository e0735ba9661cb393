#include "kokkosort/io/features_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "io/small_features.hpp"
#include "io/temporary_folder.hpp"
#include "kokkosort/errors.hpp"

namespace kokkosort::test {
namespace {

constexpr std::size_t limit = std::size_t{1} << 30;

SpikeFeatures write_and_read(const SmallFeatures& small, const std::string& group = "detected",
                             std::size_t host_limit = limit) {
  const TemporaryFolder folder;
  small.write(folder / "small.h5");
  return read_features(folder / "small.h5", group, host_limit);
}

struct BadInput {
  std::string what;
  std::function<void(SmallFeatures&)> spoil;
  std::vector<std::string> message;  // parts that the error must have
};

void expect_errors(const std::vector<BadInput>& cases) {
  for (const BadInput& bad : cases) {
    SCOPED_TRACE(bad.what);
    SmallFeatures small;
    bad.spoil(small);
    const std::string message = message_of<InputError>([&] { write_and_read(small); });
    EXPECT_NE(message.find("small.h5: "), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    for (const std::string& part : bad.message) EXPECT_NE(message.find(part), std::string::npos) << message;
  }
}

TEST(FeaturesFile, ReadsWhatIsThere) {
  const SmallFeatures small;
  const SpikeFeatures spikes = write_and_read(small, "/detected/");
  EXPECT_EQ(spikes.n_spikes(), 3u);
  EXPECT_EQ(spikes.n_channels(), 4u);
  EXPECT_EQ(spikes.n_rows(), 3u);
  EXPECT_EQ(spikes.n_pcs(), 2u);
  EXPECT_EQ(spikes.sampling_rate_hz, 30000.0);
  EXPECT_EQ(spikes.dmin_um, 20.0);
  EXPECT_EQ(spikes.dminx_um, 32.0);
  EXPECT_EQ(spikes.pcs.peak_sample, 2);
  EXPECT_EQ(spikes.pcs.wTEMP.extent(0), 3u);
  EXPECT_EQ(spikes.probe.y_um, small.y_um);
  EXPECT_EQ(spikes.centres.channels(1, 0), 3);
  EXPECT_EQ(spikes.sample(2), 30);
  EXPECT_EQ(spikes.centre(1), 1);
  EXPECT_EQ(spikes.features(1, 2, 1), 12.0f);
  EXPECT_EQ(spikes.file_order.size(), 0u);
}

TEST(FeaturesFile, SortsByTimeAndKeepsTheFilesOrder) {
  SmallFeatures small;
  small.sample = {30, 10, 10};
  small.centre = {0, 1, 0};
  const SpikeFeatures spikes = write_and_read(small);
  const std::vector<std::int64_t> order{1, 2, 0};  // equal times stay as they are in the file
  ASSERT_EQ(spikes.file_order.size(), order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto place = static_cast<std::size_t>(order[i]);
    EXPECT_EQ(spikes.file_order(i), order[i]);
    EXPECT_EQ(spikes.sample(i), small.sample[place]);
    EXPECT_EQ(spikes.centre(i), small.centre[place]);
    EXPECT_EQ(spikes.features(i, 1, 1), small.features[place * 6 + 3]);
  }
}

TEST(FeaturesFile, WholeNumbersDoForReals) {
  const TemporaryFolder folder;
  const SmallFeatures small;
  SmallFeatures without = small;
  without.left_out = {"probe/x_um"};
  without.write(folder / "small.h5");
  {
    const hdf5::Id file(H5Fopen((folder / "small.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
    const hsize_t n = 4;
    const hdf5::Id space(H5Screate_simple(1, &n, nullptr));
    const hdf5::Id dataset(H5Dcreate2(file.get(), "probe/x_um", H5T_STD_I16BE, space.get(), H5P_DEFAULT,
                                      H5P_DEFAULT, H5P_DEFAULT));
    const std::vector<int> values{0, 32, 0, 32};
    H5Dwrite(dataset.get(), H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  }
  EXPECT_EQ(read_features(folder / "small.h5", "detected", limit).probe.x_um, small.x_um);
}

TEST(FeaturesFile, RefusesMissingParts) {
  std::vector<BadInput> cases;
  for (const std::string name :
       {"probe/x_um", "probe/y_um", "probe/shank", "pcs/wPCA", "pcs/wTEMP", "detected/centres/x_um",
        "detected/centres/y_um", "detected/centres/channels", "detected/spikes/sample",
        "detected/spikes/centre", "detected/spikes/features"})
    cases.push_back(
        {name, [name](SmallFeatures& small) { small.left_out = {name}; }, {name + ": is missing"}});
  for (const std::string name :
       {"/@sampling_rate_hz", "detected@dmin_um", "detected@dminx_um", "pcs@peak_sample"})
    cases.push_back({name,
                     [name](SmallFeatures& small) { small.left_out = {name}; },
                     {"attribute " + name.substr(name.find('@') + 1) + ": is missing"}});
  expect_errors(cases);
}

TEST(FeaturesFile, TellsWhatMissingPartsHold) {
  expect_errors({
      {"dataset",
       [](SmallFeatures& small) { small.left_out = {"detected/centres/channels"}; },
       {"centres/channels: is missing; it must hold integers on 2 axes"}},
      {"vector",
       [](SmallFeatures& small) { small.left_out = {"probe/x_um"}; },
       {"probe/x_um: is missing; it must hold floating-point numbers on 1 axis"}},
      {"real",
       [](SmallFeatures& small) { small.left_out = {"detected@dmin_um"}; },
       {"it must be one number"}},
      {"integer",
       [](SmallFeatures& small) { small.left_out = {"pcs@peak_sample"}; },
       {"it must be one integer"}},
  });
}

TEST(FeaturesFile, RefusesOtherTypes) {
  std::vector<BadInput> cases;
  for (const std::string name :
       {"probe/shank", "detected/centres/channels", "detected/spikes/sample", "detected/spikes/centre"})
    cases.push_back({name,
                     [name](SmallFeatures& small) { small.mistyped = {name}; },
                     {name + ": holds floating-point numbers; write it as integers"}});
  for (const std::string name :
       {"probe/x_um", "pcs/wPCA", "detected/centres/y_um", "detected/spikes/features"})
    cases.push_back({name,
                     [name](SmallFeatures& small) { small.mistyped = {name}; },
                     {name + ": holds strings; write it as floating-point numbers"}});
  for (const std::string name : {"/@sampling_rate_hz", "detected@dmin_um"})
    cases.push_back({name, [name](SmallFeatures& small) { small.mistyped = {name}; }, {": holds strings"}});
  cases.push_back({"peak_sample",
                   [](SmallFeatures& small) { small.mistyped = {"pcs@peak_sample"}; },
                   {"pcs, attribute peak_sample: holds floating-point numbers"}});
  expect_errors(cases);
}

TEST(FeaturesFile, RefusesShapesThatDisagree) {
  expect_errors({
      {"y_um",
       [](SmallFeatures& small) { small.y_um.pop_back(); },
       {"probe/y_um: has 3 elements; it must have 4"}},
      {"shank", [](SmallFeatures& small) { small.shank.push_back(0); }, {"probe/shank: has 5 elements"}},
      {"no channels",
       [](SmallFeatures& small) { small.x_um = small.y_um = {}, small.shank = {}; },
       {"probe/x_um: has no channels"}},
      {"centres",
       [](SmallFeatures& small) { small.centre_y_um.push_back(0); },
       {"centres/y_um: has 3 elements"}},
      {"channels",
       [](SmallFeatures& small) { small.channels.resize(3); },
       {"centres/channels: has shape [1, 3]; it must be [2,"}},
      {"centre",
       [](SmallFeatures& small) { small.centre.pop_back(); },
       {"spikes/centre: has shape [2]", "must be [3]"}},
      {"features",
       [](SmallFeatures& small) { small.features.resize(12); },
       {"spikes/features: has shape [2, 3, 2]", "must be [3, 3, 2]"}},
      {"pcs",
       [](SmallFeatures& small) { small.wPCA.resize(15); },
       {"spikes/features: has shape [3, 3, 2]", "must be [3, 3, 3]"}},
      {"peak_sample", [](SmallFeatures& small) { small.peak_sample = 5; }, {"peak_sample: is 5", "0 to 4"}},
      {"no spikes",
       [](SmallFeatures& small) { small.sample = {}, small.centre = {}, small.features = {}; },
       {"spikes/sample: has no spikes"}},
  });
}

TEST(FeaturesFile, RefusesBadValues) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  expect_errors({
      {"NaN",
       [=](SmallFeatures& small) { small.features[9] = nan; },
       {"features: spike 1, row 1, component 1 is nan"}},
      {"inf",
       [=](SmallFeatures& small) { small.features[17] = -static_cast<float>(infinity); },
       {"spike 2, row 2, component 1 is -inf"}},
      {"1e20", [](SmallFeatures& small) { small.features[0] = 1e20f; }, {"spike 0", "1e+20", "at most 1e6"}},
      {"centre", [](SmallFeatures& small) { small.centre[1] = 2; }, {"spike 1 is at centre 2", "0 to 1"}},
      {"negative centre", [](SmallFeatures& small) { small.centre[2] = -1; }, {"spike 2 is at centre -1"}},
      {"negative sample", [](SmallFeatures& small) { small.sample[0] = -7; }, {"spike 0 is at sample -7"}},
      {"huge sample",
       [](SmallFeatures& small) { small.sample[2] = std::numeric_limits<std::int64_t>::max(); },
       {"spike 2 is at sample 9223372036854775807", "to 9007199254740992"}},
      {"channel",
       [](SmallFeatures& small) { small.channels[4] = 4; },
       {"centre 1, row 1 is channel 4", "0 to 3"}},
      {"twice", [](SmallFeatures& small) { small.channels[5] = 3; }, {"centre 1 has channel 3 twice"}},
      {"position", [=](SmallFeatures& small) { small.x_um[3] = nan; }, {"probe/x_um: element 3 is nan"}},
      {"inf position",
       [=](SmallFeatures& small) { small.centre_y_um[0] = infinity; },
       {"centres/y_um: element 0 is inf"}},
      {"far position",
       [](SmallFeatures& small) { small.y_um[0] = 1e20; },
       {"probe/y_um: element 0 is 1e+20"}},
      {"waveform",
       [=](SmallFeatures& small) { small.wPCA[6] = nan; },
       {"pcs/wPCA: waveform 1, sample 1 is nan"}},
      {"rate", [](SmallFeatures& small) { small.sampling_rate_hz = 0.0; }, {"sampling_rate_hz: is 0"}},
      {"NaN rate", [=](SmallFeatures& small) { small.sampling_rate_hz = nan; }, {"sampling_rate_hz: is nan"}},
      {"dmin", [](SmallFeatures& small) { small.dmin_um = -20.0; }, {"detected, attribute dmin_um: is -20"}},
      {"dminx",
       [=](SmallFeatures& small) { small.dminx_um = infinity; },
       {"detected, attribute dminx_um: is inf"}},
      {"fine grid",
       [](SmallFeatures& small) { small.dmin_um = 0.001, small.centre_y_um[1] = 1e6; },
       {"attribute dmin_um: is 0.001, far too fine"}},
  });
}

TEST(FeaturesFile, NamesTheGroupsThereAre) {
  const std::string message = message_of<InputError>([] { write_and_read({}, "matched"); });
  EXPECT_NE(message.find("no group 'matched'; groups with spikes: detected"), std::string::npos) << message;
  for (const std::string group : {"/", "detected/spikes/sample", "detected/nothing"})
    EXPECT_NE(message_of<InputError>([&] { write_and_read({}, group); }), "") << group;
}

TEST(FeaturesFile, NamesNoMoreThanTenGroups) {
  const TemporaryFolder folder;
  SmallFeatures().write(folder / "f.h5");
  {
    const hdf5::Id file(H5Fopen((folder / "f.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
    for (int i = 10; i < 21; ++i)
      for (const std::string& name : {"a" + std::to_string(i), "a" + std::to_string(i) + "/spikes"})
        const hdf5::Id group(H5Gcreate2(file.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  }
  const std::string message = message_of<InputError>([&] { read_features(folder / "f.h5", "none", limit); });
  EXPECT_NE(message.find("a18, a19 and 2 more; set input.group"), std::string::npos) << message;
}

TEST(FeaturesFile, RefusesWhatIsNoFeaturesFile) {
  const TemporaryFolder folder;
  const auto message = [&](const std::string& name) {
    return message_of<InputError>([&] { read_features(folder / name, "detected", limit); });
  };
  EXPECT_NE(message("none.h5").find("none.h5: there is no such file"), std::string::npos);
  EXPECT_NE(message("").find("is not a file"), std::string::npos);
  write_text(folder / "text.h5", "these are no spikes");
  EXPECT_NE(message("text.h5").find("is not an HDF5 file"), std::string::npos);
  write_text(folder / "empty.h5", "");
  EXPECT_NE(message("empty.h5").find("is not an HDF5 file"), std::string::npos);

  SmallFeatures().write(folder / "whole.h5");
  const std::string bytes = read_text(folder / "whole.h5");
  write_text(folder / "cut.h5", bytes.substr(0, bytes.size() / 2));
  EXPECT_NE(message("cut.h5").find("cannot be opened"), std::string::npos) << message("cut.h5");
}

/// Adds a dataset that claims a shape and was never written.
void claim_features(const std::filesystem::path& path, const std::vector<hsize_t>& shape) {
  SmallFeatures small;
  small.left_out = {"detected/spikes/features"};
  small.write(path);
  const hdf5::Id file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
  const hdf5::Id space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr));
  const hdf5::Id dataset(H5Dcreate2(file.get(), "detected/spikes/features", H5T_NATIVE_FLOAT, space.get(),
                                    H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  ASSERT_GE(dataset.get(), 0);
}

TEST(FeaturesFile, DoesNotBelieveWhatAHeaderClaims) {
  const TemporaryFolder folder;
  claim_features(folder / "huge.h5", {1ull << 30, 1ull << 20, 6});
  std::string message = message_of<InputError>([&] { read_features(folder / "huge.h5", "detected", limit); });
  EXPECT_NE(message.find("more than is left of memory.host_limit_mb = 1024"), std::string::npos) << message;
  claim_features(folder / "unwritten.h5", {3, 3, 2});
  message = message_of<InputError>([&] { read_features(folder / "unwritten.h5", "detected", limit); });
  EXPECT_NE(message.find("was never written: the file does not hold its values"), std::string::npos)
      << message;
}

TEST(FeaturesFile, CountsAllArraysAgainstTheLimit) {
  EXPECT_EQ(write_and_read({}, "detected", 344).n_spikes(), 3u);  // bytes of all arrays
  EXPECT_NE(message_of<InputError>([] { write_and_read({}, "detected", 343); }).find("spikes/features"),
            std::string::npos);
}

}  // namespace
}  // namespace kokkosort::test
