// What both matchers within capacities need of these.
#pragma once

#include <algorithm>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <span>
#include <stdexcept>

namespace hankelmatch {

/// Throws invalid_argument if there is not one capacity, at least 0, for each row and column.
template <class Index>
void check_capacities(const CsrGraph<Index>& graph, std::span<const Index> rows,
                      std::span<const Index> cols) {
  const auto fits = [](std::span<const Index> capacities, Index n) {
    return capacities.size() == at(n) &&
           std::ranges::all_of(capacities, [](Index capacity) { return capacity >= 0; });
  };
  if (!fits(rows, graph.n_rows) || !fits(cols, graph.n_cols))
    throw std::invalid_argument("capacities: one number from 0 for each row and column is needed");
}

}  // namespace hankelmatch
