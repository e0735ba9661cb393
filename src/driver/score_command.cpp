#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "core/counted.hpp"
#include "driver/commands.hpp"
#include "driver/deck_key.hpp"
#include "io/probe_io.hpp"
#include "kokkosort/errors.hpp"
#include "kokkosort/io/pending_file.hpp"
#include "kokkosort/io/trains_file.hpp"
#include "kokkosort/scoring/score.hpp"

namespace kokkosort {
namespace {

/// What the command line or one of the files says.
double sampling_rate(const ScoreLine& line, double of_truth, double of_result) {
  if (!line.rate.empty()) {
    double rate = 0.0;
    if (!parse_number(line.rate, rate) || !(rate >= lowest_rate_hz && rate <= highest_rate_hz))
      throw InputError(fmt::format("--rate is {}; it must be a number from {} to {}", shown(line.rate),
                                   lowest_rate_hz, highest_rate_hz));
    for (const double of_file : {of_truth, of_result})
      if (of_file > 0.0 && of_file != rate)
        throw InputError(fmt::format("--rate is {}, but sampling_rate_hz of the files is {}; leave it out",
                                     rate, of_file));
    return rate;
  }
  if (of_truth > 0.0 && of_result > 0.0 && of_truth != of_result)
    throw InputError(fmt::format("{}: sampling_rate_hz is {}, that of {} is {}; are they of one recording?",
                                 line.result.string(), of_result, line.truth.string(), of_truth));
  const double rate = of_truth > 0.0 ? of_truth : of_result;
  if (rate == 0.0)
    throw InputError(line.truth.string() +
                     ": has no attribute sampling_rate_hz, nor has the result; give --rate HZ");
  return rate;
}

/// Refuses before the work what could not be written after it.
void check_table(const ScoreLine& line) {
  if (line.csv.empty()) return;
  for (const auto& input : {line.truth, line.result})
    if (std::error_code ignored; std::filesystem::equivalent(input, line.csv, ignored))
      throw InputError(input.string() +
                       ": is compared and would be replaced by the table; --csv takes another name");
  std::error_code error;
  if (!line.overwrite && std::filesystem::exists(line.csv, error))
    throw InputError(line.csv.string() + ": exists; --overwrite replaces it, --csv takes another name");
  const std::filesystem::path folder = std::filesystem::absolute(line.csv).parent_path();
  if (!std::filesystem::is_directory(folder, error) || std::filesystem::is_directory(line.csv, error))
    throw InputError(line.csv.string() +
                     ": cannot be made; --csv takes a file's name in a folder that is there");
}

std::string sorted_unit(const UnitScore& unit) {
  return unit.sorted_unit ? std::to_string(*unit.sorted_unit) : std::string();
}

void write_table(const ScoreLine& line, const Score& score) {
  PendingFile file(line.csv, line.overwrite);
  std::ofstream stream(file.temporary());
  stream << "unit,spikes,sorted_unit,sorted_spikes,hits,accuracy,recall,precision\n";
  for (const UnitScore& unit : score.units)
    stream << fmt::format("{},{},{},{},{},{:.6f},{:.6f},{:.6f}\n", unit.unit, unit.spikes, sorted_unit(unit),
                          unit.sorted_spikes, unit.hits, unit.accuracy(), unit.recall(), unit.precision());
  stream.close();
  if (!stream) throw std::runtime_error(line.csv.string() + " cannot be written");
  file.commit();
}

void print_json(const Score& score) {
  fmt::print(
      "{{\"true_units\": {}, \"sorted_units\": {}, \"sorted_spikes\": {}, \"units_over_0_8\": {}, "
      "\"units_over_0_5\": {}, \"mean_accuracy\": {:.4f}, \"median_accuracy\": {:.4f}, \"mean_recall\": "
      "{:.4f}, "
      "\"mean_precision\": {:.4f}}}\n",
      score.units.size(), score.sorted_units, score.sorted_spikes, score.over(0.8), score.over(0.5),
      score.mean_accuracy(), score.median_accuracy(), score.mean_recall(), score.mean_precision());
}

void print_table(const Score& score, std::int64_t tolerance) {
  fmt::print("{:>8} {:>9} {:>8} {:>9} {:>9} {:>9} {:>9}\n", "unit", "spikes", "sorted", "spikes", "accuracy",
             "recall", "precision");
  for (const UnitScore& unit : score.units)
    fmt::print("{:>8} {:>9} {:>8} {:>9} {:>9.3f} {:>9.3f} {:>9.3f}\n", unit.unit, unit.spikes,
               unit.sorted_unit ? sorted_unit(unit) : "-", unit.sorted_spikes, unit.accuracy(), unit.recall(),
               unit.precision());
  const auto row = [](const char* name, const std::string& value) {
    fmt::print("  {:<18} {}\n", name, value);
  };
  fmt::print("\n");
  row("true units", std::to_string(score.units.size()));
  row("sorted units", fmt::format("{} of {}", score.sorted_units, counted(score.sorted_spikes, "spike")));
  row("accuracy above 0.8", std::to_string(score.over(0.8)));
  row("accuracy above 0.5", std::to_string(score.over(0.5)));
  row("mean accuracy", fmt::format("{:.4f}, median {:.4f}", score.mean_accuracy(), score.median_accuracy()));
  row("mean recall", fmt::format("{:.4f}, precision {:.4f}", score.mean_recall(), score.mean_precision()));
  row("spikes match", fmt::format("within 0.4 ms, {}", counted(tolerance, "sample")));
}

}  // namespace

void run_score(const ScoreLine& line) {
  check_table(line);
  const TrainsFile truth = read_trains(line.truth, "truth/sample", "truth/unit");
  if (truth.trains.n_spikes() == 0)
    throw InputError(line.truth.string() + ": truth/sample has no spikes; there is nothing to compare with");
  const TrainsFile sorted = read_trains(line.result, "spikes/sample", "spikes/unit");
  const std::int64_t tolerance =
      score_tolerance(sampling_rate(line, truth.sampling_rate_hz, sorted.sampling_rate_hz));
  const Score score = score_sorting(truth.trains, sorted.trains, tolerance);
  if (!line.csv.empty()) write_table(line, score);
  if (line.json)
    print_json(score);
  else
    print_table(score, tolerance);
}

}  // namespace kokkosort
