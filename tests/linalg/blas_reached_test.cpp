// Whether large products, and no others, reach the BLAS library where one is linked.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "execution_spaces.hpp"
#include "kokkosort/linalg/products.hpp"
#include "system/kokkos_listener.hpp"

#if defined(KOKKOSORT_TESTS_WRAP_SGEMM)

namespace {
std::atomic<int> sgemm_calls{0};
}

// The linker sends our library's calls of sgemm_ here (--wrap).
extern "C" {
void __real_sgemm_(const char*, const char*, const int*, const int*, const int*, const float*, const float*,
                   const int*, const float*, const int*, const float*, float*, const int*);
void __wrap_sgemm_(const char* transpose_a, const char* transpose_b, const int* m, const int* n, const int* k,
                   const float* alpha, const float* a, const int* lda, const float* b, const int* ldb,
                   const float* beta, float* c, const int* ldc) {
  ++sgemm_calls;
  __real_sgemm_(transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
}

#endif

namespace kokkosort::test {
namespace {

/// What became of some products.
struct Calls {
  int of_blas = 0;  // by the library's symbol on the host, by KokkosBlas' region on a device
  long of_our_kernel = 0;
  long inside_kokkos_blas = 0;  // its own kernels (gemm[TN], gemv, the dot-based one with atomics)
};

long count(const std::vector<std::string>& names, const std::string& part) {
  return std::count_if(names.begin(), names.end(),
                       [&](const std::string& name) { return name.find(part) != std::string::npos; });
}

/// The region that KokkosBlas opens around the library's gemm on a device; empty where none is linked.
template <class Exec>
std::string device_blas_region() {
#if defined(KOKKOS_ENABLE_CUDA)
  return "KokkosBlas::gemm[TPL_CUBLAS,";
#elif defined(KOKKOSKERNELS_ENABLE_TPL_ROCBLAS)
  return "KokkosBlas::gemm[TPL_ROCBLAS,";
#else
  return "";
#endif
}

template <class Exec>
bool can_tell() {
#if defined(KOKKOSORT_TESTS_WRAP_SGEMM)
  if (runs_on_host<Exec>) return true;
#endif
  return !runs_on_host<Exec> && !device_blas_region<Exec>().empty();
}

template <class Exec>
Calls multiply(std::size_t k, std::size_t m, std::size_t n, int times) {
  const Matrix<float, Exec> a("kokkosort::test::a", k, m);
  const Matrix<float, Exec> b("kokkosort::test::b", k, n);
  std::vector<Matrix<float, Exec>> c;
  std::vector<Product<Exec>> products;
  for (int i = 0; i < times; ++i) {
    c.emplace_back("kokkosort::test::c", m, n);
    products.push_back({a, b, c.back()});
  }
  Calls calls;
#if defined(KOKKOSORT_TESTS_WRAP_SGEMM)
  sgemm_calls = 0;
#endif
  const KokkosListener listener;
  multiply_transposed(Exec(), products);
  Exec().fence();
  std::vector<std::string> kernels;
  for (const KokkosListener::Kernel& kernel : listener.kernels()) kernels.push_back(kernel.name);
  calls.of_our_kernel = count(kernels, "kokkosort::linalg::multiply_small");
  calls.inside_kokkos_blas = count(kernels, "KokkosBlas") + count(kernels, "Dot Product");
  if constexpr (runs_on_host<Exec>) {
#if defined(KOKKOSORT_TESTS_WRAP_SGEMM)
    calls.of_blas = sgemm_calls;
#endif
  } else {
    calls.of_blas = static_cast<int>(count(listener.regions(), device_blas_region<Exec>()));
  }
  return calls;
}

template <class Exec>
class BlasReachedTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_tell<Exec>())
      GTEST_SKIP() << "no BLAS for " << Exec::name() << ", or none whose calls can be seen";
  }
};
TYPED_TEST_SUITE(BlasReachedTest, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(BlasReachedTest, LargeProducts) {
  for (const auto& [m, n] : {std::pair{2u, 64u}, {64u, 2u}, {8u, 16u}, {50u, 256u}, {300u, 257u}}) {
    const Calls calls = multiply<TypeParam>(60, m, n, 5);
    EXPECT_EQ(calls.of_blas, 5) << m << " x " << n;
    EXPECT_EQ(calls.of_our_kernel, 0) << m << " x " << n;
    EXPECT_EQ(calls.inside_kokkos_blas, 0) << m << " x " << n;
  }
}

/// What KokkosBlas computes wrongly or with atomics never gets there.
TYPED_TEST(BlasReachedTest, SmallProductsStayHere) {
  for (const auto& [m, n] : {std::pair{1u, 1u}, {1u, 500u}, {500u, 1u}, {11u, 11u}, {2u, 63u}}) {
    const Calls calls = multiply<TypeParam>(60, m, n, 2);
    EXPECT_EQ(calls.of_blas, 0) << m << " x " << n;
    EXPECT_EQ(calls.of_our_kernel, 2) << m << " x " << n;
    EXPECT_EQ(calls.inside_kokkos_blas, 0) << m << " x " << n;
  }
}

}  // namespace
}  // namespace kokkosort::test
