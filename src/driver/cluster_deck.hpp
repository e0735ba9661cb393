#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "driver/deck_key.hpp"
#include "kokkosort/clustering/options.hpp"
#include "kokkosort/templates/learn.hpp"

namespace kokkosort {

/// What `kokkosort cluster` is asked to do.
struct ClusterDeck {
  std::filesystem::path features;
  std::string group = "detected";
  std::filesystem::path output_folder;
  std::size_t host_limit_bytes = std::size_t{16} << 30;
  int threads = 0;  // 0: the backend's choice
  ClusteringOptions clustering;
  TemplateOptions templates;  // its device limit is clustering's

  std::filesystem::path result() const { return output_folder / "clusters.h5"; }
};

/// The deck's keys, bound to its fields: the one list of them. The deck must outlive the keys and stay where
/// it is.
DeckKeys cluster_keys(ClusterDeck& deck);

}  // namespace kokkosort
