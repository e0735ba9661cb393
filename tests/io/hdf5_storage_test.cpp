// Datasets that HDF5 reads as zeros, or clamped, because the file does not hold what they say.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "io/small_features.hpp"
#include "io/temporary_folder.hpp"
#include "kokkosort/errors.hpp"
#include "kokkosort/io/features_file.hpp"

namespace kokkosort::test {
namespace {

constexpr std::size_t limit = std::size_t{1} << 30;
const std::string features = "detected/spikes/features";
const std::vector<hsize_t> shape{3, 3, 2};

class HDF5Storage : public testing::Test {
 protected:
  HDF5Storage()
      : properties_(H5Pcreate(H5P_DATASET_CREATE)), space_(H5Screate_simple(3, shape.data(), nullptr)) {}

  /// Writes a features file whose features are stored as properties_ say. @param write  is given the dataset
  void make(const std::function<void(hid_t)>& write) {
    SmallFeatures small = small_;
    small.left_out = {features};
    small.write(path());
    const hdf5::Id file(H5Fopen(path().c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
    const hdf5::Id dataset(H5Dcreate2(file.get(), features.c_str(), H5T_NATIVE_FLOAT, space_.get(),
                                      H5P_DEFAULT, properties_.get(), H5P_DEFAULT));
    ASSERT_GE(dataset.get(), 0);
    write(dataset.get());
  }

  void write_all(hid_t dataset) const {
    ASSERT_GE(H5Dwrite(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, small_.features.data()), 0);
  }

  void write_spikes(hid_t dataset, hsize_t n) const {
    const std::vector<hsize_t> start{0, 0, 0};
    const std::vector<hsize_t> count{n, 3, 2};
    const hdf5::Id memory(H5Screate_simple(3, count.data(), nullptr));
    const hdf5::Id part(H5Scopy(space_.get()));
    H5Sselect_hyperslab(part.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
    ASSERT_GE(
        H5Dwrite(dataset, H5T_NATIVE_FLOAT, memory.get(), part.get(), H5P_DEFAULT, small_.features.data()),
        0);
  }

  void set_chunks() {
    const std::vector<hsize_t> chunk{1, 2, 2};  // the last along the second axis stick out
    H5Pset_chunk(properties_.get(), 3, chunk.data());
  }

  void expect_read() const {
    const SpikeFeatures spikes = read_features(path(), "detected", limit);
    EXPECT_EQ(std::vector<float>(spikes.features.data(), spikes.features.data() + spikes.features.size()),
              small_.features);
  }

  void expect_refused(const std::string& part) const {
    const std::string message = message_of<InputError>([&] { read_features(path(), "detected", limit); });
    EXPECT_NE(message.find(features + ": "), std::string::npos) << message;
    EXPECT_NE(message.find(part), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }

  std::filesystem::path path() const { return folder_ / "f.h5"; }

  const TemporaryFolder folder_;
  const SmallFeatures small_;
  const hdf5::Id properties_;
  const hdf5::Id space_;
};

TEST_F(HDF5Storage, AllChunksAreRead) {
  set_chunks();
  make([this](hid_t dataset) { write_all(dataset); });
  expect_read();
}

TEST_F(HDF5Storage, CompressedChunksAreRead) {
  set_chunks();
  H5Pset_deflate(properties_.get(), 4);
  make([this](hid_t dataset) { write_all(dataset); });
  expect_read();
}

TEST_F(HDF5Storage, MissingChunksAreRefused) {
  set_chunks();
  make([this](hid_t dataset) { write_spikes(dataset, 2); });
  expect_refused("has 4 of its 6 chunks");
}

TEST_F(HDF5Storage, MissingCompressedChunksAreRefused) {
  set_chunks();
  H5Pset_deflate(properties_.get(), 4);
  make([this](hid_t dataset) { write_spikes(dataset, 1); });
  expect_refused("has 2 of its 6 chunks");
}

TEST_F(HDF5Storage, WhatWasNeverWrittenIsRefused) {
  make([](hid_t) {});
  expect_refused("was never written");
}

TEST_F(HDF5Storage, VirtualDatasetsAreRefused) {
  H5Pset_virtual(properties_.get(), space_.get(), (folder_ / "none.h5").c_str(), "features", space_.get());
  make([](hid_t) {});
  expect_refused("is virtual");
}

TEST_F(HDF5Storage, ExternalStorageIsReadIfItIsWhole) {
  const std::string raw = (folder_ / "raw").string();
  H5Pset_external(properties_.get(), raw.c_str(), 8, 40);
  H5Pset_external(properties_.get(), (raw + "2").c_str(), 0, H5F_UNLIMITED);
  make([this](hid_t dataset) { write_all(dataset); });
  expect_read();
  std::filesystem::resize_file(folder_ / "raw2", 31);
  expect_refused("raw2, which has 31 bytes; it must have 32");
  std::filesystem::resize_file(folder_ / "raw", 47);
  expect_refused("raw, which has 47 bytes; it must have 48");
  std::filesystem::remove(folder_ / "raw");
  expect_refused("raw: No such file or directory");
}

std::size_t pass_on(unsigned, std::size_t, const unsigned*, std::size_t n_bytes, std::size_t*, void**) {
  return n_bytes;
}

TEST_F(HDF5Storage, AMissingFilterIsNamed) {
  constexpr H5Z_filter_t lzf = 32000;
  const H5Z_class2_t filter{H5Z_CLASS_T_VERS, lzf, 1, 1, "lzf", nullptr, nullptr, pass_on};
  ASSERT_GE(H5Zregister(&filter), 0);
  set_chunks();
  H5Pset_filter(properties_.get(), lzf, H5Z_FLAG_OPTIONAL, 0, nullptr);
  make([this](hid_t dataset) { write_all(dataset); });
  ASSERT_GE(H5Zunregister(lzf), 0);
  expect_refused("the filter lzf (number 32000), which this HDF5 lacks; rewrite it with gzip");
}

template <class T>
std::string message_with(const std::string& name, hid_t type, const std::vector<T>& values) {
  const TemporaryFolder folder;
  SmallFeatures small;
  small.left_out = {name};
  small.write(folder / "f.h5");
  {
    const hdf5::Id file(H5Fopen((folder / "f.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
    const hsize_t n = values.size();
    const hdf5::Id space(H5Screate_simple(1, &n, nullptr));
    const hdf5::Id dataset(
        H5Dcreate2(file.get(), name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Dwrite(dataset.get(), hdf5::native_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  }
  return message_of<InputError>([&] { read_features(folder / "f.h5", "detected", limit); });
}

TEST(HDF5Integers, ThatDoNotFitAreNamed) {
  const auto expect_part = [](const std::string& message, const std::string& part) {
    EXPECT_NE(message.find(part), std::string::npos) << part << ": " << message;
  };
  const std::string allowed = "it must be from -2147483648 to 2147483647";
  const std::vector<std::int64_t> high{0, 1, 3000000000, 0};
  const std::vector<std::int64_t> low{0, 1, -3000000000, 0};
  expect_part(message_with("probe/shank", H5T_STD_I64LE, high),
              "probe/shank: element 2 is 3000000000; " + allowed);
  expect_part(message_with("probe/shank", H5T_STD_I64BE, low),
              "probe/shank: element 2 is -3000000000; " + allowed);
  expect_part(message_with("probe/shank", H5T_STD_U32BE, high),
              "probe/shank: element 2 is 3000000000; " + allowed);
  expect_part(
      message_with("detected/spikes/centre", H5T_STD_I64LE, std::vector<std::int64_t>{1ll << 32, 0, 0}),
      "spikes/centre: element 0 is 4294967296");
  expect_part(message_with("detected/spikes/sample", H5T_STD_U64LE,
                           std::vector<std::uint64_t>{0, std::numeric_limits<std::uint64_t>::max(), 1}),
              "spikes/sample: element 1 is 18446744073709551615");
  std::vector<hid_t> types;  // one by one: nvcc cannot take HDF5's macros in a braced list
  types.push_back(H5T_STD_I64BE);
  types.push_back(H5T_STD_U32BE);
  types.push_back(H5T_STD_U32LE);
  types.push_back(H5T_STD_I32BE);
  for (const hid_t type : types)
    EXPECT_EQ(message_with("probe/shank", type, std::vector<std::int64_t>{0, 1, 2147483647, 1}), "");
}

TEST(HDF5Integers, OfAttributesThatDoNotFitAreNamed) {
  const TemporaryFolder folder;
  SmallFeatures small;
  small.left_out = {"pcs@peak_sample"};
  small.write(folder / "f.h5");
  {
    const hdf5::Id file(H5Fopen((folder / "f.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
    const hdf5::Id space(H5Screate(H5S_SCALAR));
    const hdf5::Id attribute(H5Acreate_by_name(file.get(), "pcs", "peak_sample", H5T_STD_U64BE, space.get(),
                                               H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const std::uint64_t value = 1ull << 63;
    H5Awrite(attribute.get(), H5T_NATIVE_UINT64, &value);
  }
  const std::string message =
      message_of<InputError>([&] { read_features(folder / "f.h5", "detected", limit); });
  EXPECT_NE(message.find("pcs, attribute peak_sample: is 9223372036854775808"), std::string::npos) << message;
}

}  // namespace
}  // namespace kokkosort::test
