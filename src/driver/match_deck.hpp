#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "driver/deck_key.hpp"
#include "kokkosort/matching/options.hpp"
#include "kokkosort/recording/recording.hpp"

namespace kokkosort {

/// What `kokkosort match` is asked to do.
struct MatchDeck {
  std::vector<std::filesystem::path> recording;
  std::string dataset;  // of an HDF5 file
  SampleType dtype = SampleType::int16;
  double scale_to_sigma = 0.0;    // 0: as the dataset says
  double sampling_rate_hz = 0.0;  // 0: as the templates' file says
  std::filesystem::path templates;
  std::string templates_dataset = "learned_templates";
  double dmin_um = 0.0;   // 0: as the templates' file or the probe says
  double dminx_um = 0.0;  // likewise
  std::filesystem::path output_folder;
  std::size_t host_limit_bytes = std::size_t{16} << 30;
  int threads = 0;  // 0: the backend's choice
  MatchingOptions matching;

  std::filesystem::path result() const { return output_folder / "matched.h5"; }
};

/// The deck's keys, bound to its fields: the one list of them. The deck must outlive the keys and stay where
/// it is.
DeckKeys match_keys(MatchDeck& deck);

}  // namespace kokkosort
