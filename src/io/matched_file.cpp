#include "kokkosort/io/matched_file.hpp"

#include "io/hdf5.hpp"
#include "io/probe_io.hpp"
#include "io/run_io.hpp"

namespace kokkosort {
namespace {

using hdf5::OutputFile;

void write_spikes(OutputFile& file, const TemplateSet& set, const Matching& matching) {
  const std::size_t n = matching.n_spikes();
  const std::size_t n_rows = matching.centres.channels.extent(1);
  const std::size_t n_pcs = set.templates.extent(2);
  file.group("matched/spikes");
  file.write("matched/spikes/sample", {n}, matching.sample.data());
  file.write("matched/spikes/centre", {n}, matching.unit.data());
  file.write("matched/spikes/template", {n}, matching.unit.data());
  file.write("matched/spikes/amplitude", {n}, matching.amplitude.data());
  file.write("matched/spikes/features", {n, n_rows, n_pcs}, matching.features.data());
  file.group("spikes");
  for (const std::string name : {"sample", "template", "amplitude"})
    file.link("spikes/" + name, "matched/spikes/" + name);
}

void write_centres(OutputFile& file, const DetectionCentres& centres) {
  file.group("matched/centres");
  file.write("matched/centres/x_um", {centres.x_um.size()}, centres.x_um.data());
  file.write("matched/centres/y_um", {centres.y_um.size()}, centres.y_um.data());
  file.write("matched/centres/channels", {centres.channels.extent(0), centres.channels.extent(1)},
             centres.channels.data());
}

}  // namespace

void write_matched(PendingFile& pending, const TemplateSet& set, const Matching& matching,
                   const RunRecord& run) {
  OutputFile file(pending.temporary());
  file.group("matched");
  file.attribute("matched", "dmin_um", set.dmin_um);
  file.attribute("matched", "dminx_um", set.dminx_um);
  write_spikes(file, set, matching);
  write_centres(file, matching.centres);
  const auto& templates = set.templates;
  file.write("templates", {templates.extent(0), templates.extent(1), templates.extent(2)}, templates.data());
  write_probe(file, set.probe);
  write_pcs(file, set.pcs);
  file.attribute("/", "sampling_rate_hz", set.sampling_rate_hz);
  write_run(file, run);  // last: all before it is the same bytes in every run
  file.close();
  pending.commit();
}

}  // namespace kokkosort
