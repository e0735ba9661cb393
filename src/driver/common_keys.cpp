#include "driver/common_keys.hpp"

#include <limits>

#include "driver/deck.hpp"
#include "driver/kokkos_settings.hpp"

namespace kokkosort {

void add_output_key(DeckKeys& keys, std::filesystem::path& folder, const std::string& result) {
  keys.path("output.folder", folder,
            "where " + result + "; made if missing; if left out: results/NAME beside the deck NAME.yaml");
}

void add_device_limit_key(DeckKeys& keys, std::size_t& bytes) {
  keys.megabytes("memory.device_limit_mb", bytes, 0,
                 "device memory to use; does not change the answer; 0: half of what is free on the device, of a "
                 "host's 4096 at most");
}

void add_host_limit_key(DeckKeys& keys, std::size_t& bytes, const std::string& what) {
  keys.megabytes("memory.host_limit_mb", bytes, 1, "memory that " + what + " may take on the host");
}

void add_sample_type_key(DeckKeys& keys, SampleType& type, const std::string& help) {
  keys.choice("input.dtype", type,
              {{"int16", SampleType::int16},
               {"uint16", SampleType::uint16},
               {"int32", SampleType::int32},
               {"float32", SampleType::float32}},
              help);
}

void add_seed_key(DeckKeys& keys, std::uint64_t& seed) {
  keys.whole<std::uint64_t>("seed", seed, 0, std::numeric_limits<std::uint64_t>::max(),
                            "of the random numbers");
}

void add_threads_key(DeckKeys& keys, int& threads) {
  keys.whole("threads", threads, 0, most_threads, "of the host; 0: OMP_NUM_THREADS, or as many as it has");
}

void load_deck_with_output(const std::filesystem::path& path, const std::vector<std::string>& overrides,
                           const DeckKeys& keys, std::filesystem::path& folder) {
  load_deck(path, overrides, keys);
  if (folder.empty()) folder = absolute_path(path).parent_path() / "results" / path.stem();
}

}  // namespace kokkosort
