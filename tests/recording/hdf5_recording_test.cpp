#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "io/hdf5.hpp"
#include "io/temporary_folder.hpp"
#include "kokkosort/errors.hpp"
#include "kokkosort/recording/open_recording.hpp"
#include "system/shared_data.hpp"

namespace kokkosort::test {
namespace {

namespace fs = std::filesystem;

/// How a dataset is stored.
struct Storage {
  hid_t type = H5T_STD_I16LE;
  hid_t memory_type = H5T_NATIVE_DOUBLE;
  hsize_t chunk_rows = 0;  // 0: not in chunks
  bool compressed = false;
  double scale_to_sigma = 0.0;  // 0: no attribute
};

/// Writes values [samples, channels] as "group/traces".
void write_traces(const fs::path& path, const std::vector<double>& values, hsize_t n_channels,
                  const Storage& storage) {
  hdf5::OutputFile file(path);
  file.group("group");
  file.close();
  const hdf5::Id id(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
  const hsize_t shape[2] = {values.size() / n_channels, n_channels};
  const hdf5::Id space(H5Screate_simple(2, shape, nullptr));
  const hdf5::Id properties(H5Pcreate(H5P_DATASET_CREATE));
  const hsize_t chunk[2] = {storage.chunk_rows, n_channels};
  if (storage.chunk_rows > 0) H5Pset_chunk(properties.get(), 2, chunk);
  if (storage.compressed) H5Pset_deflate(properties.get(), 1);
  const hdf5::Id dataset(H5Dcreate2(id.get(), "group/traces", storage.type, space.get(), H5P_DEFAULT,
                                    properties.get(), H5P_DEFAULT));
  ASSERT_GE(dataset.get(), 0);
  ASSERT_GE(H5Dwrite(dataset.get(), storage.memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  if (storage.scale_to_sigma == 0.0) return;
  const hdf5::Id scalar(H5Screate(H5S_SCALAR));
  const hdf5::Id attribute(
      H5Acreate2(dataset.get(), "scale_to_sigma", H5T_IEEE_F64LE, scalar.get(), H5P_DEFAULT, H5P_DEFAULT));
  H5Awrite(attribute.get(), H5T_NATIVE_DOUBLE, &storage.scale_to_sigma);
}

template <class T>
void expect_values(Recording& recording, SampleType type, const std::vector<double>& expected) {
  ASSERT_EQ(recording.type(), type);
  const auto n = static_cast<std::size_t>(recording.n_samples());
  for (std::size_t first = 0; first < n; ++first) {  // to the end, and one sample
    std::vector<T> rest((n - first) * 2), one(2);
    recording.read(static_cast<std::int64_t>(first), n - first, rest.data());
    recording.read(static_cast<std::int64_t>(first), 1, one.data());
    for (std::size_t i = 0; i < rest.size(); ++i)
      EXPECT_EQ(static_cast<double>(rest[i]), expected[2 * first + i]);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(one[i], rest[i]);
  }
}

/// Writes values in an HDF5 type and expects them back in a type of ours.
void expect_kept(hid_t stored, SampleType type, const std::vector<double>& values, hsize_t chunk_rows) {
  const TemporaryFolder folder;
  Storage storage;
  storage.type = stored;
  storage.chunk_rows = chunk_rows;
  write_traces(folder / "a.h5", values, 2, storage);
  const Hdf5Recording recording = open_hdf5_recording(folder / "a.h5", "group/traces");
  ASSERT_EQ(recording.traces->n_channels(), 2u);
  ASSERT_EQ(recording.traces->n_samples(), static_cast<std::int64_t>(values.size() / 2));
  if (type == SampleType::int16) expect_values<std::int16_t>(*recording.traces, type, values);
  if (type == SampleType::uint16) expect_values<std::uint16_t>(*recording.traces, type, values);
  if (type == SampleType::int32) expect_values<std::int32_t>(*recording.traces, type, values);
  if (type == SampleType::float32) expect_values<float>(*recording.traces, type, values);
}

TEST(Hdf5Recording, KeepsTheValuesOfEveryType) {
  const std::vector<double> bytes{-128, 127, 0, 1, 2, 3}, unsigned_bytes{0, 255, 128, 1, 2, 3};
  const std::vector<double> shorts{-32768, 32767, 0, 1, 2, 3}, unsigned_shorts{0, 65535, 32768, 1, 2, 3};
  const std::vector<double> longs{-2147483648.0, 2147483647, 0, 1, 2, 3}, reals{-0.5, 1e9, 0, 1, 2, 3};
  for (hsize_t chunk_rows = 0; chunk_rows < 4; ++chunk_rows) {
    // One by one: nvcc cannot take HDF5's macros in a braced list.
    expect_kept(H5T_STD_I8LE, SampleType::int16, bytes, chunk_rows);
    expect_kept(H5T_STD_I8BE, SampleType::int16, bytes, chunk_rows);
    expect_kept(H5T_STD_U8LE, SampleType::uint16, unsigned_bytes, chunk_rows);
    expect_kept(H5T_STD_I16LE, SampleType::int16, shorts, chunk_rows);
    expect_kept(H5T_STD_I16BE, SampleType::int16, shorts, chunk_rows);
    expect_kept(H5T_STD_U16LE, SampleType::uint16, unsigned_shorts, chunk_rows);
    expect_kept(H5T_STD_U16BE, SampleType::uint16, unsigned_shorts, chunk_rows);
    expect_kept(H5T_STD_I32LE, SampleType::int32, longs, chunk_rows);
    expect_kept(H5T_STD_I32BE, SampleType::int32, longs, chunk_rows);
    expect_kept(H5T_IEEE_F32LE, SampleType::float32, reals, chunk_rows);
    expect_kept(H5T_IEEE_F32BE, SampleType::float32, reals, chunk_rows);
    expect_kept(H5T_IEEE_F64LE, SampleType::float32, reals, chunk_rows);
    expect_kept(H5T_IEEE_F64BE, SampleType::float32, reals, chunk_rows);
  }
}

TEST(Hdf5Recording, ChunksLargerThanTheUsualCacheAreRead) {
  const TemporaryFolder folder;
  std::vector<double> values(2 * 700000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 30011);
  Storage storage;
  storage.chunk_rows = 300000;  // 1.2 MB
  storage.compressed = true;
  write_traces(folder / "a.h5", values, 2, storage);
  const Hdf5Recording recording = open_hdf5_recording(folder / "a.h5", "group/traces");
  std::vector<std::int16_t> part(2 * 50000);
  for (std::int64_t first = 0; first + 50000 <= 700000; first += 40000) {
    recording.traces->read(first, 50000, part.data());
    for (std::size_t i = 0; i < part.size(); i += 997)
      ASSERT_EQ(part[i], static_cast<std::int16_t>((static_cast<std::size_t>(2 * first) + i) % 30011));
  }
}

std::string opening_error(const fs::path& path, const std::string& dataset = "group/traces") {
  return message_of<InputError>([&] { open_hdf5_recording(path, dataset); });
}

TEST(Hdf5Recording, RefusesWhatDoesNotFitAnyType) {
  const TemporaryFolder folder;
  const auto error_of = [&](hid_t type) {
    Storage storage;
    storage.type = type;
    fs::remove(folder / "a.h5");
    write_traces(folder / "a.h5", {1, 2, 3, 4}, 2, storage);
    return opening_error(folder / "a.h5");
  };
  EXPECT_NE(
      error_of(H5T_STD_U32LE).find("group/traces: holds unsigned integers of 32 bits; write it as int16, "),
      std::string::npos);
  EXPECT_NE(error_of(H5T_STD_I64LE).find("holds signed integers of 64 bits"), std::string::npos);
}

TEST(Hdf5Recording, NamesTheDatasetsThatMayBeMeant) {
  const TemporaryFolder folder;
  write_traces(folder / "a.h5", {1, 2, 3, 4}, 2, Storage());
  EXPECT_NE(
      opening_error(folder / "a.h5", "traces")
          .find("a.h5: there is no dataset 'traces'; datasets on 2 axes: group/traces; set input.dataset"),
      std::string::npos)
      << opening_error(folder / "a.h5", "traces");
  EXPECT_NE(opening_error(folder / "a.h5", "group").find("is a group"), std::string::npos);
  hdf5::OutputFile(folder / "none.h5").close();
  EXPECT_NE(opening_error(folder / "none.h5").find("it has no dataset [samples, channels]"),
            std::string::npos);
  write_text(folder / "text.h5", "text");
  EXPECT_NE(opening_error(folder / "text.h5").find("is not an HDF5 file"), std::string::npos);
  EXPECT_NE(opening_error(folder / "missing.h5").find("there is no such file"), std::string::npos);
}

TEST(Hdf5Recording, RefusesOtherShapes) {
  const TemporaryFolder folder;
  {
    hdf5::OutputFile file(folder / "a.h5");
    const std::vector<float> values(8, 1.0f);
    file.write("one", {8}, values.data());
    file.write("three", {2, 2, 2}, values.data());
    file.write("no_samples", {0, 2}, values.data());
    file.write("no_channels", {2, 0}, values.data());
    file.close();
  }
  for (const std::string name : {"one", "three"})
    EXPECT_NE(opening_error(folder / "a.h5", name).find("it must have 2 axes"), std::string::npos) << name;
  for (const std::string name : {"no_samples", "no_channels"})
    EXPECT_NE(opening_error(folder / "a.h5", name).find("it must hold samples"), std::string::npos) << name;
}

TEST(Hdf5Recording, TellsTheScale) {
  const TemporaryFolder folder;
  Storage storage;
  write_traces(folder / "none.h5", {1, 2, 3, 4}, 2, storage);
  EXPECT_EQ(open_hdf5_recording(folder / "none.h5", "group/traces").scale_to_sigma, 0.0);
  storage.scale_to_sigma = 0.005;
  write_traces(folder / "some.h5", {1, 2, 3, 4}, 2, storage);
  EXPECT_EQ(open_hdf5_recording(folder / "some.h5", "group/traces").scale_to_sigma, 0.005);
  for (const double bad : {-1.0, 1e9, std::numeric_limits<double>::quiet_NaN()}) {
    storage.scale_to_sigma = bad;
    fs::remove(folder / "bad.h5");
    write_traces(folder / "bad.h5", {1, 2, 3, 4}, 2, storage);
    EXPECT_NE(opening_error(folder / "bad.h5").find("attribute scale_to_sigma: is "), std::string::npos)
        << bad;
    EXPECT_EQ(open_hdf5_recording(folder / "bad.h5", "group/traces", 0.5).scale_to_sigma, 0.5);
  }
}

TEST(Hdf5Recording, OnlyFilesAreLookedInto) {
  const TemporaryFolder folder;
  write_traces(folder / "a.h5", {1, 2, 3, 4}, 2, Storage());
  write_text(folder / "text", "text");
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_TRUE(is_hdf5_file(folder / "a.h5"));
  for (const std::string name : {"text", "pipe", "none", ""})
    EXPECT_FALSE(is_hdf5_file(folder / name)) << name;
  EXPECT_FALSE(is_hdf5_file("/dev/zero"));
}

TEST(Hdf5Recording, TellsWhichFilesHoldIt) {
  const TemporaryFolder folder;
  write_traces(folder / "a.h5", {1, 2, 3, 4}, 2, Storage());
  hdf5::OutputFile(folder / "b.h5").close();
  write_text(folder / "raw.bin", "12345678");
  {
    const hdf5::Id file(H5Fopen((folder / "b.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
    ASSERT_GE(H5Lcreate_external("a.h5", "group", file.get(), "linked", H5P_DEFAULT, H5P_DEFAULT), 0);
    const hdf5::Id properties(H5Pcreate(H5P_DATASET_CREATE));
    ASSERT_GE(H5Pset_external(properties.get(), (folder / "raw.bin").c_str(), 0, 8), 0);
    const hsize_t shape[2] = {2, 2};
    const hdf5::Id space(H5Screate_simple(2, shape, nullptr));
    const hdf5::Id dataset(H5Dcreate2(file.get(), "raw", H5T_STD_I16LE, space.get(), H5P_DEFAULT,
                                      properties.get(), H5P_DEFAULT));
    ASSERT_GE(dataset.get(), 0);
  }
  const auto expect_files = [&](const std::string& name, const std::string& dataset,
                                const std::vector<std::string>& expected) {
    const Hdf5Recording recording = open_hdf5_recording(folder / name, dataset);
    ASSERT_EQ(recording.files.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_TRUE(fs::equivalent(recording.files[i], folder / expected[i])) << recording.files[i];
  };
  expect_files("a.h5", "group/traces", {"a.h5"});
  expect_files("b.h5", "linked/traces", {"a.h5"});
  expect_files("b.h5", "raw", {"b.h5", "raw.bin"});
}

TEST(Hdf5Recording, RefusesSamplesThatWereNeverWritten) {
  const TemporaryFolder folder;
  {
    hdf5::OutputFile(folder / "a.h5").close();
    const hdf5::Id file(H5Fopen((folder / "a.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
    const hsize_t shape[2] = {hsize_t{1} << 40, 2};
    const hdf5::Id space(H5Screate_simple(2, shape, nullptr));
    const hdf5::Id dataset(
        H5Dcreate2(file.get(), "traces", H5T_STD_I16LE, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    ASSERT_GE(dataset.get(), 0);
  }
  EXPECT_NE(opening_error(folder / "a.h5", "traces").find("was never written"), std::string::npos);
}

TEST(Hdf5Recording, SamplesThatAreNotFiniteAreNamed) {
  const TemporaryFolder folder;
  Storage storage;
  storage.type = H5T_IEEE_F64LE;
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), 1e300}) {  // beyond float
    fs::remove(folder / "a.h5");
    write_traces(folder / "a.h5", {1, 2, 3, 4, 5, bad}, 2, storage);
    const Hdf5Recording recording = open_hdf5_recording(folder / "a.h5", "group/traces");
    std::vector<float> values(4);
    recording.traces->read(0, 2, values.data());
    const std::string message = message_of<InputError>([&] { recording.traces->read(1, 2, values.data()); });
    EXPECT_NE(message.find("a.h5: group/traces: sample 2, channel 1 is "), std::string::npos) << message;
  }
}

TEST(Hdf5Recording, DamageIsOneLineInAnotherThreadToo) {
  const TemporaryFolder folder;
  std::vector<double> values(2 * 5000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>((i * 7919) % 30011);
  Storage storage;
  storage.chunk_rows = 5000;
  storage.compressed = true;
  write_traces(folder / "a.h5", values, 2, storage);
  std::string bytes = read_text(folder / "a.h5");
  for (std::size_t i = bytes.size() / 2; i < bytes.size() / 2 + 200; ++i) bytes[i] = '\xa5';
  write_text(folder / "a.h5", bytes);
  const Hdf5Recording recording = open_hdf5_recording(folder / "a.h5", "group/traces");
  std::string message;
  testing::internal::CaptureStderr();
  std::thread([&] {
    std::vector<std::int16_t> part(2 * 5000);
    message = message_of<InputError>([&] { recording.traces->read(0, 5000, part.data()); });
  }).join();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_NE(message.find("is the file damaged?"), std::string::npos) << message;
}

TEST(Hdf5Recording, TheSharedRecordingIsWhole) {
  const fs::path path = shared_data("np16_60s.h5");
  if (!fs::exists(path)) GTEST_SKIP() << missing(path);
  const Hdf5Recording recording = open_hdf5_recording(path, "whitened/traces");
  EXPECT_EQ(recording.traces->n_samples(), 360000);
  EXPECT_EQ(recording.traces->n_channels(), 16u);
  EXPECT_EQ(recording.scale_to_sigma, 0.005);
  double squares = 0.0;
  std::vector<std::int16_t> part(16 * 50000);
  for (std::int64_t first = 0; first < 350000; first += 50000) {
    recording.traces->read(first, 50000, part.data());
    for (const std::int16_t value : part) squares += 0.005 * value * 0.005 * value;
  }
  EXPECT_NEAR(squares / (16 * 350000.0), 1.0, 0.2);  // whitened: unit variance
}

}  // namespace
}  // namespace kokkosort::test
