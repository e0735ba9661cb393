#include "sweep/sweep_file.hpp"

#include <fmt/format.h>

#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

#include "io/hdf5.hpp"
#include "io/run_io.hpp"

namespace kokkosort {
namespace {

constexpr const char* clock_name = "host steady clock, device fenced before and after each run";

template <class Of>
auto column(const std::vector<SweepPoint>& points, const Of& of) {
  std::vector<decltype(of(points[0]))> values;
  for (const SweepPoint& point : points) values.push_back(of(point));
  return values;
}

std::set<std::string> memory_spaces(const std::vector<SweepPoint>& points) {
  std::set<std::string> spaces;
  for (const SweepPoint& point : points)
    for (const auto& [space, bytes] : point.high_water) spaces.insert(space);
  return spaces;
}

std::uint64_t high_water(const SweepPoint& point, const std::string& space) {
  const auto found = point.high_water.find(space);
  return found == point.high_water.end() ? 0 : found->second;
}

/// Text of several lines as comments.
std::string commented(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) result += "#   " + line + "\n";
  return result;
}

std::string csv_head(const SweepProblem& problem, const SweepPlan& plan, const std::vector<SweepPoint>& points,
                     const RunRecord& run) {
  std::string text = fmt::format("# kernel: {}\n# problem: {}\n# device: {}\n# backend: {}, {} host threads\n# date: {}\n# clock: {}\n",
                                 plan.kernel->name, size_of(problem), run.device, run.backend, run.threads, run.date, clock_name);
  for (const auto& [name, version] : run.versions) text += fmt::format("# {}: {}\n", name, version);
  text += "# deck:\n" + commented(run.deck);
  for (const Tunable& tunable : plan.kernel->tunables) text += tunable.name + ",";
  text += "median_s,min_s,lower_quartile_s,upper_quartile_s,max_s,kernel_launches,flop_per_s,byte_per_s";
  for (const std::string& space : memory_spaces(points)) text += ",high_water_" + space + "_bytes";
  return text + "\n";
}

std::string csv_row(const SweepPlan& plan, const std::vector<SweepPoint>& points, const SweepPoint& point) {
  std::string text;
  for (const Tunable& tunable : plan.kernel->tunables) text += fmt::format("{},", point.tunables.at(tunable.name));
  for (const double p : {0.5, 0.0, 0.25, 0.75, 1.0}) text += fmt::format("{:.9g},", quantile(point.seconds, p));
  const double median = quantile(point.seconds, 0.5);
  text += fmt::format("{},{:.6g},{:.6g}", point.launches, point.work.flops / median, point.work.bytes / median);
  for (const std::string& space : memory_spaces(points)) text += fmt::format(",{}", high_water(point, space));
  return text + "\n";
}

}  // namespace

void write_sweep(const PendingFile& pending, const SweepProblem& problem, const SweepPlan& plan,
                 const std::vector<SweepPoint>& points, const RunRecord& run) {
  hdf5::OutputFile file(pending.temporary());
  file.group("tunables");
  for (const Tunable& tunable : plan.kernel->tunables) {
    const auto values = column(points, [&](const SweepPoint& p) { return p.tunables.at(tunable.name); });
    file.write("tunables/" + tunable.name, {values.size()}, values.data());
  }
  std::vector<double> seconds;
  for (const SweepPoint& point : points) seconds.insert(seconds.end(), point.seconds.begin(), point.seconds.end());
  file.write("seconds", {points.size(), points[0].seconds.size()}, seconds.data());
  file.attribute("seconds", "clock", std::string(clock_name));
  file.write("flops", {points.size()}, column(points, [](const SweepPoint& p) { return p.work.flops; }).data());
  file.write("bytes", {points.size()}, column(points, [](const SweepPoint& p) { return p.work.bytes; }).data());
  file.write("kernel_launches", {points.size()}, column(points, [](const SweepPoint& p) { return p.launches; }).data());
  file.group("high_water");
  for (const std::string& space : memory_spaces(points))
    file.write("high_water/" + space, {points.size()},
               column(points, [&](const SweepPoint& p) { return high_water(p, space); }).data());
  file.attribute("/", "kernel", plan.kernel->name);
  file.attribute("/", "problem", size_of(problem));
  write_run(file, run);
  file.close();
}

void write_sweep_csv(const PendingFile& pending, const SweepProblem& problem, const SweepPlan& plan,
                     const std::vector<SweepPoint>& points, const RunRecord& run) {
  std::ofstream stream(pending.temporary());
  stream << csv_head(problem, plan, points, run);
  for (const SweepPoint& point : points) stream << csv_row(plan, points, point);
  stream.close();
  if (!stream) throw std::runtime_error(pending.temporary().string() + ": cannot be written");
}

}  // namespace kokkosort
