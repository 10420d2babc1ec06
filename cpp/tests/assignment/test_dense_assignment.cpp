#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/assignment/dense_assignment.hpp>
#include <hankelmatch/assignment/starting_prices.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
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
  for (int trial = 0; trial < 1800; ++trial) {
    const std::size_t n = rng() % 6;
    const std::size_t m = n + (trial % 2 == 0 ? 0 : rng() % (7 - n));
    std::vector<double> costs(n * m);
    for (double& cost : costs) {
      cost = trial % 4 == 0 ? std::round(real(rng)) : real(rng);
      if (trial % 5 == 0 && rng() % 3 == 0) cost = kForbidden;
    }
    constexpr std::array<Restarts, 3> kRestarts{Restarts::kWhenSearchesAreLong, Restarts::kAtOnce,
                                                Restarts::kNever};
    DenseAssignment<Index> problem(costs, static_cast<Index>(n), static_cast<Index>(m), interrupt,
                                   kRestarts[static_cast<std::size_t>(trial) % 3]);
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

TEST_CASE("dense costs for which shortest paths grow long") {
  using Index = std::int32_t;
  constexpr std::size_t kN = 120;
  std::mt19937 rng(32);
  std::uniform_real_distribution<double> real(0, 1);
  Interrupt interrupt;
  std::vector<double> part(2 * kN);
  for (double& x : part) x = real(rng);
  const auto check = [&](const auto& cost) {
    std::vector<double> costs;
    for (std::size_t row = 0; row < kN; ++row) {
      for (std::size_t col = 0; col < kN; ++col) costs.push_back(cost(row, col));
    }
    double total = 0;
    for (const Restarts restarts : {Restarts::kNever, Restarts::kAtOnce, Restarts::kWhenSearchesAreLong}) {
      DenseAssignment<Index> problem(costs, kN, kN, interrupt, restarts);
      REQUIRE(problem.solve());
      double found = 0;
      double bound = 0;
      std::vector<int> taken(kN, 0);
      for (std::size_t row = 0; row < kN; ++row) {
        const auto r = static_cast<Index>(row);
        found += costs[row * kN + at(problem.col_of(r))];
        bound += problem.potential_of(r) + problem.price_of(r);
        ++taken[at(problem.col_of(r))];
        for (std::size_t col = 0; col < kN; ++col)
          CHECK(costs[row * kN + col] >=
                problem.potential_of(r) + problem.price_of(static_cast<Index>(col)) - 1e-9);
      }
      CHECK(*std::ranges::max_element(taken) == 1);
      CHECK(found == doctest::Approx(bound));
      total = restarts == Restarts::kNever ? found : total;
      CHECK(found == doctest::Approx(total));
    }
  };
  const auto number = [](std::size_t i) { return static_cast<double>(i); };
  check([&](std::size_t row, std::size_t col) { return number(row) * (kN - number(col)); });
  check([&](std::size_t row, std::size_t col) { return number(row) * number(col); });
  check([&](std::size_t row, std::size_t col) { return part[row] * part[kN + col]; });
  check([&](std::size_t row, std::size_t col) { return part[row] + part[kN + col]; });
  check([&](std::size_t row, std::size_t col) { return part[row] + part[kN + col] + 1e-3 * real(rng); });
  check([&](std::size_t, std::size_t) { return real(rng); });
  check([&](std::size_t, std::size_t) { return std::floor(1e6 * real(rng)); });
  check(
      [&](std::size_t row, std::size_t col) { return std::ldexp(1.0, static_cast<int>((row * col) % 30)); });
}
