#include "driver/environment.hpp"

#include <KokkosKernels_config.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <stdexcept>

#include "driver/kokkos_settings.hpp"
#include "driver/machine.hpp"
#include "io/hdf5.hpp"
#include "kokkosort/errors.hpp"
#include "kokkosort/version.hpp"

namespace kokkosort {
namespace {

// Only the device that is used is asked what it is: each takes its time to answer.
#if defined(KOKKOS_ENABLE_CUDA)
int count_devices() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

Device describe_device(int number) {
  cudaDeviceProp properties;
  if (const cudaError_t error = cudaGetDeviceProperties(&properties, number); error != cudaSuccess)
    throw std::runtime_error(fmt::format("device {}: {}", number, cudaGetErrorString(error)));
  return {properties.name, properties.totalGlobalMem, 0};
}

std::size_t free_device_bytes(const Device& device) {
  std::size_t free = 0, total = 0;
  return cudaMemGetInfo(&free, &total) == cudaSuccess ? free : device.memory_bytes;
}
#elif defined(KOKKOS_ENABLE_HIP)
int count_devices() {
  int count = 0;
  return hipGetDeviceCount(&count) == hipSuccess ? count : 0;
}

Device describe_device(int number) {
  hipDeviceProp_t properties;
  if (const hipError_t error = hipGetDeviceProperties(&properties, number); error != hipSuccess)
    throw std::runtime_error(fmt::format("device {}: {}", number, hipGetErrorString(error)));
  return {properties.name, properties.totalGlobalMem, 0};
}

std::size_t free_device_bytes(const Device& device) {
  std::size_t free = 0, total = 0;
  return hipMemGetInfo(&free, &total) == hipSuccess ? free : device.memory_bytes;
}
#else
std::string processor_name() {
  std::ifstream stream("/proc/cpuinfo");
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with("model name")) return line.substr(line.find(": ") + 2);
  return "processor";
}

int count_devices() { return 1; }

Device describe_device(int) {
  const auto bytes =
      static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return {processor_name(), bytes, 0};
}

std::size_t free_device_bytes(const Device& device) {
  return std::min<std::size_t>(device.memory_bytes, available_memory().value_or(device.memory_bytes));
}
#endif

/// "4.5.1" of 40501.
std::string dotted(int version) {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

Device choose_device(int number) {
  const int n_devices = count_devices();
  const std::string backend = Kokkos::DefaultExecutionSpace::name();
  if (n_devices == 0)
    throw std::runtime_error(backend + " finds no device; kokkosort info says what this build needs");
  if (number >= n_devices)
    throw InputError(fmt::format(
        "--device (or KOKKOS_DEVICE_ID) is {}; {} has {}; kokkosort info lists them", number, backend,
        n_devices == 1 ? std::string("device 0 alone") : fmt::format("devices 0 to {}", n_devices - 1)));
  return describe_device(std::max(number, 0));
}

Kokkos::InitializationSettings settings(int device, int threads) {
  Kokkos::InitializationSettings result;
  result.set_disable_warnings(true);  // about thread binding; a user of this program did not choose it
  if (threads > 0) result.set_num_threads(threads);
  if (device >= 0) result.set_device_id(device);
  clear_kokkos_settings();
  return result;
}

}  // namespace

std::vector<Device> list_devices() {
  const int n_devices = count_devices();
  std::vector<Device> devices;
  for (int number = 0; number < n_devices; ++number) devices.push_back(describe_device(number));
  return devices;
}

std::string enabled_backends() {
  std::string names = "Serial";
#if defined(KOKKOS_ENABLE_OPENMP)
  names += ", OpenMP";
#endif
#if defined(KOKKOS_ENABLE_CUDA)
  names += ", Cuda";
#endif
#if defined(KOKKOS_ENABLE_HIP)
  names += ", HIP";
#endif
  return names;
}

std::vector<std::pair<std::string, std::string>> versions() {
  return {{"KokkoSort", version},
          {"commit", git_describe},
          {"build", build_type},
          {"Kokkos", dotted(KOKKOS_VERSION)},
          {"Kokkos Kernels", dotted(KOKKOSKERNELS_VERSION)},
          {"HDF5", hdf5::library_version()},
          {"compiler", compiler}};
}

std::string utc_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

RunRecord describe_run(const std::string& command, const DeckKeys& keys, const Device& device) {
  RunRecord run;
  run.command = command;
  run.deck = keys.to_yaml();
  run.versions = versions();
  run.backend = Kokkos::DefaultExecutionSpace::name();
  run.device = device.name;
  run.threads = Kokkos::num_threads();
  run.date = utc_now();
  return run;
}

Runtime::Runtime(int device, int threads)
    : device_(choose_device(choose_device_number(device))),
      guard_(settings(choose_device_number(device), choose_threads(threads))) {
  device_.free_bytes = free_device_bytes(device_);  // of the device that Kokkos has chosen by now
}

}  // namespace kokkosort
