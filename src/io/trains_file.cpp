#include "kokkosort/io/trains_file.hpp"

#include <fmt/format.h>

#include "core/counted.hpp"
#include "io/hdf5.hpp"
#include "io/probe_io.hpp"

namespace kokkosort {

TrainsFile read_trains(const std::filesystem::path& path, const std::string& samples,
                       const std::string& units, std::size_t host_limit) {
  hdf5::InputFile file(path, host_limit);
  TrainsFile result;
  result.trains.sample = read_vector<std::int64_t>(file, samples);
  result.trains.unit = read_vector<std::int32_t>(file, units);
  if (result.trains.unit.size() != result.trains.n_spikes())
    file.fail(units, fmt::format("has {}; {} has {}", counted(result.trains.unit.size(), "element"), samples,
                                 result.trains.n_spikes()));
  if (file.has_attribute("/", "sampling_rate_hz")) result.sampling_rate_hz = read_sampling_rate(file);
  return result;
}

}  // namespace kokkosort
