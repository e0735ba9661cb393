#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "core/counted.hpp"
#include "driver/commands.hpp"
#include "driver/common_checks.hpp"
#include "driver/common_keys.hpp"
#include "driver/environment.hpp"
#include "driver/kokkos_settings.hpp"
#include "driver/report.hpp"
#include "driver/simulate_deck.hpp"
#include "kokkosort/errors.hpp"
#include "kokkosort/io/truth_file.hpp"
#include "kokkosort/recording/probe_file.hpp"

namespace kokkosort {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Fills the deck, and refuses what could not be simulated.
void load(const CommandLine& line, SimulateDeck& deck, const DeckKeys& keys) {
  load_deck_with_output(line.deck, line.overrides, keys, deck.output_folder);
  check_simulation(deck.simulation, deck.host_limit_bytes);
}

/// Threads also where the backend has none on the host.
int count_threads(const SimulateDeck& deck) {
  const int threads = choose_threads(deck.threads);
  return threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::size_t recording_bytes(const Simulation& simulation) {
  return static_cast<std::size_t>(simulation.n_samples) * simulation.probe.x_um.size() * sizeof(std::int16_t);
}

/// Before hours of work that the disk does not hold.
void check_room(const std::filesystem::path& folder, const Simulation& simulation) {
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(folder, error);
  if (!error && space.available < recording_bytes(simulation))
    throw InputError(
        fmt::format("{}: has room for {} MB; the recording takes {} MB; set output.folder or "
                    "simulation.seconds",
                    folder.string(), space.available >> 20, recording_bytes(simulation) >> 20));
}

void write_probe_json(const PendingFile& file, const Probe& probe) {
  ProbeFile all{probe, std::vector<std::int32_t>(probe.x_um.size())};
  std::iota(all.column.begin(), all.column.end(), 0);
  std::ofstream stream(file.temporary());
  stream << to_kilosort_json(all, all.n_channels());
  if (!stream.flush()) throw std::runtime_error(file.temporary().string() + " cannot be written");
}

/// Says on a terminal how far the recording is.
class Progress {
 public:
  explicit Progress(const Simulation& simulation) : simulation_(simulation) {}

  void show(std::int64_t n_samples) const {
    const double rate_hz = simulation_.options.sampling_rate_hz;
    const double done = static_cast<double>(n_samples) / rate_hz;
    const double per_second = done / seconds_since(start_);
    const double left = static_cast<double>(simulation_.n_samples - n_samples) / rate_hz / per_second;
    fmt::print(stderr, "\rsimulate: {:.0f} of {:.0f} s, {:.0f} times real time, {:.0f} s left \x1b[K{}", done,
               simulation_.options.seconds, per_second, left,
               n_samples == simulation_.n_samples ? "\r\x1b[K" : "");
    std::fflush(stderr);
  }

 private:
  const Simulation& simulation_;
  Clock::time_point start_ = Clock::now();
};

void render(const CommandLine& line, const Simulation& simulation, const std::filesystem::path& path,
            int threads) {
  RenderOptions options;
  options.threads = threads;
  const Progress progress(simulation);
  if (!line.quiet && isatty(STDERR_FILENO) == 1)
    options.progress = [&progress](std::int64_t n_samples) { progress.show(n_samples); };
  write_traces(simulation, path, options);
}

void print_simulation(const SimulateDeck& deck, const Simulation& simulation, const RunRecord& run,
                      double seconds) {
  const auto row = [](const char* name, const std::string& value) {
    fmt::print("  {:<12} {}\n", name, value);
  };
  row("recording", fmt::format("{} of {}, {:.1f} s, {} MB", counted(simulation.n_samples, "sample"),
                               counted(simulation.probe.x_um.size(), "channel"), deck.simulation.seconds,
                               recording_bytes(simulation) >> 20));
  row("units", std::to_string(simulation.units.size()));
  row("spikes", std::to_string(simulation.truth.n_spikes()));
  fmt::print("\n  {:.1f} times real time, {}\n\n", deck.simulation.seconds / seconds,
             counted(run.threads, "host thread"));
  row("recording", deck.recording().string());
  row("probe", deck.probe().string());
  row("truth", deck.truth().string());
}

}  // namespace

void run_simulate(const CommandLine& line) {
  const Clock::time_point start = Clock::now();
  SimulateDeck deck;
  const DeckKeys keys = simulate_keys(deck);
  load(line, deck, keys);
  const Runtime runtime(line.device, deck.threads);
  for (const auto& result : {deck.recording(), deck.probe(), deck.truth()})
    refuse_replacing_input(line.deck, result);
  PendingFile recording(deck.recording(), line.overwrite);
  PendingFile probe(deck.probe(), line.overwrite);
  PendingFile truth(deck.truth(), line.overwrite);
  RunRecord run = describe_run("simulate", keys, runtime.device());
  run.threads = count_threads(deck);

  const Simulation simulation = simulate(deck.simulation, deck.host_limit_bytes);
  check_room(deck.output_folder, simulation);
  write_probe_json(probe, simulation.probe);
  render(line, simulation, recording.temporary(), run.threads);
  run.times.add("simulate", seconds_since(start));
  write_truth(truth, simulation, run);
  commit_together({&probe, &truth, &recording});
  report(line, deck.recording(),
         [&] { print_simulation(deck, simulation, run, seconds_since(start)); });
}

void check_simulate_deck(const CommandLine& line) {
  SimulateDeck deck;
  const DeckKeys keys = simulate_keys(deck);
  load(line, deck, keys);
  const Runtime runtime(line.device, deck.threads);
  for (const std::filesystem::path& path : {deck.recording(), deck.probe(), deck.truth()})
    check_output(path, line.overwrite);
  if (line.quiet) return;
  const SimulationOptions& options = deck.simulation;
  fmt::print("# {} would simulate {} s of {} with {} into {}, with these keys:\n{}", line.deck.string(),
             options.seconds, counted(options.channels, "channel"), counted(options.units, "unit"),
             deck.recording().string(), keys.to_yaml());
}

std::string simulate_help() {
  SimulateDeck deck;
  return simulate_keys(deck).to_help();
}

}  // namespace kokkosort
