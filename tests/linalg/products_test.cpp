#include "kokkosort/linalg/products.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include "execution_spaces.hpp"
#include "host_copies.hpp"

namespace kokkosort::test {
namespace {

/// A random product whose rows are padded: matrices stand in the middle of wider ones.
template <class Exec>
struct PaddedProduct {
  std::size_t k, m, n, pad;
  Matrix<float, Exec> a, b, c;
  std::vector<float> a_host, b_host;

  PaddedProduct(std::mt19937_64& random, std::size_t rows, std::size_t columns_a, std::size_t columns_b,
                std::size_t padding)
      : k(rows), m(columns_a), n(columns_b), pad(padding) {
    std::normal_distribution<float> normal;
    a_host.resize(k * (m + pad));
    b_host.resize(k * (n + pad));
    for (auto* values : {&a_host, &b_host})
      for (float& value : *values) value = normal(random);
    a = to_device<Exec>(a_host, k, m + pad);
    b = to_device<Exec>(b_host, k, n + pad);
    // What stood in c before must not matter.
    c = to_device<Exec>(std::vector<float>(m * (n + pad), std::numeric_limits<float>::quiet_NaN()), m,
                        n + pad);
  }

  Product<Exec> view() const {
    const auto part = [this](const auto& matrix, std::size_t columns) {
      return Kokkos::subview(matrix, Kokkos::ALL, std::make_pair(pad / 2, pad / 2 + columns));
    };
    return {part(a, m), part(b, n), part(c, n)};
  }

  /// The usual error bound of a scalar product in f32, and no write beside the result.
  void expect_right() const {
    const std::vector<float> found = to_host(c);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n + pad; ++j) {
        const float value = found[i * (n + pad) + j];
        if (j < pad / 2 || j >= pad / 2 + n) {
          ASSERT_TRUE(std::isnan(value)) << "padding of row " << i << " was written";
          continue;
        }
        double sum = 0.0;
        double magnitude = 0.0;
        for (std::size_t r = 0; r < k; ++r) {
          const double term = double{a_host[r * (m + pad) + pad / 2 + i]} * double{b_host[r * (n + pad) + j]};
          sum += term;
          magnitude += std::abs(term);
        }
        ASSERT_NEAR(value, sum, magnitude * static_cast<double>(k + 1) * 0x1.0p-24)
            << "element " << i << ", " << j - pad / 2;
      }
  }
};

template <class Exec>
class ProductsTest : public testing::Test {};
TYPED_TEST_SUITE(ProductsTest, ExecutionSpaces, ExecutionSpaceName);

struct Shape {
  std::size_t k, m, n;
};

std::string describe(const Shape& shape, std::size_t pad) {
  return std::to_string(shape.k) + " x " + std::to_string(shape.m) + " x " + std::to_string(shape.n) +
         ", padding " + std::to_string(pad);
}

const Shape shapes[] = {{1, 1, 1},     {6, 1, 1},      {102, 1, 300}, {102, 300, 1}, {102, 1, 127},
                        {102, 1, 128}, {102, 128, 1},  {5, 11, 11},   {5, 8, 16},    {5, 2, 63},
                        {5, 2, 64},    {64, 64, 2},    {1, 20, 30},   {1, 1, 200},   {60, 50, 256},
                        {60, 50, 257}, {60, 257, 255}, {5000, 3, 2},  {5000, 16, 9}, {2, 700, 513}};

TYPED_TEST(ProductsTest, EveryShapeEqualsTheDefinition) {
  std::mt19937_64 random(21);
  for (const Shape& shape : shapes)
    for (const std::size_t pad : {std::size_t{0}, std::size_t{6}}) {
      SCOPED_TRACE(describe(shape, pad));
      const PaddedProduct<TypeParam> product(random, shape.k, shape.m, shape.n, pad);
      multiply_transposed(TypeParam(), std::vector<Product<TypeParam>>{product.view()});
      TypeParam().fence();
      product.expect_right();
    }
}

TYPED_TEST(ProductsTest, ManyAtOnce) {
  std::mt19937_64 random(22);
  std::vector<PaddedProduct<TypeParam>> products;
  std::vector<Product<TypeParam>> views;
  for (int repeat = 0; repeat < 3; ++repeat)
    for (const Shape& shape : shapes) {
      products.emplace_back(random, shape.k, shape.m, shape.n, 2);
      views.push_back(products.back().view());
    }
  multiply_transposed(TypeParam(), views);
  TypeParam().fence();
  for (const auto& product : products) {
    SCOPED_TRACE(describe({product.k, product.m, product.n}, product.pad));
    product.expect_right();
  }
}

TYPED_TEST(ProductsTest, NoRowsIsZero) {
  std::mt19937_64 random(23);
  const PaddedProduct<TypeParam> product(random, 0, 20, 20, 0);
  multiply_transposed(TypeParam(), std::vector<Product<TypeParam>>{product.view()});
  TypeParam().fence();
  for (const float value : to_host(product.c)) EXPECT_EQ(value, 0.0f);
}

TYPED_TEST(ProductsTest, NothingToDo) {
  EXPECT_NO_THROW(multiply_transposed(TypeParam(), std::vector<Product<TypeParam>>()));
}

TYPED_TEST(ProductsTest, DimensionsThatDisagreeThrow) {
  std::mt19937_64 random(24);
  const PaddedProduct<TypeParam> fits(random, 5, 20, 30, 0);
  const PaddedProduct<TypeParam> rows(random, 6, 20, 30, 0);
  const PaddedProduct<TypeParam> wide(random, 5, 21, 31, 0);
  const auto throws = [](const Product<TypeParam>& product) {
    EXPECT_THROW(multiply_transposed(TypeParam(), std::vector<Product<TypeParam>>{product}),
                 std::invalid_argument);
  };
  throws({fits.a, rows.b, fits.c});
  throws({wide.a, fits.b, fits.c});
  throws({fits.a, wide.b, fits.c});
}

}  // namespace
}  // namespace kokkosort::test
