#include "curation/train_correlograms.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "core/host_loop.hpp"
#include "core/instantiate.hpp"
#include "core/transfers.hpp"

namespace kokkosort {
namespace {

using Counter = CorrelogramCounter;

constexpr std::uint32_t chunk_spikes = 128;  // of a train, that a thread walks along

struct SetBit {
  std::uint32_t& bits;

  KOKKOS_INLINE_FUNCTION void operator()(int counter) const { bits |= 1u << counter; }
};

/// The counters that a bin adds to, a bit each.
std::uint32_t counters_of(std::int64_t bin) {
  std::uint32_t bits = 0;
  Counter::for_bin(bin, SetBit{bits});
  return bits;
}

/// A bin at which counters begin or end, and those that count from it to the next such bin, a bit each.
struct CounterEdge {
  std::int64_t bin;
  std::uint32_t counters;
};

std::vector<CounterEdge> counter_edges() {
  std::vector<CounterEdge> edges;
  for (std::int64_t bin = 1; bin <= Counter::widest_bin + 1; ++bin)
    if (counters_of(bin) != counters_of(bin - 1)) edges.push_back({bin, counters_of(bin)});
  return edges;
}

/// The smallest time difference in samples that is in a bin, or after it.
std::int64_t first_in_bin(std::int64_t bin, double sampling_rate_hz) {
  const double bins_per_sample = 1000.0 / sampling_rate_hz;
  const auto bin_of = [bins_per_sample](std::int64_t difference) {
    return static_cast<std::int64_t>(static_cast<double>(difference) * bins_per_sample + 0.5);
  };
  auto difference = static_cast<std::int64_t>((static_cast<double>(bin) - 0.5) / bins_per_sample);
  while (difference > 0 && bin_of(difference - 1) >= bin) --difference;
  while (bin_of(difference) < bin) ++difference;
  return difference;
}

/// A train whose spikes are gone along, the other, and what is asked of a spike at w for each edge: how many
/// of the other come before w + sign · difference(edge) + offset.
struct Walk {
  std::uint64_t first;  // of the walked train's spikes
  std::uint64_t other;  // likewise
  std::uint32_t n_walked;
  std::uint32_t n_other;
  std::int64_t sign;
  std::int64_t offset;
};

/// Pairs in which a spike of `second`, moved by `shift`, comes later than one of `first`. The longer train is
/// walked along, so that no thread has more than its own spikes to pass.
Walk make_walk(const std::vector<Train>& trains, const std::vector<std::uint64_t>& first_spike,
               const TrainPair& pair) {
  const auto size_of = [&trains](std::uint32_t train) {
    return static_cast<std::uint32_t>(trains[train].size());
  };
  const std::uint32_t n_first = size_of(pair.first);
  const std::uint32_t n_second = size_of(pair.second);
  if (n_first >= n_second)  // those of second that do not come later
    return {first_spike[pair.first], first_spike[pair.second], n_first, n_second, 1, -pair.shift};
  return {first_spike[pair.second], first_spike[pair.first], n_second, n_first, -1, pair.shift + 1};
}

template <class Exec>
struct WalkTrains {
  Vector<const std::int64_t, Exec> sample;
  Vector<const Walk, Exec> walks;
  Vector<const std::int64_t, Exec> difference;  // [edges]
  Matrix<std::uint64_t, Exec> counts;           // [walks, edges]

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Exec>& member) const {
    const auto place = static_cast<std::size_t>(member.league_rank());
    const Walk walk = walks(place);
    const auto n_edges = static_cast<std::uint32_t>(difference.extent(0));
    const std::uint32_t n_chunks = (walk.n_walked + chunk_spikes - 1) / chunk_spikes;
    Kokkos::parallel_for(
        Kokkos::TeamThreadRange(member, std::uint32_t{0}, n_chunks * n_edges), [&](const std::uint32_t i) {
          const std::uint32_t edge = i % n_edges;
          const std::uint64_t pairs = count_chunk(walk, i / n_edges * chunk_spikes, difference(edge));
          Kokkos::atomic_add(&counts(place, edge), pairs);
        });
  }

  KOKKOS_INLINE_FUNCTION std::uint64_t count_chunk(const Walk& walk, const std::uint32_t begin,
                                                   const std::int64_t edge) const {
    const std::int64_t* const walked = sample.data() + walk.first;
    const std::int64_t* const other = sample.data() + walk.other;
    const std::int64_t later = walk.sign * edge + walk.offset;
    const std::uint32_t end = walk.n_walked - begin < chunk_spikes ? walk.n_walked : begin + chunk_spikes;
    std::uint32_t before = 0;  // the chunk's first: by bisection, then step by step
    for (std::uint32_t left = walk.n_other; left > 0;) {
      const std::uint32_t half = left / 2;
      if (other[before + half] < walked[begin] + later) {
        before += half + 1;
        left -= half + 1;
      } else {
        left = half;
      }
    }
    std::uint64_t sum = 0;
    for (std::uint32_t i = begin; i < end; ++i) {
      while (before < walk.n_other && other[before] < walked[i] + later) ++before;
      sum += before;
    }
    return sum;
  }
};

/// The trains that pairs need, one after another.
struct PackedTrains {
  std::vector<std::int64_t> sample;
  std::vector<std::uint64_t> first;  // [trains], only of those that are needed
};

PackedTrains pack(const std::vector<Train>& trains, const std::vector<TrainPair>& pairs) {
  std::vector<bool> is_needed(trains.size(), false);
  for (const TrainPair& pair : pairs) is_needed[pair.first] = is_needed[pair.second] = true;
  PackedTrains packed;
  for (std::size_t train = 0; train < trains.size(); ++train) {
    packed.first.push_back(packed.sample.size());
    if (is_needed[train])
      packed.sample.insert(packed.sample.end(), trains[train].begin(), trains[train].end());
  }
  return packed;
}

/// @param walked  [edges], of one walk: pairs from one edge to the next are the steps between its counts
void add_steps(const std::uint64_t* walked, const std::vector<CounterEdge>& edges,
               std::array<std::uint64_t, Counter::size>& to) {
  for (std::size_t e = 0; e + 1 < edges.size(); ++e) {
    const std::uint64_t pairs = std::max(walked[e], walked[e + 1]) - std::min(walked[e], walked[e + 1]);
    for (std::size_t counter = 0; counter < to.size(); ++counter)
      if ((edges[e].counters >> counter & 1u) != 0) to[counter] += pairs;
  }
}

}  // namespace

template <class Exec>
std::vector<CorrelogramCounts> count_train_pairs(const Exec& exec, const std::vector<Train>& trains,
                                                 const std::vector<TrainPair>& pairs, double sampling_rate_hz,
                                                 TransferLedger& ledger) {
  if (pairs.empty()) return {};
  const PackedTrains packed = pack(trains, pairs);
  std::vector<Walk> walks;  // of each pair, those in which the second comes later, and the others
  for (const TrainPair& pair : pairs) {
    walks.push_back(make_walk(trains, packed.first, pair));
    walks.push_back(make_walk(trains, packed.first, {pair.second, pair.first, -pair.shift}));
  }
  const std::vector<CounterEdge> edges = counter_edges();
  std::vector<std::int64_t> difference;
  for (const CounterEdge& edge : edges) difference.push_back(first_in_bin(edge.bin, sampling_rate_hz));

  const Matrix<std::uint64_t, Exec> counts(
      Kokkos::view_alloc(exec, std::string("kokkosort::curation::walk_counts")), walks.size(), edges.size());
  const WalkTrains<Exec> kernel{upload_vector(exec, ledger, "curation", "trains", packed.sample),
                                upload_vector(exec, ledger, "curation", "walks", walks),
                                upload_vector(exec, ledger, "curation", "edges", difference), counts};
  const int team_threads = runs_on_host<Exec> ? 1 : 256;
  Kokkos::parallel_for("kokkosort::curation::walk_trains",
                       Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(walks.size()), team_threads), kernel);
  const HostMatrix<std::uint64_t> on_host("kokkosort::curation::walk_counts_on_host", walks.size(),
                                          edges.size());
  copy_down(exec, ledger, "curation", "walk_counts", on_host, counts);

  std::vector<CorrelogramCounts> result(pairs.size());
  host_blocks("curation::add_steps", pairs.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t pair = first; pair < last; ++pair) {
      add_steps(&on_host(2 * pair, 0), edges, result[pair].later);
      add_steps(&on_host(2 * pair + 1, 0), edges, result[pair].sooner);
    }
  });
  return result;
}

#define INSTANTIATE(Exec)                                    \
  template std::vector<CorrelogramCounts> count_train_pairs( \
      const Exec&, const std::vector<Train>&, const std::vector<TrainPair>&, double, TransferLedger&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
