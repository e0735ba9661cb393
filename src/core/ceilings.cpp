#include "core/ceilings.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/lanes.hpp"
#include "core/light.hpp"
#include "kokkosort/linalg/products.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Clock = std::chrono::steady_clock;

constexpr bool on_host = runs_on_host<Exec>;
constexpr int tries = 5;

/// The least seconds of several tries, after one to warm up.
template <class Body>
double best_seconds(const Exec& exec, const Body& body) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= tries; ++i) {
    exec.fence("kokkosort::ceilings::before");
    const Clock::time_point start = Clock::now();
    body();
    exec.fence("kokkosort::ceilings::after");
    if (i > 0) best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

Vector<float, Exec> filled(const Exec& exec, const char* label, std::size_t n) {
  const Vector<float, Exec> array(unfilled(exec, label), n);
  Kokkos::deep_copy(exec, array, 1.0f);
  return array;
}

/// Far more than any cache holds.
constexpr std::size_t array_floats = (std::size_t{128} << 20) / sizeof(float) * (on_host ? 1 : 4);

void copy(const Exec& exec, const Vector<float, Exec>& a, const Vector<float, Exec>& b) {
  Kokkos::parallel_for(
      "kokkosort::ceilings::copy", Kokkos::RangePolicy<Exec>(exec, 0, a.size()),
      KOKKOS_LAMBDA(const std::size_t i) { a(i) = b(i); });
}

void triad(const Exec& exec, const Vector<float, Exec>& a, const Vector<float, Exec>& b,
           const Vector<float, Exec>& c) {
  Kokkos::parallel_for(
      "kokkosort::ceilings::triad", Kokkos::RangePolicy<Exec>(exec, 0, a.size()),
      KOKKOS_LAMBDA(const std::size_t i) { a(i) = b(i) + 3.0f * c(i); });
}

void measure_bandwidth(const Exec& exec, Ceilings& ceilings) {
  const auto a = filled(exec, "kokkosort::ceilings::a", array_floats);
  const auto b = filled(exec, "kokkosort::ceilings::b", array_floats);
  const auto c = filled(exec, "kokkosort::ceilings::c", array_floats);
  constexpr double bytes = sizeof(float) * static_cast<double>(array_floats);
  ceilings.copy_bandwidth = 2.0 * bytes / best_seconds(exec, [&] { copy(exec, a, b); });
  ceilings.triad_bandwidth = 3.0 * bytes / best_seconds(exec, [&] { triad(exec, a, b, c); });
}

/// Chains of multiply-adds in registers, several at once so that none waits for its own last.
struct MultiplyAdd {
  static constexpr int lanes = on_host ? 16 : 1;
  static constexpr int chains = 6;
  static constexpr int steps = on_host ? 1 << 19 : 1 << 12;
  static constexpr double operations = 2.0 * lanes * chains * steps;

  Vector<float, Exec> results;

  KOKKOS_INLINE_FUNCTION void operator()(const std::size_t i) const {
    float sums[chains][lanes];
    for (int chain = 0; chain < chains; ++chain)
      for_lanes<lanes>([&](const int k) {
        sums[chain][k] = static_cast<float>(i % 7) + 0.1f * static_cast<float>(chain * lanes + k);
      });
    const float factor =
        0.5f + 1e-3f * static_cast<float>(i % 3);  // no constant: the compiler could foresee the sums
    for (int step = 0; step < steps; ++step)
      for (int chain = 0; chain < chains; ++chain)
        for_lanes<lanes>([&](const int k) { sums[chain][k] = sums[chain][k] * factor + 1.0f; });
    float total = 0.0f;
    for (int chain = 0; chain < chains; ++chain)
      for (int k = 0; k < lanes; ++k) total += sums[chain][k];
    results(i) = total;
  }
};

void measure_chains(const Exec& exec, Ceilings& ceilings) {
  const std::size_t n = 8 * static_cast<std::size_t>(exec.concurrency());
  const MultiplyAdd kernel{filled(exec, "kokkosort::ceilings::sums", n)};
  const double seconds = best_seconds(exec, [&] {
    Kokkos::parallel_for("kokkosort::ceilings::multiply_add", Kokkos::RangePolicy<Exec>(exec, 0, n), kernel);
  });
  ceilings.chain_rate = static_cast<double>(n) * MultiplyAdd::operations / seconds;
}

/// As the stages multiply: one product on a device, one a thread on the host.
void measure_products(const Exec& exec, Ceilings& ceilings) {
  constexpr std::size_t size = on_host ? 512 : 4096;
  const auto n_products = static_cast<std::size_t>(on_host ? exec.concurrency() : 1);
  constexpr std::size_t cells = size * size;
  const auto a = filled(exec, "kokkosort::ceilings::factors", n_products * cells);
  const auto b = filled(exec, "kokkosort::ceilings::others", n_products * cells);
  const auto c = filled(exec, "kokkosort::ceilings::products", n_products * cells);
  std::vector<Product<Exec>> products;
  for (std::size_t i = 0; i < n_products; ++i)
    products.push_back({MatrixRef<const float, Exec>(a.data() + i * cells, size, size),
                        MatrixRef<const float, Exec>(b.data() + i * cells, size, size),
                        MatrixRef<float, Exec>(c.data() + i * cells, size, size)});
  const double seconds = best_seconds(exec, [&] { multiply_transposed(exec, products); });
  ceilings.product_rate = 2.0 * static_cast<double>(n_products * cells * size) / seconds;
}

void launch_nothing(const Exec& exec) {
  Kokkos::parallel_for("kokkosort::ceilings::nothing", light(Kokkos::RangePolicy<Exec>(exec, 0, 1)),
                       KOKKOS_LAMBDA(const int){});
}

void measure_launches(const Exec& exec, Ceilings& ceilings) {
  constexpr int few = 100;
  constexpr int many = 2000;
  ceilings.launch_seconds = best_seconds(exec,
                                         [&] {
                                           for (int i = 0; i < few; ++i) {
                                             launch_nothing(exec);
                                             exec.fence("kokkosort::ceilings::launch");
                                           }
                                         }) /
                            few;
  ceilings.queued_launch_seconds = best_seconds(exec,
                                                [&] {
                                                  for (int i = 0; i < many; ++i) launch_nothing(exec);
                                                }) /
                                   many;
}

void measure_links(const Exec& exec, Ceilings& ceilings) {
  if (on_host) return;
  constexpr std::size_t n = (std::size_t{64} << 20) / sizeof(float);
  const auto on_device = filled(exec, "kokkosort::ceilings::on_device", n);
  const StagingVector<float, Exec> staged("kokkosort::ceilings::staged", n);
  constexpr double bytes = sizeof(float) * static_cast<double>(n);
  ceilings.link_up = bytes / best_seconds(exec, [&] { Kokkos::deep_copy(exec, on_device, staged); });
  ceilings.link_down = bytes / best_seconds(exec, [&] { Kokkos::deep_copy(exec, staged, on_device); });
}

/// No tool sees, and so none delays, what happens meanwhile.
struct WithoutTools {
  WithoutTools() { Kokkos::Tools::Experimental::pause_tools(); }
  ~WithoutTools() { Kokkos::Tools::Experimental::resume_tools(); }
  WithoutTools(const WithoutTools&) = delete;
  WithoutTools& operator=(const WithoutTools&) = delete;
};

double seconds_of(double amount, double rate) { return amount > 0.0 && rate > 0.0 ? amount / rate : 0.0; }

}  // namespace

double Ceilings::bandwidth() const { return std::max(copy_bandwidth, triad_bandwidth); }
double Ceilings::operation_rate() const { return std::max(chain_rate, product_rate); }

Ceilings measure_ceilings() {
  const WithoutTools unseen;
  const Exec exec;
  Ceilings ceilings;
  measure_bandwidth(exec, ceilings);
  measure_chains(exec, ceilings);
  measure_products(exec, ceilings);
  measure_launches(exec, ceilings);
  measure_links(exec, ceilings);
  return ceilings;
}

double floor_seconds(const Ceilings& ceilings, const StageWork& work, double bytes_up, double bytes_down) {
  return std::max(seconds_of(work.bytes, ceilings.bandwidth()),
                  seconds_of(work.operations, ceilings.operation_rate())) +
         seconds_of(bytes_up, ceilings.link_up) + seconds_of(bytes_down, ceilings.link_down);
}

}  // namespace kokkosort
