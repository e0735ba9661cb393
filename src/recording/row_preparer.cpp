#include "recording/row_preparer.hpp"

#include <algorithm>

#include "core/instantiate.hpp"
#include "core/transfers.hpp"
#include "recording/reference.hpp"
#include "recording/transpose.hpp"

namespace kokkosort {
namespace {

/// Channels that have a part in a whitened trace.
std::vector<std::int32_t> live_channels(const TracePreparation& preparation) {
  std::vector<std::int32_t> live;
  for (std::size_t c = 0; c < preparation.n_channels(); ++c) {
    const float* const weights = &preparation.weights(c, 0);
    if (std::any_of(weights, weights + preparation.weights.extent(1), [](float w) { return w != 0.0f; }))
      live.push_back(static_cast<std::int32_t>(c));
  }
  return live;
}

struct Sizes {
  std::size_t scratch = 0;  // floats
  std::size_t rows = 0;
};

Sizes sizes_of(const TracePreparation& preparation, const RowPlan& plan,
               const std::vector<SampleRange>& windows, std::size_t scratch_floats) {
  Sizes sizes{scratch_floats, 0};
  for (const SampleRange& window : windows) {
    const SampleRange rows = plan.rows(window);
    sizes.rows = std::max(sizes.rows, rows.size() * preparation.n_channels());
    if (plan.is_filtered)
      sizes.scratch = std::max(
          sizes.scratch, forward_rows(plan.filter, rows, plan.n_samples).size() * preparation.n_channels());
  }
  return sizes;
}

}  // namespace

RowPlan::RowPlan(const TracePreparation& preparation, std::int64_t samples)
    : is_filtered(preparation.highpass_hz > 0.0), n_samples(samples) {
  if (is_filtered) filter = design_high_pass(preparation.sampling_rate_hz, preparation.highpass_hz);
}

SampleRange RowPlan::rows(SampleRange window) const {
  const SampleRange inside = within_recording(window, n_samples);
  return is_filtered ? blocks_around(filter, inside, n_samples) : inside;
}

SampleRange RowPlan::stored(SampleRange window) const {
  const SampleRange range = rows(window);
  return range.size() == 0 ? range : widened(range, filter.warm_up, n_samples);
}

std::vector<SampleRange> RowPlan::stored(const std::vector<SampleRange>& windows) const {
  std::vector<SampleRange> ranges;
  for (const SampleRange& window : windows) ranges.push_back(stored(window));
  return ranges;
}

template <class Exec>
RowPreparer<Exec>::RowPreparer(const Exec& exec, const TracePreparation& preparation, const RowPlan& plan,
                               const std::vector<SampleRange>& windows, std::size_t scratch_floats,
                               const std::string& stage, TransferLedger& ledger)
    : plan_(plan), offset_(preparation.offset) {
  const Sizes sizes = sizes_of(preparation, plan, windows, scratch_floats);
  column_ = upload_vector(exec, ledger, stage, "columns", preparation.column);
  if (preparation.common_reference)
    referenced_ = upload_vector(exec, ledger, stage, "referenced", live_channels(preparation));
  scratch_ = Vector<float, Exec>(unfilled(exec, "kokkosort::recording::scratch"), sizes.scratch);
  rows_ = Vector<float, Exec>(unfilled(exec, "kokkosort::recording::rows"), sizes.rows);
}

template <class Exec>
SampleRows<Exec> RowPreparer<Exec>::prepare(const Exec& exec, const StoredWindow<Exec>& stored,
                                            SampleRange window) const {
  const SampleRows<Exec> rows =
      plan_.is_filtered ? high_pass(exec, plan_.filter, stored, column_, plan_.rows(window), plan_.n_samples,
                                    scratch_, rows_)
                        : convert(exec, part_of(stored, plan_.rows(window)), column_, offset_, rows_);
  subtract_median(exec, rows, referenced_);
  return rows;
}

template <class Exec>
std::size_t RowPreparer<Exec>::floats(const TracePreparation& preparation, const RowPlan& plan,
                                      const std::vector<SampleRange>& windows, std::size_t scratch_floats) {
  const Sizes sizes = sizes_of(preparation, plan, windows, scratch_floats);
  return sizes.scratch + sizes.rows;
}

#define INSTANTIATE(Exec) template class RowPreparer<Exec>;
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
