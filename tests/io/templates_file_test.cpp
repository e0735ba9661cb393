#include "kokkosort/io/templates_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "io/small_features.hpp"
#include "io/small_templates.hpp"
#include "io/temporary_folder.hpp"
#include "kokkosort/errors.hpp"
#include "system/shared_data.hpp"

namespace kokkosort::test {
namespace {

constexpr std::size_t limit = std::size_t{1} << 30;

TemplateSet write_and_read(const SmallTemplates& small, const std::string& dataset = "learned_templates") {
  const TemporaryFolder folder;
  small.write(folder / "t.h5");
  return read_templates(folder / "t.h5", dataset, limit);
}

void expect_error(const std::function<void(SmallTemplates&)>& spoil, const std::string& part) {
  SCOPED_TRACE(part);
  SmallTemplates small;
  spoil(small);
  const std::string message = message_of<InputError>([&] { write_and_read(small); });
  EXPECT_NE(message.find("t.h5: "), std::string::npos) << message;
  EXPECT_NE(message.find(part), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

TEST(TemplatesFile, ReadsWhatIsThere) {
  const SmallTemplates small;
  const TemplateSet set = write_and_read(small);
  ASSERT_EQ(set.n_templates(), 2u);
  EXPECT_EQ(std::vector<float>(set.templates.data(), set.templates.data() + set.templates.size()),
            small.templates);
  EXPECT_EQ(set.probe.y_um, small.y_um);
  EXPECT_EQ(set.pcs.peak_sample, 2);
  EXPECT_EQ(set.sampling_rate_hz, 30000.0);
  EXPECT_EQ(set.dmin_um, 20.0);
  EXPECT_EQ(set.dminx_um, 32.0);
}

TEST(TemplatesFile, RateAndSpacingsMayBeLeftOut) {
  SmallTemplates small;
  small.left_out = {"sampling_rate_hz", "dmin_um", "dminx_um"};
  const TemplateSet set = write_and_read(small);
  EXPECT_EQ(set.sampling_rate_hz, 0.0);
  EXPECT_EQ(set.dmin_um, 0.0);
  EXPECT_EQ(set.dminx_um, 0.0);
}

TEST(TemplatesFile, SpacingsMayBeThoseOfDetection) {
  const TemporaryFolder folder;
  SmallFeatures features;
  features.wPCA = SmallTemplates::components();
  features.dmin_um = 17.0;
  features.write(folder / "f.h5");
  {
    const hdf5::Id file(H5Fopen((folder / "f.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
    const hsize_t shape[3] = {2, 4, 2};
    const hdf5::Id space(H5Screate_simple(3, shape, nullptr));
    const hdf5::Id dataset(
        H5Dcreate2(file.get(), "mine", H5T_NATIVE_FLOAT, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Dwrite(dataset.get(), H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT,
             SmallTemplates().templates.data());
  }
  EXPECT_EQ(read_templates(folder / "f.h5", "mine", limit).dmin_um, 17.0);
}

TEST(TemplatesFile, NamesTheDatasetsThatMayBeMeant) {
  SmallTemplates small;
  small.dataset = "others";
  const std::string message = message_of<InputError>([&] { write_and_read(small); });
  EXPECT_NE(message.find("there is no dataset 'learned_templates'; datasets on 3 axes: others; set "
                         "input.templates_dataset"),
            std::string::npos)
      << message;
  EXPECT_EQ(write_and_read(small, "others").n_templates(), 2u);
  const TemporaryFolder folder;
  SmallFeatures().write(folder / "f.h5");  // its features have three axes, too
  EXPECT_NE(message_of<InputError>([&] {
              read_templates(folder / "f.h5", "learned_templates", limit);
            }).find("nor any other of templates"),
            std::string::npos);
}

TEST(TemplatesFile, RefusesMissingParts) {
  for (const std::string name : {"probe/x_um", "probe/y_um", "probe/shank", "pcs/wPCA", "pcs/wTEMP"})
    expect_error([&](SmallTemplates& small) { small.left_out = {name}; }, name + ": is missing");
  expect_error([](SmallTemplates& small) { small.left_out = {"learned_templates"}; },
               "there is no dataset 'learned_templates', nor any other of templates");
}

TEST(TemplatesFile, RefusesShapesThatDisagree) {
  expect_error(
      [](SmallTemplates& small) {
        small.x_um = small.y_um = {0, 0, 0};
      },
      "learned_templates: has shape [2, 4, 2]; with the file's probe and pcs it must be [templates, 3, 2]");
  expect_error([](SmallTemplates& small) { small.wPCA.resize(5); }, "it must be [templates, 4, 1]");
  expect_error([](SmallTemplates& small) { small.templates.clear(); }, "has no templates");
  const std::string message = message_of<InputError>([] { write_and_read({}, "pcs/wPCA"); });
  EXPECT_NE(message.find("it must have 3 axes"), std::string::npos) << message;
}

TEST(TemplatesFile, RefusesBadValues) {
  expect_error([](SmallTemplates& small) { small.templates[11] = std::numeric_limits<float>::quiet_NaN(); },
               "template 1, channel 1, component 1 is nan");
  expect_error([](SmallTemplates& small) { small.templates[0] = 1e20f; },
               "template 0, channel 0, component 0 is 1e+20");
  expect_error([](SmallTemplates& small) { small.templates[0] = 0.0f; },
               "template 0 is zero on all channels; leave it out");
  expect_error([](SmallTemplates& small) { small.templates[0] = 1e-9f; }, "template 0 has the norm 1e-09");
  expect_error([](SmallTemplates& small) { small.dmin_um = -1.0; }, "attribute dmin_um: is -1");
  expect_error([](SmallTemplates& small) { small.sampling_rate_hz = 1.0; },
               "attribute sampling_rate_hz: is 1");
}

TEST(TemplatesFile, RefusesComponentsThatAreNotOrthonormal) {
  expect_error([](SmallTemplates& small) { small.wPCA[2] += 0.1f; },
               "pcs/wPCA: the product of rows 0 and 0 is 1.17");
  expect_error([](SmallTemplates& small) { std::copy_n(small.wPCA.begin(), 5, small.wPCA.begin() + 5); },
               "the product of rows 0 and 1 is 1; it must be 0");
}

TEST(TemplatesFile, CountsAgainstTheLimit) {
  const TemporaryFolder folder;
  SmallTemplates().write(folder / "t.h5");
  EXPECT_NE(message_of<InputError>([&] {
              read_templates(folder / "t.h5", "learned_templates", 100);
            }).find("memory.host_limit_mb"),
            std::string::npos);
}

TEST(TemplatesFile, ReadsKilosortsTemplates) {
  for (const auto& [file, n] : {std::pair("np16_60s.h5", 6u), std::pair("np64_120s_stages.h5", 48u)}) {
    const std::filesystem::path path = shared_data(file);
    if (!std::filesystem::exists(path)) GTEST_SKIP() << missing(path);
    const TemplateSet set = read_templates(path, "reference/kilosort4/learned_templates", limit);
    EXPECT_EQ(set.n_templates(), n);
    EXPECT_EQ(set.dmin_um, 20.0);
    EXPECT_EQ(set.sampling_rate_hz, 30000.0);
  }
}

}  // namespace
}  // namespace kokkosort::test
