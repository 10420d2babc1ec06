#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/prefix_suffix_graph.hpp>
#include <hankelmatch/hankel/hankel_blocks.hpp>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include "reference_support.hpp"

namespace hm = hankelmatch;
using namespace hankelmatch::reference;

TEST_CASE_TEMPLATE("Hankel blocks equal the definition", Id, std::int32_t, std::int64_t) {
  std::mt19937 random(6);
  for (int trial = 0; trial < 100; ++trial) {
    const auto strings = random_support(random, trial % 2 == 0);
    const Support<Id> support(strings);
    const auto graph = support.view();
    std::map<String, double> f;
    std::vector<double> values;
    for (const auto& s : support.strings) {
      values.push_back(1.0 + static_cast<double>(random() % 1000));
      f[s] = values.back();
    }
    const auto value = [&](const String& s) { return f.contains(s) ? f[s] : 0.0; };
    // A random basis, in random order.
    const auto choose = [&](std::size_t n, std::vector<Id>& places) {
      std::vector<Id> ids;
      for (std::size_t v = 0; v < n; ++v)
        if (random() % 3 > 0) ids.push_back(static_cast<Id>(v));
      std::shuffle(ids.begin(), ids.end(), random);
      places.assign(n, -1);
      for (std::size_t k = 0; k < ids.size(); ++k) places[hm::at(ids[k])] = static_cast<Id>(k);
      return ids;
    };
    std::vector<Id> row_of;
    std::vector<Id> col_of;
    const auto rows = choose(graph.n_prefixes(), row_of);
    const auto cols = choose(graph.n_suffixes(), col_of);
    hm::Interrupt interrupt;
    const auto blocks =
        hm::hankel_blocks<Id>(graph, values, {row_of, col_of, rows.size(), cols.size()}, 4, interrupt);

    const auto check_row = [&](const hm::CsrMatrix<Id>& matrix, std::size_t row, const String& before) {
      std::size_t next = hm::at(matrix.indptr[row]);
      for (std::size_t c = 0; c < cols.size(); ++c) {
        const double expected = value(joined(before, suffix_string(graph, cols[c])));
        if (expected == 0.0) continue;
        REQUIRE(next < hm::at(matrix.indptr[row + 1]));
        CHECK(matrix.indices[next] == static_cast<Id>(c));
        CHECK(matrix.data[next++] == expected);
      }
      CHECK(next == hm::at(matrix.indptr[row + 1]));
    };
    REQUIRE(blocks.symbol_begin.size() == 5);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const String p = prefix_string(graph, rows[r]);
      CHECK(blocks.h_prefix[r] == value(p));
      check_row(blocks.h, r, p);
      for (std::int32_t a = 0; a < 4; ++a) {
        const auto begin = blocks.transition_rows.begin() + blocks.symbol_begin[hm::at(a)];
        const auto end = blocks.transition_rows.begin() + blocks.symbol_begin[hm::at(a) + 1];
        CHECK(std::is_sorted(begin, end));
        const auto found = std::find(begin, end, static_cast<Id>(r));
        if (found != end) {
          check_row(blocks.transitions, static_cast<std::size_t>(found - blocks.transition_rows.begin()),
                    joined(p, {a}));
        } else {
          for (const Id c : cols) CHECK(value(joined(joined(p, {a}), suffix_string(graph, c))) == 0.0);
        }
      }
    }
    for (std::size_t c = 0; c < cols.size(); ++c)
      CHECK(blocks.h_suffix[c] == value(suffix_string(graph, cols[c])));
  }
}

TEST_CASE("the caller's check stops each part of the Hankel blocks") {
  std::mt19937 random(1);
  const Support<std::int32_t> support(random_support(random, true));
  const auto graph = support.view();
  const std::vector<double> values(graph.n_strings(), 1.0);
  std::vector<std::int32_t> row_of(graph.n_prefixes());
  std::vector<std::int32_t> col_of(graph.n_suffixes());
  std::iota(row_of.begin(), row_of.end(), 0);
  std::iota(col_of.begin(), col_of.end(), 0);
  struct Stop : std::exception {};
  int calls = 0;
  int last = 1000;
  hm::Interrupt interrupt([&] {
    if (++calls > last) throw Stop{};
  });
  const auto make = [&] {
    return hm::hankel_blocks<std::int32_t>(
        graph, values, {row_of, col_of, graph.n_prefixes(), graph.n_suffixes()}, 4, interrupt);
  };
  CHECK(!make().h.indices.empty());
  const int n_calls = calls;
  CHECK(n_calls >= 8);  // both sorts, by column and by row: to count, and to move
  for (last = 0; last < n_calls; ++last) {
    calls = 0;
    CHECK_THROWS_AS(static_cast<void>(make()), Stop);
  }
}
