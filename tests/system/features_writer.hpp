#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "io/hdf5.hpp"
#include "kokkosort/spike_features.hpp"

namespace kokkosort::test {

/// Writes spike features in the layout that `cluster` reads.
inline void write_features(const std::filesystem::path& path, const std::string& group,
                           const SpikeFeatures& spikes) {
  hdf5::OutputFile file(path);
  const std::size_t n = spikes.n_spikes();
  const std::size_t centres = spikes.centres.x_um.size();
  const std::vector<float> waveforms(spikes.n_pcs() * 61, 0.5f);
  file.attribute("/", "sampling_rate_hz", spikes.sampling_rate_hz);
  for (const std::string& name :
       {std::string("probe"), std::string("pcs"), group, group + "/spikes", group + "/centres"})
    file.group(name);
  file.attribute(group, "dmin_um", spikes.dmin_um);
  file.attribute(group, "dminx_um", spikes.dminx_um);
  file.attribute("pcs", "peak_sample", std::int64_t{20});
  file.write("probe/x_um", {spikes.n_channels()}, spikes.probe.x_um.data());
  file.write("probe/y_um", {spikes.n_channels()}, spikes.probe.y_um.data());
  file.write("probe/shank", {spikes.n_channels()}, spikes.probe.shank.data());
  file.write("pcs/wPCA", {spikes.n_pcs(), 61}, waveforms.data());
  file.write("pcs/wTEMP", {spikes.n_pcs(), 61}, waveforms.data());
  file.write(group + "/centres/x_um", {centres}, spikes.centres.x_um.data());
  file.write(group + "/centres/y_um", {centres}, spikes.centres.y_um.data());
  file.write(group + "/centres/channels", {centres, spikes.n_rows()}, spikes.centres.channels.data());
  file.write(group + "/spikes/sample", {n}, spikes.sample.data());
  file.write(group + "/spikes/centre", {n}, spikes.centre.data());
  file.write(group + "/spikes/features", {n, spikes.n_rows(), spikes.n_pcs()}, spikes.features.data());
  file.close();
}

}  // namespace kokkosort::test
