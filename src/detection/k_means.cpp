#include "detection/k_means.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/host_loop.hpp"
#include "core/instantiate.hpp"
#include "core/transfers.hpp"
#include "detection/draw_centres.hpp"

namespace kokkosort {
namespace {

constexpr std::size_t starts = 10;
constexpr int most_rounds = 100;

/// Numbers as whole multiples of a power of two, so that their sums are the same in any order.
struct Steps {
  double scale;

  /// The finest steps in which n numbers, none larger than `largest`, sum to less than 2^62.
  Steps(double largest, std::size_t n)
      : scale(std::exp2(61.0 - std::ceil(std::log2(static_cast<double>(n))) -
                        (largest > 0.0 ? std::ceil(std::log2(largest)) : 0.0))) {}
};

using Sum = unsigned long long;  // of signed steps, modulo 2^64

double value_of(Sum sum, const Steps& steps) {
  return static_cast<double>(static_cast<long long>(sum)) / steps.scale;
}

/// Where a start's sums lie: for each cluster the points' and their number, then the squared distances and
/// the number of points whose label has changed.
struct SumLayout {
  std::size_t n_dims;
  std::size_t n_clusters;

  KOKKOS_INLINE_FUNCTION std::size_t of_cluster(std::size_t k) const { return k * (n_dims + 1); }
  KOKKOS_INLINE_FUNCTION std::size_t inertia() const { return n_clusters * (n_dims + 1); }
  KOKKOS_INLINE_FUNCTION std::size_t changed() const { return inertia() + 1; }
  KOKKOS_INLINE_FUNCTION std::size_t size() const { return changed() + 1; }
};

/// Gives the points of a block their nearest centre and adds them up, a team for each block of each start.
template <class Exec>
struct AssignBlocks {
  static constexpr std::size_t block = 2048;

  Matrix<const double, Exec> points;        // [dims, points]
  Matrix<const double, Exec> centres;       // [starts, clusters · dims]
  Vector<const std::uint32_t, Exec> going;  // starts that have not settled
  Matrix<std::uint32_t, Exec> labels;       // [starts, points]
  Matrix<Sum, Exec> sums;                   // [starts, layout.size()]
  SumLayout layout;
  double point_scale;
  double square_scale;

  std::size_t n_blocks() const { return (points.extent(1) + block - 1) / block; }

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Exec>& member) const {
    const std::size_t blocks = (points.extent(1) + block - 1) / block;
    const std::size_t start = going(static_cast<std::size_t>(member.league_rank()) / blocks);
    const std::size_t first = static_cast<std::size_t>(member.league_rank()) % blocks * block;
    const std::size_t last = Kokkos::min(first + block, points.extent(1));
    Sum inertia = 0;
    Sum changed = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(member, first, last),
        [&](const std::size_t point, Sum& squares, Sum& changes) {
          const Nearest nearest = find_nearest(start, point);
          squares += static_cast<Sum>(nearest.square * square_scale);
          if (labels(start, point) == nearest.centre) return;
          labels(start, point) = nearest.centre;
          ++changes;
        },
        inertia, changed);
    member.team_barrier();  // all labels are there
    add(member, sums(start, layout.inertia()), inertia);
    add(member, sums(start, layout.changed()), changed);
    sum_clusters(member, start, first, last);
  }

  struct Nearest {
    std::uint32_t centre = 0;
    double square = Kokkos::Experimental::finite_max_v<double>;
  };

  KOKKOS_INLINE_FUNCTION Nearest find_nearest(std::size_t start, std::size_t point) const {
    Nearest nearest;
    for (std::uint32_t k = 0; k < layout.n_clusters; ++k) {
      double square = 0.0;
      for (std::size_t dim = 0; dim < layout.n_dims; ++dim) {
        const double difference = points(dim, point) - centres(start, k * layout.n_dims + dim);
        square += difference * difference;
      }
      if (square < nearest.square) nearest = {k, square};
    }
    return nearest;
  }

  static KOKKOS_INLINE_FUNCTION void add(const TeamMember<Exec>& member, Sum& to, Sum value) {
    Kokkos::single(Kokkos::PerTeam(member), [&] {
      if (value != 0) Kokkos::atomic_add(&to, value);
    });
  }

  /// A thread for each sum, which goes over all points of the block: the many atomic additions of a thread
  /// for each point would wait for each other.
  KOKKOS_INLINE_FUNCTION void sum_clusters(const TeamMember<Exec>& member, std::size_t start,
                                           std::size_t first, std::size_t last) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, layout.inertia()), [&](const std::size_t i) {
      const std::size_t cluster = i / (layout.n_dims + 1);
      const std::size_t dim = i % (layout.n_dims + 1);
      Sum sum = 0;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(member, first, last),
          [&](const std::size_t point, Sum& some) {
            if (labels(start, point) == cluster) some += dim < layout.n_dims ? steps(points(dim, point)) : 1;
          },
          sum);
      Kokkos::single(Kokkos::PerThread(member), [&] {
        if (sum != 0) Kokkos::atomic_add(&sums(start, i), sum);
      });
    });
  }

  KOKKOS_INLINE_FUNCTION Sum steps(double value) const {
    return static_cast<Sum>(static_cast<long long>(value * point_scale));
  }
};

/// All starts, round by round until each has settled.
template <class Exec>
class Lloyd {
 public:
  Lloyd(const Exec& exec, const HostPoints& points, std::size_t n_clusters, TransferLedger& ledger)
      : exec_(exec),
        ledger_(ledger),
        layout_{points.n_dims, n_clusters},
        point_steps_(largest_of(points), points.n),
        square_steps_(4.0 * static_cast<double>(points.n_dims) * std::pow(largest_of(points), 2), points.n),
        points_(unfilled(exec, "kokkosort::detection::points"), points.n_dims, points.n),
        labels_(unfilled(exec, "kokkosort::detection::cluster_labels"), starts, points.n),
        centres_(unfilled(exec, "kokkosort::detection::cluster_centres"), starts, n_clusters * points.n_dims),
        sums_(unfilled(exec, "kokkosort::detection::cluster_sums"), starts, layout_.size()),
        centres_on_host_("kokkosort::detection::cluster_centres_on_host", starts, n_clusters * points.n_dims),
        sums_on_host_("kokkosort::detection::cluster_sums_on_host", starts, layout_.size()) {
    copy_up(exec, ledger, "detection", "points", points_,
            HostMatrix<const double>(points.values.data(), points.n_dims, points.n));
    Kokkos::deep_copy(exec, labels_, std::numeric_limits<std::uint32_t>::max());
    for (Clusters& clusters : clusters_) clusters.size.assign(n_clusters, 0);
  }

  void set_centres(std::size_t start, std::vector<std::vector<double>> centres) {
    clusters_[start].centres = std::move(centres);
  }

  /// The clusters of the start whose inertia is least.
  Clusters run() {
    std::vector<std::uint32_t> going(starts);
    std::iota(going.begin(), going.end(), 0u);
    for (int round = 0; round < most_rounds && !going.empty(); ++round) {
      assign(going);
      std::erase_if(going, [this](std::uint32_t start) { return !move_centres(start); });
    }
    const auto best = std::min_element(clusters_.begin(), clusters_.end(),
                                       [](const auto& a, const auto& b) { return a.inertia < b.inertia; });
    read_labels(static_cast<std::size_t>(best - clusters_.begin()), *best);
    return *best;
  }

 private:
  static double largest_of(const HostPoints& points) {
    double largest = 0.0;
    for (const double value : points.values) largest = std::max(largest, std::abs(value));
    return largest;
  }

  void assign(const std::vector<std::uint32_t>& going) {
    for (const std::uint32_t start : going) {
      double* to = &centres_on_host_(start, 0);
      for (const auto& centre : clusters_[start].centres) to = std::copy(centre.begin(), centre.end(), to);
    }
    copy_up(exec_, ledger_, "detection", "cluster_centres", centres_, centres_on_host_);
    Kokkos::deep_copy(exec_, sums_, Sum{0});
    const AssignBlocks<Exec> kernel{points_,
                                    centres_,
                                    upload_vector(exec_, ledger_, "detection", "starts", going),
                                    labels_,
                                    sums_,
                                    layout_,
                                    point_steps_.scale,
                                    square_steps_.scale};
    Kokkos::parallel_for("kokkosort::detection::assign_to_centres",
                         Kokkos::TeamPolicy<Exec>(exec_, static_cast<int>(going.size() * kernel.n_blocks()),
                                                  runs_on_host<Exec> ? 1 : 8, runs_on_host<Exec> ? 1 : 32),
                         kernel);
    copy_down(exec_, ledger_, "detection", "cluster_sums", sums_on_host_, sums_);
  }

  /// A cluster that has lost its points stays where it is. @return whether any label has changed
  bool move_centres(std::size_t start) {
    Clusters& clusters = clusters_[start];
    const Sum* const sums = &sums_on_host_(start, 0);
    clusters.inertia = value_of(sums[layout_.inertia()], square_steps_);
    if (sums[layout_.changed()] == 0) return false;
    for (std::size_t k = 0; k < layout_.n_clusters; ++k) {
      const Sum* const of_cluster = sums + layout_.of_cluster(k);
      clusters.size[k] = static_cast<std::size_t>(of_cluster[layout_.n_dims]);
      for (std::size_t dim = 0; dim < layout_.n_dims && clusters.size[k] > 0; ++dim)
        clusters.centres[k][dim] =
            value_of(of_cluster[dim], point_steps_) / static_cast<double>(clusters.size[k]);
    }
    return true;
  }

  void read_labels(std::size_t start, Clusters& clusters) {
    clusters.label.resize(labels_.extent(1));
    copy_down(exec_, ledger_, "detection", "cluster_labels",
              HostVector<std::uint32_t>(clusters.label.data(), clusters.label.size()),
              Vector<std::uint32_t, Exec>(labels_.data() + start * labels_.extent(1), labels_.extent(1)));
  }

  const Exec& exec_;
  TransferLedger& ledger_;
  SumLayout layout_;
  Steps point_steps_;
  Steps square_steps_;
  Matrix<double, Exec> points_;
  Matrix<std::uint32_t, Exec> labels_;
  Matrix<double, Exec> centres_;
  Matrix<Sum, Exec> sums_;
  HostMatrix<double> centres_on_host_;
  HostMatrix<Sum> sums_on_host_;
  std::array<Clusters, starts> clusters_;
};

}  // namespace

std::size_t k_means_bytes(std::size_t n_points, std::size_t n_dims, std::size_t n_clusters) {
  const std::size_t of_points = n_points * (n_dims * sizeof(double) + starts * sizeof(std::uint32_t));
  const std::size_t of_start =
      n_clusters * n_dims * sizeof(double) + SumLayout{n_dims, n_clusters}.size() * sizeof(Sum);
  return of_points + starts * (of_start + sizeof(std::uint32_t));
}

template <class Exec>
Clusters k_means(const Exec& exec, const HostPoints& points, std::size_t n_clusters, std::uint64_t seed,
                 TransferLedger& ledger) {
  Lloyd<Exec> lloyd(exec, points, n_clusters, ledger);
  std::array<std::vector<std::vector<double>>, starts> centres;
  host_loop("detection::draw_centres", starts, [&](const std::size_t start) {
    centres[start] = draw_centres(points, n_clusters, seed, static_cast<std::uint32_t>(start));
  });
  for (std::size_t start = 0; start < starts; ++start) lloyd.set_centres(start, std::move(centres[start]));
  return lloyd.run();
}

#define INSTANTIATE(Exec) \
  template Clusters k_means(const Exec&, const HostPoints&, std::size_t, std::uint64_t, TransferLedger&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
