#include "kokkosort/io/templates_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/find_outside.hpp"
#include "io/hdf5.hpp"
#include "io/probe_io.hpp"

namespace kokkosort {
namespace {

using hdf5::InputFile;

void check_there(const InputFile& file, const std::string& dataset) {
  if (file.has(dataset)) return;
  constexpr std::size_t most_listed = 10;
  std::vector<std::string> found = file.datasets_with(3);
  std::erase_if(found, [](const std::string& name) { return name.ends_with("spikes/features"); });
  if (found.empty())
    file.fail("", fmt::format("there is no dataset '{}', nor any other of templates", dataset));
  const std::size_t n = found.size();
  found.resize(std::min(n, most_listed));
  file.fail("", fmt::format("there is no dataset '{}'; datasets on 3 axes: {}{}; set input.templates_dataset",
                            dataset, fmt::join(found, ", "),
                            n > most_listed ? fmt::format(" and {} more", n - most_listed) : ""));
}

/// Matching takes what templates and traces have in common from their coefficients alone.
void check_orthonormal(const InputFile& file, const HostMatrix<float>& wPCA) {
  constexpr double tolerance = 1e-3;
  for (std::size_t p = 0; p < wPCA.extent(0); ++p)
    for (std::size_t q = 0; q <= p; ++q) {
      double product = 0.0;
      for (std::size_t t = 0; t < wPCA.extent(1); ++t) product += double{wPCA(p, t)} * double{wPCA(q, t)};
      const double wanted = p == q ? 1.0 : 0.0;
      if (std::abs(product - wanted) <= tolerance) continue;
      file.fail("pcs/wPCA",
                fmt::format("the product of rows {} and {} is {:.4g}; it must be {}: matching needs "
                            "orthonormal components",
                            q, p, product, wanted));
    }
}

void check_norm(const InputFile& file, const std::string& name, const HostTensor3<float>& templates,
                std::size_t k) {
  constexpr double smallest_norm = 1e-6;
  const std::size_t size = templates.extent(1) * templates.extent(2);
  const float* const values = templates.data() + k * size;
  double energy = 0.0;
  for (std::size_t i = 0; i < size; ++i) energy += double{values[i]} * double{values[i]};
  if (energy == 0.0) file.fail(name, fmt::format("template {} is zero on all channels; leave it out", k));
  if (energy < smallest_norm * smallest_norm)
    file.fail(name, fmt::format(
                        "template {} has the norm {:.4g}; templates are in standard deviations of the noise",
                        k, std::sqrt(energy)));
}

void check_templates(const InputFile& file, const std::string& name, const HostTensor3<float>& templates) {
  const std::size_t n_pcs = templates.extent(2);
  const std::size_t place = find_outside(templates.data(), templates.size(), largest_feature);
  if (place != templates.size())
    file.fail(name, fmt::format(
                        "template {}, channel {}, component {} is {}; it must be finite, and is in standard "
                        "deviations of the noise, at most 1e6",
                        place / (n_pcs * templates.extent(1)), place / n_pcs % templates.extent(1),
                        place % n_pcs, templates.data()[place]));
  for (std::size_t k = 0; k < templates.extent(0); ++k) check_norm(file, name, templates, k);
}

HostTensor3<float> read_values(InputFile& file, const std::string& name, std::size_t n_channels,
                               std::size_t n_pcs) {
  const hdf5::Dataset dataset = file.open<float>(name, 3);
  if (dataset.shape[1] != n_channels || dataset.shape[2] != n_pcs)
    file.fail(name, fmt::format("has shape {}; with the file's probe and pcs it must be [templates, {}, {}]",
                                hdf5::to_string(dataset.shape), n_channels, n_pcs));
  if (dataset.shape[0] == 0) file.fail(name, "has no templates; there is nothing to match");
  const HostTensor3<float> templates(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "kokkosort::io::templates"), dataset.shape[0],
      n_channels, n_pcs);
  file.read(dataset, templates.data());
  check_templates(file, name, templates);
  return templates;
}

/// 0 if the file does not say.
double find_rate(const InputFile& file, double given) {
  if (given > 0.0) return given;
  return file.has_attribute("/", "sampling_rate_hz") ? read_sampling_rate(file) : 0.0;
}

/// 0 if the file does not say.
double find_spacing(const InputFile& file, const std::string& name, double given) {
  if (given > 0.0) return given;
  for (const char* object : {"/", "detected", "matched"})
    if (file.has_attribute(object, name)) return read_spacing(file, object, name);
  return 0.0;
}

}  // namespace

TemplateSet read_templates(const std::filesystem::path& path, const std::string& dataset,
                           std::size_t host_limit, const GivenAttributes& given) {
  InputFile file(path, host_limit);
  check_there(file, dataset);
  TemplateSet set;
  set.sampling_rate_hz = find_rate(file, given.sampling_rate_hz);
  set.dmin_um = find_spacing(file, "dmin_um", given.dmin_um);
  set.dminx_um = find_spacing(file, "dminx_um", given.dminx_um);
  set.probe = read_probe(file);
  set.pcs = read_pcs(file);
  constexpr std::size_t fewest_samples = 3;
  if (set.pcs.wPCA.extent(1) < fewest_samples)
    file.fail("pcs/wPCA", fmt::format("has waveforms of {} samples; matching needs {} at least",
                                      set.pcs.wPCA.extent(1), fewest_samples));
  check_orthonormal(file, set.pcs.wPCA);
  set.templates = read_values(file, dataset, set.probe.x_um.size(), set.pcs.wPCA.extent(0));
  set.files = file.files();
  return set;
}

}  // namespace kokkosort
