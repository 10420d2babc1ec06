#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/dense_products.hpp>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

using namespace hankelmatch;

namespace {

template <class Real>
std::vector<Real> random_values(std::size_t n, std::mt19937& random) {
  std::uniform_real_distribution<Real> uniform(-1, 1);
  std::vector<Real> values(n);
  for (Real& x : values) x = uniform(random);
  return values;
}

/// The numbers n - 1, ..., 0: rows in another order.
std::vector<std::int32_t> backwards(std::size_t n) {
  std::vector<std::int32_t> out(n);
  std::iota(out.rbegin(), out.rend(), 0);
  return out;
}

doctest::Approx near(double expected) { return doctest::Approx(expected).epsilon(1e-5).scale(1.0); }

}  // namespace

TEST_CASE_TEMPLATE("products of rows and a matrix, and of its transpose", Real, float, double) {
  std::mt19937 random(1);
  for (const std::size_t n : {1U, 7U, 8U, 17U, 21U, 33U, 40U, 50U}) {
    const auto matrix = random_values<double>(n * n, random);
    const std::size_t width = padded(n);
    for (std::size_t n_rows = 0; n_rows < 10; ++n_rows) {
      const auto in = random_values<Real>(n_rows * n, random);
      const auto order = backwards(n_rows);
      for (const bool transposed : {false, true}) {
        const PackedMatrix<Real> packed(matrix, n, n, transposed);
        std::vector<Real> added(n_rows * width, Real{1});
        std::vector<Real> set(n_rows * width, Real{1});
        add_products<Real>({in.data(), n, order.data()}, {added.data(), width}, n_rows, packed);
        set_products<Real>({in.data(), n}, {set.data(), width, order.data()}, n_rows, packed);
        for (std::size_t r = 0; r < n_rows; ++r) {
          for (std::size_t j = 0; j < width; ++j) {
            double expected = 0;
            for (std::size_t k = 0; k < n && j < n; ++k)
              expected +=
                  static_cast<double>(in[r * n + k]) * (transposed ? matrix[j * n + k] : matrix[k * n + j]);
            const std::size_t out = (n_rows - 1 - r) * width + j;
            CHECK(static_cast<double>(added[out]) == near(1 + expected));
            CHECK(static_cast<double>(set[out]) == near(expected));
          }
        }
      }
    }
  }
}

TEST_CASE_TEMPLATE("sums of outer products", Real, float, double) {
  std::mt19937 random(2);
  for (const std::size_t width : {8U, 24U, 32U, 40U}) {
    for (std::size_t n = 0; n < 4; ++n) {
      const auto left = random_values<Real>(n * width, random);
      const auto right = random_values<Real>(n * width, random);
      const auto order = backwards(n);
      std::vector<double> out(width * width, 0.5);
      add_outer_products<Real>({left.data(), width}, {right.data(), width, order.data()}, n, width,
                               out.data());
      for (std::size_t i = 0; i < width; ++i) {
        for (std::size_t j = 0; j < width; ++j) {
          double expected = 0.5;
          for (std::size_t v = 0; v < n; ++v)
            expected += static_cast<double>(left[v * width + i] * right[(n - 1 - v) * width + j]);
          CHECK(out[i * width + j] == near(expected));
        }
      }
    }
  }
}

TEST_CASE_TEMPLATE("rows divided by their sums, rows scaled, inner products", Real, float, double) {
  std::mt19937 random(3);
  constexpr std::size_t kWidth = 16;
  auto rows = random_values<Real>(3 * kWidth, random);
  for (Real& x : rows) x = std::abs(x) + Real(0.01);
  rows[5] = Real(1e-9);
  std::fill_n(rows.begin() + 2 * kWidth, kWidth, Real{0});
  const auto before = rows;
  std::vector<double> sums(3);
  normalize_rows<Real>({rows.data(), kWidth}, 3, kWidth, Real(1e-6), sums.data());
  CHECK(rows[5] == 0);  // too small a share
  CHECK(sums[2] == 0);
  CHECK(rows[2 * kWidth] == 0);
  for (std::size_t r = 0; r < 2; ++r) {
    const double sum = std::accumulate(before.begin() + static_cast<std::ptrdiff_t>(r * kWidth),
                                       before.begin() + static_cast<std::ptrdiff_t>((r + 1) * kWidth), 0.0);
    CHECK(sums[r] == near(sum));
    CHECK(static_cast<double>(rows[r * kWidth + 1]) ==
          near(static_cast<double>(before[r * kWidth + 1]) / sum));
  }
  auto scaled = before;
  scaled[5] = std::numeric_limits<Real>::infinity();
  const std::vector<double> factors{2.0, 3.0, 4.0};
  scale_rows<Real>({scaled.data(), kWidth}, {rows.data(), kWidth}, 3, kWidth, factors.data());
  CHECK(scaled[5] == 0);
  CHECK(scaled[kWidth + 1] == 3 * before[kWidth + 1]);
  double expected = 0;
  for (std::size_t i = 0; i < kWidth; ++i) expected += static_cast<double>(before[i] * rows[i + kWidth]);
  CHECK(inner_product(before.data(), rows.data() + kWidth, kWidth) == near(expected));
}
