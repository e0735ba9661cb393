#include "kokkosort/recording/trace_loader.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

#include "core/instantiate.hpp"
#include "core/transfers.hpp"
#include "recording/row_preparer.hpp"
#include "recording/transpose.hpp"
#include "recording/whitening.hpp"
#include "recording/window_reader.hpp"

namespace kokkosort {
namespace {

/// Samples that are transposed, then whitened at once: on a CPU few, so that they stay in its caches.
template <class Exec>
std::size_t chunk_of(std::size_t n_samples) {
  const std::size_t n_tiles = (n_samples + whitening_tile - 1) / whitening_tile;
  const auto most = static_cast<std::size_t>(runs_on_host<Exec> ? 4 * Exec().concurrency() : 1 << 20);
  return whitening_tile * std::min(n_tiles, most);
}

/// Samples that are prepared at once. On a CPU they are a few of the filter's blocks, so that what one kernel
/// writes is in a cache when the next one reads it.
template <class Exec>
std::int64_t part_samples(const RowPlan& plan, std::size_t n_channels) {
  constexpr std::int64_t floats_a_thread = 1 << 19;
  constexpr std::int64_t fewest_blocks = 4;  // one more than are kept is filtered forward
  const std::int64_t block = plan.is_filtered ? plan.filter.block : std::int64_t{whitening_tile};
  const std::int64_t floats = floats_a_thread * Exec().concurrency();
  return block * std::max(fewest_blocks, floats / (block * static_cast<std::int64_t>(n_channels)));
}

/// Stretches of a window that are prepared one after the other; a GPU takes it at once.
template <class Exec>
std::vector<SampleRange> parts_of(const RowPlan& plan, std::size_t n_channels, SampleRange window) {
  if (!runs_on_host<Exec>) return {window};
  const std::int64_t length = part_samples<Exec>(plan, n_channels);
  const SampleRange inside = within_recording(window, plan.n_samples);
  std::vector<SampleRange> parts = {{window.first, window.first}};
  for (std::int64_t cut = (inside.first / length + 1) * length; cut < inside.last; cut += length) {
    parts.back().last = cut;
    parts.push_back({cut, cut});
  }
  parts.back().last = window.last;
  return parts;
}

template <class Exec>
std::vector<SampleRange> parts_of(const RowPlan& plan, std::size_t n_channels,
                                  const std::vector<SampleRange>& windows) {
  std::vector<SampleRange> all;
  for (const SampleRange& window : windows) {
    const std::vector<SampleRange> parts = parts_of<Exec>(plan, n_channels, window);
    all.insert(all.end(), parts.begin(), parts.end());
  }
  return all;
}

/// Floats of a row of such a chunk. A cache line more than it needs, so that the same sample of many rows is
/// not in the same few places of a CPU's cache.
template <class Exec>
std::size_t row_length(std::size_t n_samples) {
  constexpr std::size_t cache_line = 16;
  return chunk_of<Exec>(n_samples) + cache_line;
}

std::size_t neighbours_of(const TracePreparation& preparation) { return preparation.weights.extent(1); }

/// Whether traces are stored samples times a number each.
bool is_direct(const TracePreparation& preparation) {
  return neighbours_of(preparation) == 1 && preparation.highpass_hz == 0.0 && !preparation.common_reference;
}

/// Floats of a chunk's channels before they are whitened.
template <class Exec>
std::size_t unwhitened_floats(const TracePreparation& preparation, const std::vector<SampleRange>& windows) {
  return neighbours_of(preparation) == 1 ? 0
                                         : preparation.n_channels() * row_length<Exec>(longest_of(windows));
}

/// The weights and neighbours of traces in another order, neighbours as rows of the traces.
struct OrderedWeights {
  HostMatrix<std::int32_t> neighbours;
  HostMatrix<float> weights;

  OrderedWeights(const TracePreparation& preparation, const std::vector<std::int32_t>& order)
      : neighbours("kokkosort::recording::neighbours_on_host", order.size(), neighbours_of(preparation)),
        weights("kokkosort::recording::weights_on_host", order.size(), neighbours_of(preparation)) {
    std::vector<std::int32_t> row_of(order.size());
    for (std::size_t row = 0; row < order.size(); ++row)
      row_of[static_cast<std::size_t>(order[row])] = static_cast<std::int32_t>(row);
    for (std::size_t row = 0; row < order.size(); ++row)
      for (std::size_t k = 0; k < weights.extent(1); ++k) {
        const auto channel = static_cast<std::size_t>(order[row]);
        neighbours(row, k) = row_of[static_cast<std::size_t>(preparation.neighbours(channel, k))];
        weights(row, k) = preparation.weights(channel, k);
      }
  }
};

/// The stored columns that traces come from, one each.
std::vector<std::int32_t> direct_columns(const TracePreparation& preparation,
                                         const std::vector<std::int32_t>& channels) {
  std::vector<std::int32_t> columns;
  for (const std::int32_t channel : channels)
    columns.push_back(preparation.column[static_cast<std::size_t>(channel)]);
  return columns;
}

}  // namespace

TracePreparation whitened_already(std::size_t n_channels, double scale_to_sigma) {
  TracePreparation preparation;
  preparation.column.resize(n_channels);
  std::iota(preparation.column.begin(), preparation.column.end(), 0);
  preparation.neighbours =
      HostMatrix<std::int32_t>("kokkosort::recording::neighbours_on_host", n_channels, 1);
  preparation.weights = HostMatrix<float>("kokkosort::recording::weights_on_host", n_channels, 1);
  for (std::size_t c = 0; c < n_channels; ++c) {
    preparation.neighbours(c, 0) = static_cast<std::int32_t>(c);
    preparation.weights(c, 0) = static_cast<float>(scale_to_sigma);
  }
  return preparation;
}

template <class Exec>
struct TraceLoader<Exec>::State {
  State(const Exec& instance, PreparedRecording recording, std::vector<SampleRange> all_windows,
        std::vector<std::int32_t> order, const std::string& stage_name, TransferLedger& ledger,
        StageTimes& all_times)
      : exec(instance),
        plan(recording.preparation, recording.stored.n_samples()),
        windows(std::move(all_windows)),
        stage(stage_name),
        times(all_times),
        progress(recording.progress),
        direct(is_direct(recording.preparation)),
        reader(exec, recording.stored, plan.stored(windows), stage, ledger, times) {
    const TracePreparation& preparation = recording.preparation;
    if (order.empty()) {
      order.resize(preparation.n_channels());
      std::iota(order.begin(), order.end(), 0);
    }
    upload_weights(preparation, order, ledger);
    if (!direct) prepare_rows(preparation, parts_of<Exec>(plan, preparation.n_channels(), windows), ledger);
  }

  void prepare_rows(const TracePreparation& preparation, const std::vector<SampleRange>& parts,
                    TransferLedger& ledger) {
    rows.emplace(exec, preparation, plan, parts, unwhitened_floats<Exec>(preparation, parts), stage, ledger);
  }

  /// Of one neighbour the transposition takes care.
  void upload_weights(const TracePreparation& preparation, const std::vector<std::int32_t>& order,
                      TransferLedger& ledger) {
    std::vector<std::int32_t> channels = order;
    std::vector<float> scale(order.size(), 1.0f);
    if (neighbours_of(preparation) > 1) {
      const OrderedWeights ordered(preparation, order);
      neighbours = upload_matrix(exec, ledger, stage, "whitening_neighbours", ordered.neighbours);
      weights = upload_matrix(exec, ledger, stage, "whitening_weights", ordered.weights);
    } else {
      for (std::size_t row = 0; row < order.size(); ++row) {
        const auto channel = static_cast<std::size_t>(order[row]);
        channels[row] = preparation.neighbours(channel, 0);
        scale[row] = preparation.weights(channel, 0);
      }
    }
    if (direct) how.offset = preparation.offset;
    how.column = upload_vector(exec, ledger, stage, "trace_columns",
                               direct ? direct_columns(preparation, channels) : channels);
    how.scale = upload_vector(exec, ledger, stage, "trace_scales", scale);
  }

  void load(const StoredWindow<Exec>& stored, SampleRange window, const Matrix<float, Exec>& traces) const {
    if (direct)
      return transpose(exec, stored, how, within_recording(window, plan.n_samples), window.first, traces);
    for (const SampleRange& part : parts_of<Exec>(plan, traces.extent(0), window)) {
      const auto first = static_cast<std::size_t>(part.first - window.first);
      const std::size_t last = part.last == window.last ? traces.extent(1) : first + part.size();
      load_part(stored, part, Kokkos::subview(traces, Kokkos::ALL, std::make_pair(first, last)));
    }
  }

  void load_part(const StoredWindow<Exec>& stored, SampleRange part,
                 const MatrixRef<float, Exec>& traces) const {
    const SampleRange inside = within_recording(part, plan.n_samples);
    const SampleRows<Exec> prepared = rows->prepare(exec, stored, part);
    if (weights.size() == 0) return transpose(exec, prepared, how, inside, part.first, traces);
    whiten_chunks(prepared, inside, part, traces);
  }

  /// Reads the stored samples, writes the traces; a multiply-add a neighbour, and the filter forward and
  /// backward.
  StageWork work(const StoredWindow<Exec>& stored, SampleRange window, std::size_t n_channels) const {
    const double samples = static_cast<double>(n_channels * window.size());
    const double neighbours_each = static_cast<double>(std::max<std::size_t>(1, weights.extent(1)));
    return {static_cast<double>(stored.n_bytes()) + sizeof(float) * samples,
            samples * (2.0 * neighbours_each + (plan.is_filtered ? 2.0 * HighPass::operations : 0.0))};
  }

  void whiten_chunks(const SampleRows<Exec>& prepared, SampleRange inside, SampleRange window,
                     const MatrixRef<float, Exec>& traces) const {
    const std::size_t chunk = chunk_of<Exec>(window.size());
    const MatrixRef<float, Exec> unwhitened(rows->scratch().data(), traces.extent(0),
                                            row_length<Exec>(window.size()));
    for (std::size_t first = 0; first < window.size(); first += chunk) {
      const std::size_t count = std::min(chunk, window.size() - first);
      const bool is_last = first + count == window.size();
      const MatrixRef<float, Exec> columns(Kokkos::subview(
          traces, Kokkos::ALL, std::make_pair(first, is_last ? traces.extent(1) : first + count)));
      transpose(exec, prepared, how, inside, window.first + static_cast<std::int64_t>(first), unwhitened);
      whiten<Exec>(exec, unwhitened, neighbours, weights, count, columns);
    }
  }

  Exec exec;
  RowPlan plan;
  std::vector<SampleRange> windows;
  std::string stage;
  StageTimes& times;
  Progress* progress;
  bool direct;
  WindowReader<Exec> reader;
  std::optional<RowPreparer<Exec>> rows;  // unless direct
  Transposition<Exec> how;
  Matrix<std::int32_t, Exec> neighbours;  // [channels, k], of traces; empty if k is 1
  Matrix<float, Exec> weights;
  std::size_t n_loaded = 0;
};

template <class Exec>
TraceLoader<Exec>::TraceLoader(const Exec& exec, PreparedRecording recording,
                               std::vector<SampleRange> windows, const std::vector<std::int32_t>& order,
                               const std::string& stage, TransferLedger& ledger, StageTimes& times)
    : state_(std::make_unique<State>(exec, recording, std::move(windows), order, stage, ledger, times)) {}

template <class Exec>
TraceLoader<Exec>::~TraceLoader() = default;

template <class Exec>
void TraceLoader<Exec>::next(const Matrix<float, Exec>& traces) {
  if (state_->n_loaded == state_->windows.size())
    throw std::out_of_range("TraceLoader: there is no further window");
  const SampleRange window = state_->windows[state_->n_loaded++];
  if (traces.extent(1) < window.size())
    throw std::invalid_argument("TraceLoader: traces are shorter than the window");
  if (state_->progress != nullptr) state_->progress->advance(window.first);
  const StoredWindow<Exec> stored = state_->reader.next();
  ScopedStage<Exec> stage(state_->exec, state_->times, state_->stage + "::traces");
  stage.needs(state_->work(stored, window, traces.extent(0)));
  state_->load(stored, window, traces);
}

template <class Exec>
std::size_t TraceLoader<Exec>::device_bytes(const PreparedRecording& recording,
                                            const std::vector<SampleRange>& windows) {
  const TracePreparation& preparation = recording.preparation;
  const RowPlan plan(preparation, recording.stored.n_samples());
  const std::size_t stored = WindowReader<Exec>::device_bytes(recording.stored, plan.stored(windows));
  if (is_direct(preparation)) return stored;
  const std::vector<SampleRange> parts = parts_of<Exec>(plan, preparation.n_channels(), windows);
  return stored + 2 * sizeof(float) * preparation.weights.size() +
         sizeof(float) *
             RowPreparer<Exec>::floats(preparation, plan, parts, unwhitened_floats<Exec>(preparation, parts));
}

#define INSTANTIATE(Exec) template class TraceLoader<Exec>;
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
