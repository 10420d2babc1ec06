#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/weighted/dense_assignment.hpp>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

using namespace hankelmatch;

namespace {

constexpr double kForbidden = std::numeric_limits<double>::infinity();

/// The least total cost by trying all; infinity if there is none.
double least_total(const std::vector<double>& costs, std::size_t n, std::size_t m) {
  std::vector<std::size_t> cols(m);
  std::iota(cols.begin(), cols.end(), std::size_t{0});
  double least = kForbidden;
  do {
    double total = 0;
    for (std::size_t row = 0; row < n; ++row) total += costs[row * m + cols[row]];
    least = std::min(least, total);
  } while (std::next_permutation(cols.begin(), cols.end()));
  return least;
}

}  // namespace

TEST_CASE_TEMPLATE("dense assignments are those of brute force, with prices that prove them", Index,
                   std::int32_t, std::int64_t) {
  std::mt19937 rng(31);
  std::uniform_real_distribution<double> real(-3, 3);
  Interrupt interrupt;
  for (int trial = 0; trial < 600; ++trial) {
    const std::size_t n = rng() % 6;
    const std::size_t m = n + (trial % 2 == 0 ? 0 : rng() % (7 - n));
    std::vector<double> costs(n * m);
    for (double& cost : costs) {
      cost = trial % 3 == 0 ? std::round(real(rng)) : real(rng);
      if (trial % 5 == 0 && rng() % 3 == 0) cost = kForbidden;
    }
    DenseAssignment<Index> problem(costs, static_cast<Index>(n), static_cast<Index>(m), interrupt);
    const double least = least_total(costs, n, m);
    const bool solved = problem.solve();
    CHECK(solved == (least < kForbidden));
    if (!solved) continue;
    double total = 0;
    std::vector<int> taken(m, 0);
    for (std::size_t row = 0; row < n; ++row) {
      const auto r = static_cast<Index>(row);
      total += costs[row * m + at(problem.col_of(r))];
      ++taken[at(problem.col_of(r))];
      for (std::size_t col = 0; col < m; ++col)
        CHECK(costs[row * m + col] >=
              problem.potential_of(r) + problem.price_of(static_cast<Index>(col)) - 1e-12);
    }
    CHECK(total == doctest::Approx(least));
    for (std::size_t col = 0; col < m; ++col) {
      CHECK(taken[col] <= 1);
      if (n < m) CHECK(problem.price_of(static_cast<Index>(col)) <= (taken[col] == 0 ? 0.0 : 1e-12));
    }
  }
}
