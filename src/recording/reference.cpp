#include "recording/reference.hpp"

#include <limits>

#include "core/instantiate.hpp"
#include "recording/ordered_key.hpp"

namespace kokkosort {
namespace {

constexpr std::int32_t lowest_key = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t highest_key = std::numeric_limits<std::int32_t>::max();

/// A thread takes a sample, its lanes the channels: it narrows the range that the median is in.
template <class Exec>
struct SubtractMedian {
  static constexpr int team_samples = runs_on_host<Exec> ? 64 : 8;

  MatrixRef<float, Exec> rows;
  Vector<std::int32_t, Exec> channels;

  std::size_t n_teams() const { return (rows.extent(0) + team_samples - 1) / team_samples; }
  std::size_t scratch_bytes() const { return Scratch<std::int32_t, Exec>::shmem_size(channels.extent(0)); }

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Exec>& member) const {
    const std::size_t first = static_cast<std::size_t>(member.league_rank()) * team_samples;
    const std::size_t count = Kokkos::min(rows.extent(0) - first, static_cast<std::size_t>(team_samples));
    const Scratch<std::int32_t, Exec> keys(member.thread_scratch(0), channels.extent(0));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, count), [&](const std::size_t sample) {
      float* const row = &rows(first + sample, 0);
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, channels.extent(0)),
                           [&](const std::size_t i) { keys(i) = ordered_key(row[channels(i)]); });
      const float median = from_ordered_key(middle(member, keys.data()));
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, rows.extent(1)),
                           [&](const std::size_t channel) { row[channel] -= median; });
    });
  }

  KOKKOS_INLINE_FUNCTION std::int32_t middle(const TeamMember<Exec>& member, const std::int32_t* keys) const {
    const auto n = static_cast<int>(channels.extent(0));
    const int wanted = (n + 1) / 2;  // keys that are not above the median
    std::int32_t low = smallest(member, keys);
    std::int32_t high = largest_not_above(member, keys, highest_key);
    int below = 0;  // keys below `low`
    int up_to = n;  // keys not above `high`
    for (int round = 0; low < high; ++round) {
      const float share = (static_cast<float>(wanted - below) - 0.5f) / static_cast<float>(up_to - below);
      const std::int32_t guess = guess_between(low, high, share, round);
      int not_above = 0;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(member, n),
          [&](const int i, int& sum) { sum += keys[i] <= guess ? 1 : 0; }, not_above);
      if (not_above == wanted) return largest_not_above(member, keys, guess);
      if (not_above > wanted) {
        high = guess;
        up_to = not_above;
      } else {
        low = guess + 1;
        below = not_above;
      }
    }
    return low;  // several keys are the median
  }

  /// Where the median would be if values were spread evenly, but half way in every third round, so that no
  /// spread makes many of them. Values far apart in size are told apart by their keys.
  KOKKOS_FORCEINLINE_FUNCTION static std::int32_t guess_between(std::int32_t low, std::int32_t high,
                                                                float share, int round) {
    constexpr int rounds_by_value = 18;
    auto guess = static_cast<std::int32_t>((std::int64_t{low} + high) >> 1);
    if (round < rounds_by_value) {
      const float from = from_ordered_key(low);
      const float to = from_ordered_key(high);
      guess = ordered_key(from + (round % 3 == 2 ? 0.5f : share) * (to - from));
    }
    return Kokkos::max(low, Kokkos::min(guess, high - 1));
  }

  KOKKOS_INLINE_FUNCTION std::int32_t smallest(const TeamMember<Exec>& member,
                                               const std::int32_t* keys) const {
    std::int32_t least = highest_key;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(member, static_cast<int>(channels.extent(0))),
        [&](const int i, std::int32_t& least_here) {
          least_here = keys[i] < least_here ? keys[i] : least_here;
        },
        Kokkos::Min<std::int32_t>(least));
    return least;
  }

  KOKKOS_INLINE_FUNCTION std::int32_t largest_not_above(const TeamMember<Exec>& member,
                                                        const std::int32_t* keys, std::int32_t limit) const {
    std::int32_t largest = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(member, static_cast<int>(channels.extent(0))),
        [&](const int i, std::int32_t& most) {
          const std::int32_t key = keys[i] <= limit ? keys[i] : lowest_key;
          most = key > most ? key : most;
        },
        Kokkos::Max<std::int32_t>(largest));
    return largest;
  }
};

}  // namespace

template <class Exec>
void subtract_median(const Exec& exec, const SampleRows<Exec>& rows,
                     const Vector<std::int32_t, Exec>& channels) {
  if (rows.values.size() == 0 || channels.extent(0) == 0) return;
  const SubtractMedian<Exec> kernel{rows.values, channels};
  Kokkos::parallel_for("kokkosort::recording::subtract_median",
                       Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(kernel.n_teams()),
                                                runs_on_host<Exec> ? 1 : 8, runs_on_host<Exec> ? 1 : 32)
                           .set_scratch_size(0, Kokkos::PerThread(kernel.scratch_bytes())),
                       kernel);
}

#define INSTANTIATE(Exec) \
  template void subtract_median(const Exec&, const SampleRows<Exec>&, const Vector<std::int32_t, Exec>&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
