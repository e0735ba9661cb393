#include "io/hdf5_links.hpp"

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <vector>

#include "io/hdf5.hpp"
#include "io/hdf5_trial.hpp"
#include "io/regular_file.hpp"

namespace kokkosort::hdf5 {
namespace {

namespace fs = std::filesystem;

constexpr int most_links = 16;  // one after the other, as HDF5 has it

bool follow(hid_t location, const std::string& path, int links_left);

std::string file_name_of(hid_t object) {
  const ssize_t size = H5Fget_name(object, nullptr, 0);
  if (size <= 0) return {};
  std::string name(static_cast<std::size_t>(size) + 1, '\0');
  H5Fget_name(object, name.data(), name.size());
  name.pop_back();
  return name;
}

/// Where HDF5 looks for the file of a link. @param folder  of the file that has the link
std::vector<fs::path> places_of(const std::string& name, const fs::path& folder) {
  std::vector<fs::path> places;
  const char* const prefixes = std::getenv("HDF5_EXT_PREFIX");
  std::istringstream list(prefixes == nullptr ? "" : prefixes);
  for (std::string prefix; std::getline(list, prefix, ':');) places.push_back(fs::path(prefix) / name);
  places.insert(places.end(), {folder / name, name, folder / fs::path(name).filename()});
  return places;
}

/// @param value  of a link into another file. @param folder  of the file that has the link
bool follow_external(const std::vector<char>& value, const fs::path& folder, int links_left) {
  const char* file_name = nullptr;
  const char* path = nullptr;
  if (H5Lunpack_elink_val(value.data(), value.size(), nullptr, &file_name, &path) < 0) return false;
  for (const fs::path& place : places_of(file_name, folder)) {
    std::error_code error;
    if (!fs::exists(place, error)) continue;
    if (!no_file_complaint(place).empty() || !trial_complaint(place).empty()) return false;
    const Id file(H5Fopen(place.c_str(), H5F_ACC_RDONLY, unlocked_access().get()));
    if (file.get() >= 0) return follow(file.get(), path, links_left);
  }
  return false;
}

/// @param group  that has the link
bool follow_link(hid_t group, const std::string& name, int links_left) {
  H5L_info_t info{};
  if (H5Lget_info(group, name.c_str(), &info, H5P_DEFAULT) < 0) return false;
  if (info.type == H5L_TYPE_HARD) return true;
  if ((info.type != H5L_TYPE_SOFT && info.type != H5L_TYPE_EXTERNAL) || links_left == 0) return false;
  std::vector<char> value(info.u.val_size + 1, '\0');
  if (H5Lget_val(group, name.c_str(), value.data(), info.u.val_size, H5P_DEFAULT) < 0) return false;
  if (info.type == H5L_TYPE_SOFT) return follow(group, value.data(), links_left - 1);
  value.pop_back();
  return follow_external(value, fs::path(file_name_of(group)).parent_path(), links_left - 1);
}

bool follow(hid_t location, const std::string& path, int links_left) {
  Id group(H5Oopen(location, path.starts_with('/') ? "/" : ".", H5P_DEFAULT));
  std::istringstream names(path);
  for (std::string name; std::getline(names, name, '/');) {
    if (name.empty() || name == ".") continue;
    if (H5Iget_type(group.get()) != H5I_GROUP || H5Lexists(group.get(), name.c_str(), H5P_DEFAULT) <= 0)
      return false;
    if (!follow_link(group.get(), name, links_left)) return false;
    group = Id(H5Oopen(group.get(), name.c_str(), H5P_DEFAULT));
    if (group.get() < 0) return false;
  }
  return group.get() >= 0;
}

}  // namespace

bool leads_to_object(hid_t location, const std::string& path) {
  return !path.empty() && follow(location, path, most_links);
}

bool is_group(hid_t location, const std::string& path) {
  const Id object(H5Oopen(location, path.c_str(), H5P_DEFAULT));
  return object.get() >= 0 && H5Iget_type(object.get()) == H5I_GROUP;
}

}  // namespace kokkosort::hdf5
