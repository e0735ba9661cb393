#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "driver/deck_key.hpp"
#include "kokkosort/clustering/options.hpp"

namespace kokkosort {

/// What `kokkosort cluster` is asked to do.
struct ClusterDeck {
  std::filesystem::path features;
  std::string group = "detected";
  std::filesystem::path output_folder;
  std::size_t host_limit_bytes = std::size_t{16} << 30;
  int threads = 0;  // 0: the backend's choice
  ClusteringOptions clustering;

  std::filesystem::path result() const { return output_folder / "clusters.h5"; }
};

/// The deck's keys, bound to its fields: the one list of them. The deck must outlive the keys and stay where
/// it is.
DeckKeys cluster_keys(ClusterDeck& deck);

/// Fills a deck from a file and overrides. @throws InputError as load_deck does
void load_cluster_deck(const std::filesystem::path& path, const std::vector<std::string>& overrides,
                       ClusterDeck& deck, const DeckKeys& keys);

}  // namespace kokkosort
