#include "kokkosort/clustering/neighbours.hpp"
#include "sweep/reference/check_neighbours.hpp"
#include "sweep/sweep_kernel.hpp"
#include "sweep/sweep_problem.hpp"

namespace kokkosort {
namespace {

ClusteringOptions neighbour_options(const TunableValues& values) {
  ClusteringOptions options;
  options.neighbours.max_chunk_dots = static_cast<std::size_t>(values.at("max_chunk_dots"));
  options.neighbours.tile_spikes = static_cast<int>(values.at("tile_spikes"));
  options.neighbours.subset_stride = static_cast<int>(values.at("subset_stride"));
  return options;
}

class NeighboursKernel : public SweepKernel {
 public:
  NeighboursKernel(const SweepProblem& problem, const TunableValues& values)
      : sections_(problem, neighbour_options(values)) {}

  void run() override {
    graph_ = find_neighbours(sections_.exec, sections_.batch, sections_.options.neighbours, sections_.ledger);
  }

  std::string check() const override {
    const auto values = values_of(sections_.exec, graph_.neighbours);
    const int wanted = sections_.options.neighbours.neighbours;
    for (std::size_t s = 0; s < sections_.batch.n_sections(); ++s) {
      const SectionExtent& section = sections_.batch.extents[s];
      const std::string wrong = check_neighbours(sections_.points(s), subset_of(section), wanted,
                                                 neighbour_lists(sections_.batch, section, values));
      if (!wrong.empty()) return wrong_in_section(s, wrong);
    }
    return {};
  }

  /// The products; each is written once and read by the selection.
  Work work() const override {
    Work work;
    for (const SectionExtent& section : sections_.batch.extents) {
      const double dots = 1.0 * section.n_spikes * section.n_subset;
      work.flops += 2.0 * dots * section.n_features;
      work.bytes += sizeof(float) * (2.0 * dots + 1.0 * (section.n_spikes + section.n_subset) * section.n_features);
    }
    return work;
  }

 private:
  SweepBatch sections_;
  NeighbourGraph<SweepExec> graph_;
};

}  // namespace

SweepKernelInfo neighbours_kernel() {
  const NeighbourOptions defaults;
  return {"neighbours",
          "the nearest subset points of every spike",
          {{"max_chunk_dots", "scalar products held at once", 1, (std::int64_t{1} << 31) - 1,
            static_cast<std::int64_t>(defaults.max_chunk_dots)},
           {"tile_spikes", "spikes of one product, at most; 0: what suits the device", 0, 1 << 20, defaults.tile_spikes},
           {"subset_stride", "every n-th spike is a subset point", 1, 1 << 20, defaults.subset_stride}},
          [](const SweepProblem& problem, const TunableValues& values) {
            return std::make_unique<NeighboursKernel>(problem, values);
          }};
}

}  // namespace kokkosort
