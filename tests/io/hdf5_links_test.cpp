// Links of all kinds, and what they may lead to: nothing is waited for.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "io/hdf5.hpp"
#include "io/temporary_folder.hpp"
#include "kokkosort/errors.hpp"

namespace kokkosort::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t limit = std::size_t{1} << 20;

class HDF5Links : public testing::Test {
 protected:
  HDF5Links() {
    make("a.h5");
    make("b.h5");
    mkfifo((folder_ / "pipe.h5").c_str(), 0600);
    link_to_file("a.h5", "to_pipe", "pipe.h5", "group/values");
    link_to_file("a.h5", "to_b", "b.h5", "group/values");
  }

  void make(const std::string& name) const {
    hdf5::OutputFile file(folder_ / name);
    const std::vector<double> values = {1, 2, 3};
    file.group("group");
    file.write("group/values", {3}, values.data());
    file.close();
  }

  hdf5::Id open(const std::string& name) const {
    return hdf5::Id(H5Fopen((folder_ / name).c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
  }
  void link_to_file(const std::string& file, const std::string& link, const std::string& other,
                    const std::string& object) const {
    ASSERT_GE(H5Lcreate_external(other.c_str(), object.c_str(), open(file).get(), link.c_str(), H5P_DEFAULT,
                                 H5P_DEFAULT),
              0);
  }
  void link(const std::string& file, const std::string& link, const std::string& object) const {
    ASSERT_GE(H5Lcreate_soft(object.c_str(), open(file).get(), link.c_str(), H5P_DEFAULT, H5P_DEFAULT), 0);
  }

  /// What reading a dataset of a.h5 ends with; empty if it is read.
  std::string error_of(const std::string& name) const {
    return message_of<InputError>([&] {
      hdf5::InputFile file(folder_ / "a.h5", limit);
      std::vector<double> values(3);
      file.read(file.open<double>(name, 1), values.data());
      EXPECT_EQ(values, (std::vector<double>{1, 2, 3}));
    });
  }

  TemporaryFolder folder_;
};

TEST_F(HDF5Links, LeadToObjectsHereAndElsewhere) {
  link("a.h5", "soft", "/group/values");
  link("a.h5", "group/beside", "values");
  link("a.h5", "soft_to_b", "to_b");
  link_to_file("b.h5", "back", "a.h5", "/group/beside");
  link_to_file("a.h5", "there_and_back", (folder_ / "b.h5").string(), "back");
  for (const std::string name :
       {"group/values", "/group//values", "soft", "group/beside", "to_b", "soft_to_b", "there_and_back"})
    EXPECT_EQ(error_of(name), "") << name;
}

TEST_F(HDF5Links, APipeIsNotWaitedFor) {
  link("a.h5", "soft", "to_pipe");
  link_to_file("b.h5", "on", "pipe.h5", "/");
  link_to_file("a.h5", "by_b", "b.h5", "on");
  link_to_file("a.h5", "through_b", "b.h5", "on/group/values");
  link_to_file("a.h5", "device", "/dev/zero", "/");
  for (const std::string name : {"to_pipe", "to_pipe/values", "soft", "by_b", "through_b", "device"})
    EXPECT_NE(error_of(name).find(name + ": is missing"), std::string::npos) << error_of(name);
  const hdf5::InputFile file(folder_ / "a.h5", limit);
  EXPECT_EQ(file.datasets_with(1), (std::vector<std::string>{"group/values", "to_b"}));
  EXPECT_EQ(file.groups_with("values"), std::vector<std::string>{"group"});
  EXPECT_FALSE(file.has_attribute("to_pipe", "any"));
}

TEST_F(HDF5Links, LoopsEnd) {
  link("a.h5", "self", "self");
  link("a.h5", "one", "two");
  link("a.h5", "two", "one");
  link("a.h5", "group/up", "/group");
  link_to_file("a.h5", "around", "b.h5", "around");
  link_to_file("b.h5", "around", "a.h5", "around");
  for (const std::string name : {"self", "one", "two/more", "around"})
    EXPECT_NE(error_of(name).find(": is missing"), std::string::npos) << error_of(name);
  EXPECT_EQ(error_of("group/up/up/up/values"), "");
  const hdf5::InputFile file(folder_ / "a.h5", limit);
  EXPECT_EQ(file.datasets_with(1), (std::vector<std::string>{"group/values", "to_b"}));
}

TEST_F(HDF5Links, VirtualDatasetsAreNotPutTogether) {
  constexpr hsize_t start[1] = {0}, one[1] = {1}, unlimited[1] = {H5S_UNLIMITED};
  const hdf5::Id space(H5Screate_simple(1, one, unlimited));
  const hdf5::Id source(H5Screate_simple(1, one, unlimited));
  for (const hdf5::Id* of : {&space, &source})
    H5Sselect_hyperslab(of->get(), H5S_SELECT_SET, start, nullptr, unlimited, one);
  const hdf5::Id properties(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_virtual(properties.get(), space.get(), (folder_ / "pipe.h5").c_str(), "group/values", source.get());
  {
    const hdf5::Id file = open("a.h5");
    const hdf5::Id dataset(H5Dcreate2(file.get(), "virtual", H5T_NATIVE_DOUBLE, space.get(), H5P_DEFAULT,
                                      properties.get(), H5P_DEFAULT));
    ASSERT_GE(dataset.get(), 0);
  }
  EXPECT_NE(error_of("virtual").find("virtual: is virtual: it is put together from other files"),
            std::string::npos)
      << error_of("virtual");
  EXPECT_EQ(hdf5::InputFile(folder_ / "a.h5", limit).datasets_with(1),
            (std::vector<std::string>{"group/values", "to_b"}));
}

TEST_F(HDF5Links, ValuesInAPipeAreNotWaitedFor) {
  const hdf5::Id properties(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_external(properties.get(), (folder_ / "pipe.h5").c_str(), 0, 24);
  {
    constexpr hsize_t extent[1] = {3};
    const hdf5::Id file = open("a.h5");
    const hdf5::Id space(H5Screate_simple(1, extent, nullptr));
    const hdf5::Id dataset(H5Dcreate2(file.get(), "outside", H5T_NATIVE_DOUBLE, space.get(), H5P_DEFAULT,
                                      properties.get(), H5P_DEFAULT));
    ASSERT_GE(dataset.get(), 0);
  }
  EXPECT_NE(error_of("outside").find("outside: lies in "), std::string::npos) << error_of("outside");
}

TEST_F(HDF5Links, NamesOfAnyBytesAreShownInALine) {
  {
    const hdf5::Id file = open("a.h5");
    const hdf5::Id group(H5Gcreate2(file.get(), "a\nb\x1b", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    ASSERT_GE(group.get(), 0);
  }
  for (const char c : error_of("a\nb\x1b")) EXPECT_GE(static_cast<unsigned char>(c), 0x20);
  EXPECT_NE(error_of("a\nb\x1b").find("a b : is a group"), std::string::npos) << error_of("a\nb\x1b");
}

}  // namespace
}  // namespace kokkosort::test
