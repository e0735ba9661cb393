#include "kokkosort/report/report.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/groups.hpp"
#include "core/host_loop.hpp"
#include "report/maps.hpp"
#include "report/style.hpp"
#include "report/summary.hpp"
#include "report/text.hpp"
#include "report/unit_card.hpp"

namespace kokkosort {
namespace {

/// The policy forbids scripts and the network, whatever a name in a file holds.
std::string head(const std::string& title) {
  return fmt::format(
      "<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>{} – KokkoSort</title>\n<style>{}</style>\n</head>\n",
      title, report_style);
}

std::string units(const SortReport& report) {
  if (report.sorting.n_units() == 0)
    return "<section>\n<h2>Units</h2>\n<p>No units were found: nothing in this recording stood out from the "
           "noise as spikes do.</p></section>\n";
  const Sorting& sorting = report.sorting;
  const Groups spikes(sorting.unit.data(), sorting.n_spikes(), sorting.n_units());
  std::vector<std::string> cards(sorting.n_units());
  host_loop("report::unit_cards", cards.size(),
            [&](std::size_t u) { cards[u] = unit_card(report, spikes.of(u), u); });
  std::string section =
      "<section>\n<h2>Units</h2>\n<p class=\"muted\">A unit is good (●) if its autocorrelogram has the gap "
      "of a "
      "refractory period. Waveforms are whitened means, in standard deviations (σ) of the noise, on the "
      "channels where they are largest.</p>\n<div class=\"cards\">\n";
  for (const std::string& card : cards) section += card;
  return section + "</div></section>\n";
}

}  // namespace

std::string report_html(const SortReport& report) {
  const std::string name = escaped(recording_name(report.recording));
  return "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n" + head(name) +
         fmt::format("<body>\n<header><h1>{}</h1>\n<p class=\"muted\">sorted by KokkoSort</p></header>\n",
                     name) +
         summary(report) + "<section class=\"maps\">\n" + probe_map(report) + drift_map(report) +
         "</section>\n" + units(report) + "</body>\n</html>\n";
}

}  // namespace kokkosort
