#include "recording/transpose.hpp"

#include "core/instantiate.hpp"
#include "core/lanes.hpp"

namespace kokkosort {
namespace {

/// Transposes one tile a team, through scratch, so that reads and writes both touch neighbouring memory.
template <class Exec, class T>
struct Transpose {
  static constexpr std::size_t tile_channels = 32;
  static constexpr std::size_t tile_samples = 64;
  static constexpr std::size_t tile_row =
      tile_samples + 1;  // odd: columns of the tile lie in different banks

  const T* from;  // [samples, columns]
  std::size_t n_columns;
  std::int64_t from_first;  // sample of the recording
  Transposition<Exec> how;
  Difference<T> offset;
  SampleRange inside;
  std::int64_t first;  // of the traces
  MatrixRef<float, Exec> traces;

  KOKKOS_INLINE_FUNCTION std::size_t channel_tiles() const {
    return (traces.extent(0) + tile_channels - 1) / tile_channels;
  }
  std::size_t sample_tiles() const { return (traces.extent(1) + tile_samples - 1) / tile_samples; }
  static std::size_t scratch_bytes() {
    return runs_on_host<Exec> ? 0 : Scratch<float, Exec>::shmem_size(tile_channels * tile_row);
  }

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Exec>& member) const {
    if constexpr (runs_on_host<Exec>)
      transpose_alone(static_cast<std::size_t>(member.league_rank()));
    else
      transpose_in_scratch(member);
  }

  /// Where a team's tile lies in the traces.
  struct Tile {
    std::size_t first_row;
    std::size_t first_column;
    std::size_t n_rows;
    std::size_t n_columns;
  };

  KOKKOS_INLINE_FUNCTION Tile tile_of(std::size_t team) const {
    const std::size_t first_row = team % channel_tiles() * tile_channels;
    const std::size_t first_column = team / channel_tiles() * tile_samples;
    return {first_row, first_column, Kokkos::min(traces.extent(0) - first_row, std::size_t{tile_channels}),
            Kokkos::min(traces.extent(1) - first_column, std::size_t{tile_samples})};
  }

  /// What becomes of the channels of a tile, copied from where a compiler must expect that traces are
  /// written.
  struct Channels {
    int count;
    std::int32_t column[tile_channels];
    float scale[tile_channels];
    bool are_neighbours;  // in the stored samples, and a whole tile
  };

  KOKKOS_INLINE_FUNCTION Channels channels_of(std::size_t first_row, std::size_t n_rows) const {
    Channels channels;
    channels.count = static_cast<int>(n_rows);
    channels.are_neighbours = n_rows == tile_channels;
    for (std::size_t i = 0; i < n_rows; ++i) {
      channels.column[i] = how.column(first_row + i);
      channels.scale[i] = how.scale(first_row + i);
      channels.are_neighbours &= channels.column[i] == channels.column[0] + static_cast<std::int32_t>(i);
    }
    return channels;
  }

  /// A CPU takes a tile alone: a sample's channels as lanes, then a channel's samples.
  KOKKOS_INLINE_FUNCTION void transpose_alone(std::size_t rank) const {
    const Tile place = tile_of(rank);
    const Channels channels = channels_of(place.first_row, place.n_rows);
    float tile[tile_samples][tile_channels];
    for (std::size_t column = 0; column < place.n_columns; ++column)
      read(channels, first + static_cast<std::int64_t>(place.first_column + column), tile[column]);
    for (std::size_t row = 0; row < place.n_rows; ++row) {
      float* const to = &traces(place.first_row + row, place.first_column);
      if (place.n_columns == tile_samples)
        for_lanes<tile_samples>([&](const int column) { to[column] = tile[column][row]; });
      else
        for (std::size_t column = 0; column < place.n_columns; ++column) to[column] = tile[column][row];
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void read(const Channels& channels, std::int64_t sample,
                                        float (&to)[tile_channels]) const {
    const bool is_inside = sample >= inside.first && sample < inside.last;
    const T* const values =
        from + (is_inside ? static_cast<std::size_t>(sample - from_first) * n_columns : std::size_t{0});
    const auto number = [&](const int lane, const T value) {
      return channels.scale[lane] * static_cast<float>(static_cast<Difference<T>>(value) - offset);
    };
    if (!is_inside) {
      for_lanes<tile_channels>([&](const int lane) { to[lane] = 0.0f; });
    } else if (channels.are_neighbours) {
      const T* const neighbours = values + channels.column[0];
      for_lanes<tile_channels>([&](const int lane) { to[lane] = number(lane, neighbours[lane]); });
    } else {
      for (int lane = 0; lane < channels.count; ++lane)
        to[lane] = number(lane, values[channels.column[lane]]);
    }
  }

  /// A team of a GPU takes a tile.
  KOKKOS_INLINE_FUNCTION void transpose_in_scratch(const TeamMember<Exec>& member) const {
    const Tile place = tile_of(static_cast<std::size_t>(member.league_rank()));
    const Scratch<float, Exec> tile(member.team_scratch(0), tile_channels * tile_row);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, place.n_columns), [&](const std::size_t column) {
      const std::int64_t sample = first + static_cast<std::int64_t>(place.first_column + column);
      const bool is_inside = sample >= inside.first && sample < inside.last;
      const T* const values =
          from + (is_inside ? static_cast<std::size_t>(sample - from_first) * n_columns : std::size_t{0});
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, place.n_rows), [&](const std::size_t row) {
        tile(row * tile_row + column) = is_inside ? value_of(values, place.first_row + row) : 0.0f;
      });
    });
    member.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, place.n_rows), [&](const std::size_t row) {
      float* const to = &traces(place.first_row + row, place.first_column);
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, place.n_columns),
                           [&](const std::size_t column) { to[column] = tile(row * tile_row + column); });
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION float value_of(const T* values, std::size_t row) const {
    return how.scale(row) * static_cast<float>(static_cast<Difference<T>>(values[how.column(row)]) - offset);
  }
};

template <class Exec, class T>
void run(const Exec& exec, const Transpose<Exec, T>& kernel) {
  const auto n_teams = static_cast<int>(kernel.channel_tiles() * kernel.sample_tiles());
  Kokkos::parallel_for(
      "kokkosort::recording::transpose",
      Kokkos::TeamPolicy<Exec>(exec, n_teams, runs_on_host<Exec> ? 1 : 8, runs_on_host<Exec> ? 1 : 32)
          .set_scratch_size(0, Kokkos::PerTeam(kernel.scratch_bytes())),
      kernel);
}

template <class Exec, class T>
void convert_as(const Exec& exec, const StoredWindow<Exec>& stored, const Vector<std::int32_t, Exec>& column,
                Difference<T> offset, const MatrixRef<float, Exec>& to) {
  const T* const from = reinterpret_cast<const T*>(stored.bytes.data());
  const std::size_t n_columns = stored.n_columns;
  Kokkos::parallel_for(
      "kokkosort::recording::convert",
      Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>(exec, {0, 0}, {to.extent(0), to.extent(1)}),
      KOKKOS_LAMBDA(const std::size_t sample, const std::size_t channel) {
        const T* const values = from + sample * n_columns;
        to(sample, channel) =
            static_cast<float>(static_cast<Difference<T>>(values[column(channel)]) - offset);
      });
}

}  // namespace

template <class Exec>
void transpose(const Exec& exec, const StoredWindow<Exec>& stored, const Transposition<Exec>& how,
               SampleRange inside, std::int64_t first, const MatrixRef<float, Exec>& traces) {
  with_type(stored.type, [&](auto zero) {
    using T = decltype(zero);
    run(exec, Transpose<Exec, T>{reinterpret_cast<const T*>(stored.bytes.data()), stored.n_columns,
                                 stored.range.first, how, static_cast<Difference<T>>(how.offset), inside,
                                 first, traces});
  });
}

template <class Exec>
void transpose(const Exec& exec, const SampleRows<Exec>& rows, const Transposition<Exec>& how,
               SampleRange inside, std::int64_t first, const MatrixRef<float, Exec>& traces) {
  run(exec, Transpose<Exec, float>{rows.values.data(), rows.values.extent(1), rows.range.first, how,
                                   static_cast<float>(how.offset), inside, first, traces});
}

template <class Exec>
SampleRows<Exec> convert(const Exec& exec, const StoredWindow<Exec>& stored,
                         const Vector<std::int32_t, Exec>& column, double offset,
                         const Vector<float, Exec>& to) {
  const MatrixRef<float, Exec> values(to.data(), stored.range.size(), column.extent(0));
  with_type(stored.type, [&](auto zero) {
    using T = decltype(zero);
    convert_as<Exec, T>(exec, stored, column, static_cast<Difference<T>>(offset), values);
  });
  return {values, stored.range};
}

#define INSTANTIATE(Exec)                                                                                  \
  template void transpose(const Exec&, const StoredWindow<Exec>&, const Transposition<Exec>&, SampleRange, \
                          std::int64_t, const MatrixRef<float, Exec>&);                                    \
  template void transpose(const Exec&, const SampleRows<Exec>&, const Transposition<Exec>&, SampleRange,   \
                          std::int64_t, const MatrixRef<float, Exec>&);                                    \
  template SampleRows<Exec> convert(const Exec&, const StoredWindow<Exec>&,                                \
                                    const Vector<std::int32_t, Exec>&, double, const Vector<float, Exec>&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
