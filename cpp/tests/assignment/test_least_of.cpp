#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <hankelmatch/assignment/least_of.hpp>
#include <limits>
#include <random>
#include <span>
#include <type_traits>
#include <utility>

using namespace hankelmatch;

TEST_CASE_TEMPLATE("the least of a number of values, wherever it is", Size,
                   std::integral_constant<std::size_t, 4>, std::integral_constant<std::size_t, 64>) {
  std::mt19937 rng(3);
  std::uniform_real_distribution<double> real(-1, 1);
  std::array<double, Size::value> values{};
  for (double& value : values) value = real(rng);
  for (double& place : values) {
    std::swap(*std::ranges::min_element(values), place);
    CHECK(least_of(std::span<const double, Size::value>(values)) == place);
  }
  values.fill(std::numeric_limits<double>::infinity());
  CHECK(least_of(std::span<const double, Size::value>(values)) == values[0]);
}
