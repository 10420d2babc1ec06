#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/graph/validate_csr.hpp>
#include <limits>
#include <stdexcept>
#include <vector>

using namespace hankelmatch;

TEST_CASE_TEMPLATE("correct arrays of a CSR graph pass, and errors name the wrong array", Index, std::int32_t,
                   std::int64_t) {
  using Ids = std::vector<Index>;
  const auto check = [](Index n_rows, Index n_cols, const Ids& indptr, const Ids& indices) {
    validate_csr(CsrGraph<Index>{n_rows, n_cols, indptr, indices});
  };
  const Index largest = std::numeric_limits<Index>::max();
  const Index smallest = std::numeric_limits<Index>::min();
  CHECK_NOTHROW(check(0, 0, {0}, {}));
  CHECK_NOTHROW(check(0, 3, {0}, {}));
  CHECK_NOTHROW(check(2, 0, {0, 0, 0}, {}));
  CHECK_NOTHROW(check(2, 3, {0, 1, 3}, {2, 0, 0}));
  CHECK_NOTHROW(check(1, 3, {0, 1}, {2, 99}));  // entries that no row uses are not looked at
  CHECK_NOTHROW(check(1, largest, {0, 1}, {largest - 1}));

  CHECK_THROWS_WITH_AS(check(-1, 3, {0}, {}), doctest::Contains("shape"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(check(0, 3, {}, {}), doctest::Contains("length"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(check(2, 3, {0, 1}, {0}), doctest::Contains("length"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(check(1, 3, {1, 1}, {0}), doctest::Contains("start with 0"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(check(2, 3, {0, 1, 0}, {0}), doctest::Contains("never decrease"),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(check(1, 3, {0, 2}, {0}), doctest::Contains("beyond"), std::invalid_argument);
  for (const Index bad : {Index{3}, Index{-1}, largest, smallest}) {
    CHECK_THROWS_WITH_AS(check(1, 3, {0, 3}, {0, bad, 1}), doctest::Contains("indices"),
                         std::invalid_argument);
  }
  CHECK_THROWS_WITH_AS(check(1, 0, {0, 1}, {0}), doctest::Contains("indices"), std::invalid_argument);
}

TEST_CASE_TEMPLATE("one wrong index is found at any place among millions", Index, std::int32_t,
                   std::int64_t) {
  const std::size_t size = (std::size_t{1} << 21) + 77;
  const std::vector<Index> indptr{0, static_cast<Index>(size)};
  std::vector<Index> indices(size, 4);
  const auto check = [&] { validate_csr(CsrGraph<Index>{1, 5, indptr, indices}); };
  CHECK_NOTHROW(check());
  for (const std::size_t place : {std::size_t{0}, size / 2 - 1, size / 2, size - 78, size - 77, size - 1}) {
    for (const Index bad : {Index{5}, Index{-1}}) {
      indices[place] = bad;
      CHECK_THROWS_WITH_AS(check(), doctest::Contains("indices"), std::invalid_argument);
    }
    indices[place] = 0;
  }
}

TEST_CASE_TEMPLATE("a fall of indptr is found at any place", Index, std::int32_t, std::int64_t) {
  const std::vector<Index> indices(400, 0);
  for (const std::size_t n_rows : std::vector<std::size_t>{1, 63, 64, 65, 128, 300}) {
    std::vector<Index> indptr(n_rows + 1);
    for (std::size_t i = 0; i <= n_rows; ++i) indptr[i] = static_cast<Index>(i);
    const auto check = [&] { validate_csr(CsrGraph<Index>{static_cast<Index>(n_rows), 1, indptr, indices}); };
    CHECK_NOTHROW(check());
    for (std::size_t place = 1; place <= n_rows; ++place) {
      for (const Index bad : {static_cast<Index>(place - 2), std::numeric_limits<Index>::min()}) {
        indptr[place] = bad;
        CHECK_THROWS_WITH_AS(check(), doctest::Contains("never decrease"), std::invalid_argument);
      }
      indptr[place] = std::numeric_limits<Index>::max();
      CHECK_THROWS_WITH_AS(check(), doctest::Contains("indptr"), std::invalid_argument);
      indptr[place] = static_cast<Index>(place);
    }
  }
}

TEST_CASE_TEMPLATE("rows that ascend without repeats are found so, empty ones and falls between rows too",
                   Index, std::int32_t, std::int64_t) {
  using Ids = std::vector<Index>;
  const auto canonical = [](const Ids& indptr, const Ids& indices) {
    const CsrGraph<Index> graph{static_cast<Index>(indptr.size() - 1), 9, indptr, indices};
    validate_csr(graph);
    return is_canonical(graph);
  };
  CHECK(canonical({0}, {}));
  CHECK(canonical({0, 0, 0}, {}));
  CHECK(canonical({0, 3}, {0, 4, 8}));
  CHECK(canonical({0, 0, 2, 2, 4, 4}, {3, 5, 0, 5}));  // the second row's begins below the first one's end
  CHECK(canonical({0, 2, 3}, {3, 5, 5}));
  CHECK(canonical({0, 2}, {3, 5, 5, 1}));  // entries that no row uses are not looked at
  CHECK_FALSE(canonical({0, 2, 4}, {3, 5, 7, 7}));
  CHECK_FALSE(canonical({0, 2, 4}, {5, 3, 6, 7}));
  CHECK_FALSE(canonical({0, 0, 3, 3}, {1, 2, 0}));
}
