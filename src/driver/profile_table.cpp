#include "driver/profile_table.hpp"

#include <fmt/format.h>

namespace kokkosort {
namespace {

std::string number_or_dash(double value, int digits, double factor = 1.0) {
  return value > 0.0 ? fmt::format("{:.{}f}", factor * value, digits) : "-";
}

std::string line(const std::string& stage, const std::string& wall, const std::string& device,
                 const std::string& copies, const std::string& host, const std::string& launches,
                 const std::string& up, const std::string& down, const std::string& floor,
                 const std::string& share) {
  return fmt::format("  {:<27} {:>9} {:>9} {:>8} {:>9} {:>8} {:>9} {:>8} {:>9} {:>6}\n", stage, wall, device,
                     copies, host, launches, up, down, floor, share);
}

std::string line(const ProfileRow& row) {
  constexpr double to_mb = 1.0 / (1 << 20);
  return line(row.stage, fmt::format("{:.3f}", row.wall), fmt::format("{:.3f}", row.use.kernel_seconds),
              fmt::format("{:.3f}", row.use.copy_seconds), fmt::format("{:.3f}", row.host()),
              std::to_string(row.use.launches),
              number_or_dash(static_cast<double>(row.use.bytes_up), 1, to_mb),
              number_or_dash(static_cast<double>(row.use.bytes_down), 1, to_mb), number_or_dash(row.floor, 4),
              row.floor > 0.0 ? fmt::format("{:.1f} %", 100.0 * row.floor / row.wall) : "-");
}

void add(ProfileRow& total, const ProfileRow& row) {
  total.wall += row.wall;
  total.use += row.use;
  total.work += row.work;
  total.floor += row.floor;
}

std::string ceiling(const std::string& name, const std::string& value) {
  return fmt::format("  {:<24} {}\n", name, value);
}

}  // namespace

std::vector<ProfileRow> profile_rows(const StageTimes& times, const std::map<std::string, DeviceUse>& uses,
                                     double seconds, const Ceilings& ceilings) {
  std::vector<ProfileRow> rows;
  ProfileRow other{"other", seconds, {}, {}};
  if (const auto use = uses.find(""); use != uses.end()) other.use = use->second;
  for (const StageTime& time : times.entries()) {
    ProfileRow& row = rows.emplace_back(ProfileRow{time.stage, time.seconds, {}, time.work});
    if (const auto use = uses.find(time.stage); use != uses.end()) row.use = use->second;
    row.floor = floor_seconds(ceilings, row.work, static_cast<double>(row.use.bytes_up),
                              static_cast<double>(row.use.bytes_down));
    other.wall -= time.seconds;
  }
  rows.push_back(other);
  return rows;
}

std::string profile_table(const std::vector<ProfileRow>& rows) {
  std::string table = line("seconds of", "wall", "device", "copies", "host", "launches", "MB up", "MB down",
                           "floor", "share");
  ProfileRow total{"total", 0.0, {}, {}};
  for (const ProfileRow& row : rows) {
    table += line(row);
    add(total, row);
  }
  return table + line(total);
}

std::string ceilings_table(const Ceilings& ceilings) {
  const auto bandwidth = [](double rate) { return fmt::format("{:.1f} GB/s", 1e-9 * rate); };
  const auto operations = [](double rate) { return fmt::format("{:.1f} GFLOP/s", 1e-9 * rate); };
  const auto duration = [](double seconds) { return fmt::format("{:.2f} µs", 1e6 * seconds); };
  const auto link = [&](double rate) {
    return rate > 0.0 ? bandwidth(rate) : "none: the device is the host";
  };
  return ceiling("memory, copy", bandwidth(ceilings.copy_bandwidth)) +
         ceiling("memory, triad", bandwidth(ceilings.triad_bandwidth)) +
         ceiling("f32, multiply-adds", operations(ceilings.chain_rate)) +
         ceiling("f32, matrix product", operations(ceilings.product_rate)) +
         ceiling("launch, waited for", duration(ceilings.launch_seconds)) +
         ceiling("launch, queued", duration(ceilings.queued_launch_seconds)) +
         ceiling("link to the device", link(ceilings.link_up)) +
         ceiling("link to the host", link(ceilings.link_down));
}

}  // namespace kokkosort
