#include "kokkosort/clustering/assignment.hpp"

#include "kokkosort/clustering/neighbours.hpp"
#include "kokkosort/clustering/seeding.hpp"
#include "sweep/reference/check_assignment.hpp"
#include "sweep/sweep_kernel.hpp"
#include "sweep/sweep_problem.hpp"

namespace kokkosort {
namespace {

ClusteringOptions assignment_options(const TunableValues& values) {
  ClusteringOptions options;
  options.assignment.rounds = static_cast<int>(values.at("rounds"));
  options.assignment.rounds_per_look = static_cast<int>(values.at("rounds_per_look"));
  options.assignment.team_threads = static_cast<int>(values.at("team_threads"));
  return options;
}

class AssignmentKernel : public SweepKernel {
 public:
  AssignmentKernel(const SweepProblem& problem, const TunableValues& values)
      : sections_(problem, assignment_options(values)) {
    graph_ = find_neighbours(sections_.exec, sections_.batch, sections_.options.neighbours, sections_.ledger);
    seeding_ = seed_clusters(sections_.exec, sections_.batch, graph_.norms, sections_.options.seeding,
                             sections_.options.seed, sections_.ledger);
  }

  void run() override {
    found_ = assign_clusters(sections_.exec, sections_.batch, graph_, seeding_, sections_.options.assignment,
                             sections_.ledger);
  }

  std::string check() const override {
    const auto left = values_of(sections_.exec, found_.left);
    const auto right = values_of(sections_.exec, found_.right);
    const auto first = values_of(sections_.exec, seeding_.labels);
    const auto neighbours = values_of(sections_.exec, graph_.neighbours);
    for (std::size_t s = 0; s < sections_.batch.n_sections(); ++s) {
      const SectionExtent& section = sections_.batch.extents[s];
      const auto spikes = [&](const auto& all) {
        return std::vector<std::int32_t>(all.begin() + section.first_spike,
                                         all.begin() + section.first_spike + section.n_spikes);
      };
      const AssignmentLabels found{spikes(left),
                                   {right.begin() + section.first_subset,
                                    right.begin() + section.first_subset + section.n_subset}};
      const std::string wrong =
          check_assignment(graph_of(section, neighbours), spikes(first), sections_.options.assignment, found);
      if (!wrong.empty()) return wrong_in_section(s, wrong);
    }
    return {};
  }

  /// Depends on how many rounds the data take.
  Work work() const override { return {}; }

 private:
  AssignmentGraph graph_of(const SectionExtent& section, const std::vector<std::int32_t>& neighbours) const {
    AssignmentGraph graph{neighbour_lists(sections_.batch, section, neighbours), subset_of(section)};
    for (std::vector<std::int32_t>& list : graph.neighbours) std::erase(list, -1);
    return graph;
  }

  SweepBatch sections_;
  NeighbourGraph<SweepExec> graph_;
  Seeding<SweepExec> seeding_;
  Assignment<SweepExec> found_;
};

}  // namespace

SweepKernelInfo assignment_kernel() {
  const AssignmentOptions defaults;
  return {"assignment",
          "rounds of moving spikes and subset points between clusters",
          {{"rounds", "at most", 1, 100000, defaults.rounds},
           {"rounds_per_look", "rounds queued between two looks at whether anything moved; 0: what suits the device", 0,
            100000, defaults.rounds_per_look},
           {"team_threads", "threads that count the labels around a subset point; 0: what suits the device", 0, 1024,
            defaults.team_threads}},
          [](const SweepProblem& problem, const TunableValues& values) {
            return std::make_unique<AssignmentKernel>(problem, values);
          }};
}

}  // namespace kokkosort
