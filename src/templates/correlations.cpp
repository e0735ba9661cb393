#include "kokkosort/templates/correlations.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/host_loop.hpp"
#include "core/instantiate.hpp"
#include "core/transfers.hpp"
#include "kokkosort/errors.hpp"
#include "kokkosort/linalg/products.hpp"
#include "kokkosort/templates/pc_products.hpp"
#include "templates/footprint_span.hpp"

namespace kokkosort {
namespace {

/// Consecutive templates whose products with all that they meet are formed at once.
struct RowBlock {
  std::size_t first;
  std::size_t last;
  std::size_t first_column;  // templates that one of the block meets lie in [first_column, last_column)
  std::size_t last_column;
  std::size_t first_pair;
  std::size_t last_pair;
  PlaceRange channels;  // that the block's footprints span

  std::size_t rows() const { return last - first; }
  std::size_t columns() const { return last_column - first_column; }
};

/// How many templates each one meets, itself among them, and which range these lie in.
struct MeetingCounts {
  std::vector<std::uint32_t> count;
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> last;  // one past the last

  std::size_t n_pairs() const { return std::accumulate(count.begin(), count.end(), std::size_t{0}); }
};

/// Counts before any pair is listed: all pairs of very many templates may be too many for the host, too.
MeetingCounts count_pairs(const TemplateLayout& templates) {
  const std::size_t n = templates.n_templates;
  MeetingCounts counts{std::vector<std::uint32_t>(n), std::vector<std::uint32_t>(n),
                       std::vector<std::uint32_t>(n)};
  host_loop("templates::count_pairs", n, [&](const std::size_t i) {
    counts.first[i] = static_cast<std::uint32_t>(n);
    for (std::size_t j = 0; j < n; ++j) {
      if (!templates.meet(i, j)) continue;
      ++counts.count[i];
      counts.first[i] = std::min(counts.first[i], static_cast<std::uint32_t>(j));
      counts.last[i] = static_cast<std::uint32_t>(j + 1);
    }
  });
  return counts;
}

/// The pairs that share a channel, by rows.
struct PairList {
  std::vector<std::uint32_t> first{0};
  std::vector<std::int32_t> row;
  std::vector<std::int32_t> other;
};

PairList list_pairs(const TemplateLayout& templates, const MeetingCounts& counts) {
  PairList pairs;
  for (const std::uint32_t count : counts.count) pairs.first.push_back(pairs.first.back() + count);
  pairs.row.resize(pairs.first.back());
  pairs.other.resize(pairs.first.back());
  host_loop("templates::pairs_that_meet", templates.n_templates, [&](const std::size_t i) {
    std::size_t pair = pairs.first[i];
    for (std::size_t j = counts.first[i]; j < counts.last[i]; ++j) {
      if (!templates.meet(i, j)) continue;
      pairs.row[pair] = static_cast<std::int32_t>(i);
      pairs.other[pair++] = static_cast<std::int32_t>(j);
    }
  });
  return pairs;
}

std::vector<RowBlock> make_blocks(const TemplateLayout& templates, const MeetingCounts& counts,
                                  std::size_t block_templates) {
  std::vector<RowBlock> blocks;
  std::size_t n_pairs = 0;
  for (std::size_t first = 0; first < templates.n_templates; first += block_templates) {
    const std::size_t last = std::min(first + block_templates, templates.n_templates);
    RowBlock block{first, last, first, first + 1, n_pairs, 0, span_of(templates.footprints, first, last)};
    for (std::size_t i = first; i < last; ++i) {
      n_pairs += counts.count[i];
      block.first_column = std::min<std::size_t>(block.first_column, counts.first[i]);
      block.last_column = std::max<std::size_t>(block.last_column, counts.last[i]);
    }
    block.last_pair = n_pairs;
    blocks.push_back(block);
  }
  return blocks;
}

/// Arrays that hold one block at a time.
template <class Exec>
struct CorrelationScratch {
  Vector<float, Exec> rows;      // [channels, rows · pcs] of the block's templates
  Vector<float, Exec> columns;   // [channels, columns · pcs] of those they meet
  Vector<float, Exec> products;  // [rows · pcs, columns · pcs]
  Vector<float, Exec> pairs;     // [pcs², pairs]
};

/// Elements that the largest block needs.
struct ScratchSizes {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t products = 0;
  std::size_t pairs = 0;

  std::size_t bytes() const { return sizeof(float) * (rows + columns + products + pairs); }
};

ScratchSizes scratch_sizes(const std::vector<RowBlock>& blocks, std::size_t n_pcs) {
  ScratchSizes sizes;
  for (const RowBlock& block : blocks) {
    sizes.rows = std::max(sizes.rows, block.channels.size() * block.rows() * n_pcs);
    sizes.columns = std::max(sizes.columns, block.channels.size() * block.columns() * n_pcs);
    sizes.products = std::max(sizes.products, block.rows() * n_pcs * block.columns() * n_pcs);
    sizes.pairs = std::max(sizes.pairs, n_pcs * n_pcs * (block.last_pair - block.first_pair));
  }
  return sizes;
}

void check_memory(std::size_t needed, std::size_t n_pairs, std::size_t limit) {
  if (needed <= limit) return;
  throw DeviceLimitError("memory.device_limit_mb = " + std::to_string(limit >> 20) +
                         " is too small: the correlations of " + std::to_string(n_pairs) +
                         " pairs of templates need " + std::to_string((needed >> 20) + 1));
}

/// Templates [first, last) on the block's channels, as [channels, templates · pcs].
template <class Exec>
MatrixRef<const float, Exec> gather(const Exec& exec, const PlacedTemplates<Exec>& templates,
                                    PlaceRange channels, std::size_t first, std::size_t last,
                                    const Vector<float, Exec>& scratch) {
  const std::size_t n_pcs = templates.n_pcs;
  const MatrixRef<float, Exec> gathered(scratch.data(), channels.size(), (last - first) * n_pcs);
  const auto weights = templates.weights;
  const std::size_t first_channel = channels.first;
  Kokkos::parallel_for(
      "kokkosort::templates::gather_block",
      Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>(exec, {0, 0}, {gathered.extent(0), gathered.extent(1)}),
      KOKKOS_LAMBDA(const std::size_t channel, const std::size_t column) {
        gathered(channel, column) =
            weights((first_channel + channel) * n_pcs + column % n_pcs, first + column / n_pcs);
      });
  return gathered;
}

/// Products of two templates' components, where the block's pairs are: [pcs², pairs].
template <class Exec>
MatrixRef<const float, Exec> pick_pairs(const Exec& exec, const RowBlock& block, std::size_t n_pcs,
                                        const MatrixRef<float, Exec>& products,
                                        const Vector<std::int32_t, Exec>& row,
                                        const Vector<std::int32_t, Exec>& other,
                                        const Vector<float, Exec>& scratch) {
  const MatrixRef<float, Exec> picked(scratch.data(), n_pcs * n_pcs, block.last_pair - block.first_pair);
  const std::size_t first_pair = block.first_pair;
  const std::size_t first_row = block.first;
  const std::size_t first_column = block.first_column;
  Kokkos::parallel_for(
      "kokkosort::templates::pick_pairs",
      Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>(exec, {0, 0}, {picked.extent(0), picked.extent(1)}),
      KOKKOS_LAMBDA(const std::size_t pq, const std::size_t k) {
        const std::size_t i = static_cast<std::size_t>(row(first_pair + k)) - first_row;
        const std::size_t j = static_cast<std::size_t>(other(first_pair + k)) - first_column;
        picked(pq, k) = products(i * n_pcs + pq / n_pcs, j * n_pcs + pq % n_pcs);
      });
  return picked;
}

/// One product, in tiles of rows that many threads can share; their sizes do not depend on the threads.
template <class Exec>
void multiply_tiled(const Exec& exec, const MatrixRef<const float, Exec>& a,
                    const MatrixRef<const float, Exec>& b, const MatrixRef<float, Exec>& c) {
  const std::size_t tile = runs_on_host<Exec> ? 192 : c.extent(0);
  std::vector<Product<Exec>> products;
  for (std::size_t first = 0; first < c.extent(0); first += tile) {
    const auto rows = std::make_pair(first, std::min(first + tile, c.extent(0)));
    products.push_back({Kokkos::subview(a, Kokkos::ALL, rows), b, Kokkos::subview(c, rows, Kokkos::ALL)});
  }
  multiply_transposed(exec, products);
}

/// Bytes of the correlations and of the largest block's scratch.
std::size_t bytes_of(std::size_t n_pairs, std::size_t n_lags, const ScratchSizes& scratch) {
  return scratch.bytes() + n_pairs * (sizeof(float) * n_lags + 2 * sizeof(std::int32_t));
}

}  // namespace

std::size_t correlation_bytes(const TemplateLayout& templates, int nt, const CorrelationOptions& options) {
  const MeetingCounts counts = count_pairs(templates);
  const auto blocks = make_blocks(templates, counts, static_cast<std::size_t>(options.block_templates));
  return bytes_of(counts.n_pairs(), 2 * static_cast<std::size_t>(nt) - 1,
                  scratch_sizes(blocks, templates.n_pcs));
}

template <class Exec>
TemplateCorrelations<Exec> correlate_templates(const Exec& exec, const PlacedTemplates<Exec>& templates,
                                               const HostMatrix<float>& wPCA,
                                               const CorrelationOptions& options, TransferLedger& ledger) {
  if (options.block_templates < 1)
    throw std::invalid_argument("correlate_templates: block_templates is below 1");
  const std::size_t n_pcs = templates.n_pcs;
  const MeetingCounts counts = count_pairs(templates);
  const HostMatrix<float> lags = pc_products(wPCA);
  const std::vector<RowBlock> blocks =
      make_blocks(templates, counts, static_cast<std::size_t>(options.block_templates));
  const ScratchSizes sizes = scratch_sizes(blocks, n_pcs);
  const std::size_t n_pairs = counts.n_pairs();
  check_memory(bytes_of(n_pairs, lags.extent(1), sizes), n_pairs, options.limit_bytes);
  const PairList pairs = list_pairs(templates, counts);

  TemplateCorrelations<Exec> correlations;
  correlations.nt = static_cast<int>(wPCA.extent(1));
  correlations.first = upload_vector(exec, ledger, "templates", "first_pair", pairs.first);
  correlations.other = upload_vector(exec, ledger, "templates", "second_of_pair", pairs.other);
  correlations.values =
      Matrix<float, Exec>(unfilled(exec, "kokkosort::templates::correlations"), n_pairs, lags.extent(1));
  const Vector<std::int32_t, Exec> row = upload_vector(exec, ledger, "templates", "first_of_pair", pairs.row);
  const Matrix<float, Exec> lags_on_device = upload_matrix(exec, ledger, "templates", "pc_products", lags);

  const auto make = [&exec](const char* what, std::size_t n) {
    return Vector<float, Exec>(unfilled(exec, std::string("kokkosort::templates::") + what), n);
  };
  const CorrelationScratch<Exec> scratch{make("block_rows", sizes.rows), make("block_columns", sizes.columns),
                                         make("block_products", sizes.products),
                                         make("block_pairs", sizes.pairs)};
  for (const RowBlock& block : blocks) {
    const auto a = gather(exec, templates, block.channels, block.first, block.last, scratch.rows);
    const auto b =
        gather(exec, templates, block.channels, block.first_column, block.last_column, scratch.columns);
    const MatrixRef<float, Exec> products(scratch.products.data(), a.extent(1), b.extent(1));
    multiply_tiled<Exec>(exec, a, b, products);
    const auto picked = pick_pairs(exec, block, n_pcs, products, row, correlations.other, scratch.pairs);
    const MatrixRef<float, Exec> values =
        Kokkos::subview(correlations.values, std::make_pair(block.first_pair, block.last_pair), Kokkos::ALL);
    multiply_tiled<Exec>(exec, picked, lags_on_device, values);
  }
  exec.fence("kokkosort::templates::correlations");  // the scratch goes
  return correlations;
}

#define INSTANTIATE(Exec)                                                                            \
  template TemplateCorrelations<Exec> correlate_templates(const Exec&, const PlacedTemplates<Exec>&, \
                                                          const HostMatrix<float>&,                  \
                                                          const CorrelationOptions&, TransferLedger&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
