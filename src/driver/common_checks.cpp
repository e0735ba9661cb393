#include "driver/common_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "kokkosort/errors.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {

void refuse_replacing_input(const std::filesystem::path& input, const std::filesystem::path& result) {
  std::error_code error;
  if (std::filesystem::equivalent(input, result, error))
    throw InputError(input.string() +
                     ": is the input and would be replaced by the result; set output.folder");
}

void refuse_replacing_inputs(const std::vector<std::filesystem::path>& inputs,
                             const std::filesystem::path& result) {
  for (const std::filesystem::path& input : inputs) refuse_replacing_input(input, result);
}

void settle_device_limit(std::size_t& limit_bytes, const Device& device) {
  constexpr bool is_host = runs_on_host<Kokkos::DefaultExecutionSpace>;
  if (limit_bytes == 0) {
    const std::size_t half = device.free_bytes / 2;
    limit_bytes = is_host ? std::min(half, std::size_t{4} << 30) : half;
  }
  if (is_host || limit_bytes <= device.memory_bytes) return;
  throw InputError(fmt::format("memory.device_limit_mb is {}; it must be within what {} has, {}",
                               limit_bytes >> 20, device.name, device.memory_bytes >> 20));
}

}  // namespace kokkosort
