#include <fmt/format.h>

#include <string>
#include <thread>

#include "core/ceilings.hpp"
#include "driver/cluster_deck.hpp"
#include "driver/commands.hpp"
#include "driver/environment.hpp"
#include "driver/profile_table.hpp"
#include "sweep/sweep_kernel.hpp"

namespace kokkosort {
namespace {

void print_row(const std::string& name, const std::string& value) {
  fmt::print("  {:<24} {}\n", name, value);
}

void print_kernels() {
  fmt::print("\nkernels that kokkosort sweep knows, with their tunables\n");
  for (const SweepKernelInfo& kernel : sweep_kernels()) {
    print_row(kernel.name, kernel.help);
    for (const Tunable& tunable : kernel.tunables)
      print_row("  " + tunable.name, fmt::format("{} ({} to {}): {}", tunable.value, tunable.low, tunable.high, tunable.help));
  }
}

void print_ceilings() {
  const Runtime runtime(-1, 0);
  fmt::print("\nceilings of {}, measured\n", runtime.device().name);
  fmt::print("{}", ceilings_table(measure_ceilings()));
}

}  // namespace

void run_info(bool ceilings) {
  fmt::print("versions\n");
  for (const auto& [name, number] : versions()) print_row(name, number);

  fmt::print("\nbackends\n");
  print_row("built in", enabled_backends());
  print_row("used", Kokkos::DefaultExecutionSpace::name());
  print_row("host threads", std::to_string(std::thread::hardware_concurrency()));

  fmt::print("\ndevices (--device N)\n");
  const std::vector<Device> devices = list_devices();
  if (devices.empty()) print_row("none", "is the card's driver installed?");
  for (std::size_t i = 0; i < devices.size(); ++i)
    print_row(std::to_string(i), fmt::format("{}, {} MB", devices[i].name, devices[i].memory_bytes >> 20));

  fmt::print("\nlimits (deck keys, with what they are if left out)\n");
  ClusterDeck deck;
  const DeckKeys keys = cluster_keys(deck);
  for (const DeckKey& key : keys.all())
    if (key.name.starts_with("memory.") || key.name == "threads")
      print_row(key.name, fmt::format("{} ({})", key.get(), key.allowed));
  print_kernels();
  if (ceilings) print_ceilings();
}

}  // namespace kokkosort
