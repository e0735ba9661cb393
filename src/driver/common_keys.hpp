#pragma once
// Deck keys that several commands have.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "driver/deck_key.hpp"
#include "kokkosort/recording/recording.hpp"

namespace kokkosort {

/// @param result  what the command writes there, as in "where clusters.h5 goes"
void add_output_key(DeckKeys& keys, std::filesystem::path& folder, const std::string& result);
void add_device_limit_key(DeckKeys& keys, std::size_t& bytes);
/// @param what  that takes the memory: "the spikes"
void add_host_limit_key(DeckKeys& keys, std::size_t& bytes, const std::string& what);
/// input.dtype
void add_sample_type_key(DeckKeys& keys, SampleType& type, const std::string& help);
void add_seed_key(DeckKeys& keys, std::uint64_t& seed);
void add_threads_key(DeckKeys& keys, int& threads);

/// Fills the options that the keys are bound to from a deck and overrides, and the output folder with its
/// default, results/NAME beside the deck NAME.yaml. @throws InputError as load_deck does
void load_deck_with_output(const std::filesystem::path& path, const std::vector<std::string>& overrides,
                           const DeckKeys& keys, std::filesystem::path& folder);

}  // namespace kokkosort
