#include "kokkosort/io/features_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/find_outside.hpp"
#include "io/hdf5.hpp"
#include "io/probe_io.hpp"

namespace kokkosort {
namespace {

using hdf5::InputFile;

constexpr std::int64_t last_sample = 1ll << 53;  // exact in double precision

/// The group's path without slashes around it.
std::string find_group(const InputFile& file, const std::string& group) {
  const std::size_t first = group.find_first_not_of('/');
  std::string name =
      first == std::string::npos ? "" : group.substr(first, group.find_last_not_of('/') - first + 1);
  if (!name.empty() && file.has_group(name)) return name;
  std::vector<std::string> groups = file.groups_with("spikes");
  if (groups.empty()) file.fail("", fmt::format("there is no group '{}', nor any other with spikes", group));
  constexpr std::size_t most_listed = 10;
  const std::size_t n_groups = groups.size();
  groups.resize(std::min(n_groups, most_listed));
  file.fail("",
            fmt::format("there is no group '{}'; groups with spikes: {}{}; set input.group", group,
                        fmt::join(groups, ", "),
                        n_groups > most_listed ? fmt::format(" and {} more", n_groups - most_listed) : ""));
}

DetectionCentres read_centres(InputFile& file, const std::string& group, std::size_t n_channels) {
  DetectionCentres centres;
  centres.x_um = read_positions(file, group + "/centres/x_um");
  const std::size_t n_centres = centres.x_um.size();
  if (n_centres == 0) file.fail(group + "/centres/x_um", "has no centres");
  centres.y_um = read_positions(file, group + "/centres/y_um", n_centres);

  const std::string name = group + "/centres/channels";
  const hdf5::Dataset dataset = file.open<std::int32_t>(name, 2);
  if (dataset.shape[0] != n_centres || dataset.shape[1] == 0)
    file.fail(name, fmt::format("has shape {}; it must be [{}, rows of a spike's features]",
                                hdf5::to_string(dataset.shape), n_centres));
  centres.channels = HostMatrix<std::int32_t>("kokkosort::io::centre_channels", n_centres, dataset.shape[1]);
  file.read(dataset, centres.channels.data());

  std::vector<std::size_t> seen_in(n_channels, n_centres);
  for (std::size_t c = 0; c < n_centres; ++c)
    for (std::size_t row = 0; row < dataset.shape[1]; ++row) {
      const std::int32_t channel = centres.channels(c, row);
      if (channel < 0 || static_cast<std::size_t>(channel) >= n_channels)
        file.fail(name, fmt::format("centre {}, row {} is channel {}; it must be from 0 to {}", c, row,
                                    channel, n_channels - 1));
      if (seen_in[static_cast<std::size_t>(channel)] == c)
        file.fail(name, fmt::format("centre {} has channel {} twice; each row must be another channel", c,
                                    channel));
      seen_in[static_cast<std::size_t>(channel)] = c;
    }
  return centres;
}

void check_spacing(const InputFile& file, const std::string& group, const std::string& name,
                   const std::vector<double>& positions, double spacing) {
  if (const std::string complaint = spacing_complaint(spacing, positions); !complaint.empty())
    file.fail(group + ", attribute " + name, complaint);
}

void check_features(const InputFile& file, const std::string& name, const HostTensor3<float>& features) {
  const std::size_t place = find_outside(features.data(), features.size(), largest_feature);
  if (place == features.size()) return;
  const std::size_t n_pcs = features.extent(2);
  const float value = features.data()[place];
  file.fail(name,
            fmt::format("spike {}, row {}, component {} is {}; {}", place / (n_pcs * features.extent(1)),
                        place / n_pcs % features.extent(1), place % n_pcs, value,
                        std::isfinite(value) ? "features are in standard deviations of the noise, at most 1e6"
                                             : "leave this spike out, or mend it"));
}

/// Opens a dataset with one element or slab a spike.
template <class T>
hdf5::Dataset open_of_spikes(InputFile& file, const std::string& name, const hdf5::Shape& shape) {
  hdf5::Dataset dataset = file.open<T>(name, shape.size());
  if (dataset.shape != shape)
    file.fail(name, fmt::format("has shape {}; with the other datasets it must be {}",
                                hdf5::to_string(dataset.shape), hdf5::to_string(shape)));
  return dataset;
}

void read_spikes(InputFile& file, const std::string& group, SpikeFeatures& spikes) {
  const std::string sample_name = group + "/spikes/sample";
  const std::string centre_name = group + "/spikes/centre";
  const std::string features_name = group + "/spikes/features";
  const hdf5::Dataset sample = file.open<std::int64_t>(sample_name, 1);
  const std::size_t n = sample.size();
  if (n == 0) file.fail(sample_name, "has no spikes; there is nothing to cluster");
  const std::size_t n_rows = spikes.centres.channels.extent(1);
  const std::size_t n_pcs = spikes.pcs.wPCA.extent(0);
  const hdf5::Dataset centre = open_of_spikes<std::int32_t>(file, centre_name, {n});
  const hdf5::Dataset features = open_of_spikes<float>(file, features_name, {n, n_rows, n_pcs});

  using Kokkos::view_alloc, Kokkos::WithoutInitializing;
  spikes.sample = HostVector<std::int64_t>(view_alloc(WithoutInitializing, "kokkosort::io::sample"), n);
  spikes.centre = HostVector<std::int32_t>(view_alloc(WithoutInitializing, "kokkosort::io::centre"), n);
  spikes.features =
      HostTensor3<float>(view_alloc(WithoutInitializing, "kokkosort::io::features"), n, n_rows, n_pcs);
  file.read(sample, spikes.sample.data());
  file.read(centre, spikes.centre.data());
  file.read(features, spikes.features.data());

  const auto n_centres = static_cast<std::int64_t>(spikes.centres.x_um.size());
  for (std::size_t i = 0; i < n; ++i) {
    if (spikes.sample(i) < 0 || spikes.sample(i) > last_sample)
      file.fail(sample_name,
                fmt::format("spike {} is at sample {}; samples count from 0 at the recording's start to {}",
                            i, spikes.sample(i), last_sample));
    if (spikes.centre(i) < 0 || spikes.centre(i) >= n_centres)
      file.fail(centre_name, fmt::format("spike {} is at centre {}; it must be from 0 to {}", i,
                                         spikes.centre(i), n_centres - 1));
  }
  check_features(file, features_name, spikes.features);
}

template <class View>
View reordered(const View& values, const HostVector<std::int64_t>& order) {
  View sorted(Kokkos::view_alloc(Kokkos::WithoutInitializing, values.label()), values.layout());
  const std::size_t slab = values.size() / values.extent(0);
  for (std::size_t i = 0; i < values.extent(0); ++i)
    std::copy_n(values.data() + static_cast<std::size_t>(order(i)) * slab, slab, sorted.data() + i * slab);
  return sorted;
}

void sort_by_time(SpikeFeatures& spikes) {
  const std::size_t n = spikes.n_spikes();
  if (std::is_sorted(spikes.sample.data(), spikes.sample.data() + n)) return;
  const HostVector<std::int64_t> order(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "kokkosort::io::file_order"), n);
  std::iota(order.data(), order.data() + n, std::int64_t{0});
  std::stable_sort(order.data(), order.data() + n, [&spikes](std::int64_t a, std::int64_t b) {
    return spikes.sample(static_cast<std::size_t>(a)) < spikes.sample(static_cast<std::size_t>(b));
  });
  spikes.sample = reordered(spikes.sample, order);
  spikes.centre = reordered(spikes.centre, order);
  spikes.features = reordered(spikes.features, order);
  spikes.file_order = order;
}

}  // namespace

SpikeFeatures read_features(const std::filesystem::path& path, const std::string& group,
                            std::size_t host_limit, std::vector<std::filesystem::path>* files) {
  InputFile file(path, host_limit);
  const std::string name = find_group(file, group);
  SpikeFeatures spikes;
  spikes.sampling_rate_hz = read_sampling_rate(file);
  spikes.dmin_um = read_spacing(file, name, "dmin_um");
  spikes.dminx_um = read_spacing(file, name, "dminx_um");
  spikes.probe = read_probe(file);
  spikes.pcs = read_pcs(file);
  spikes.centres = read_centres(file, name, spikes.n_channels());
  check_spacing(file, name, "dmin_um", spikes.centres.y_um, spikes.dmin_um);
  check_spacing(file, name, "dminx_um", spikes.centres.x_um, spikes.dminx_um);
  read_spikes(file, name, spikes);
  sort_by_time(spikes);
  if (files != nullptr) *files = file.files();
  return spikes;
}

}  // namespace kokkosort
