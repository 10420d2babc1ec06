// All matchers behind one name.
#pragma once

#include <hankelmatch/augmenting_path.hpp>
#include <hankelmatch/csr_graph.hpp>
#include <hankelmatch/hopcroft_karp.hpp>
#include <hankelmatch/interrupt.hpp>
#include <hankelmatch/matching.hpp>
#include <ranges>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace hankelmatch {

/// A maximum matching by the method of that name; all give the same size. Throws invalid_argument for other
/// names.
template <class Index>
Matching<Index> match(const CsrGraph<Index>& graph, std::string_view method,
                      const Matching<Index>& initial = {}, Interrupt interrupt = {}) {
  if (method == "auto" || method == "augmenting-path") {
    return augmenting_path(graph, std::views::empty<Index>, initial, std::move(interrupt));
  }
  if (method == "augmenting-path-descending") {
    return augmenting_path(graph, std::views::iota(Index{0}, graph.n_rows) | std::views::reverse, initial,
                           std::move(interrupt));
  }
  if (method == "hopcroft-karp") return hopcroft_karp(graph, initial, std::move(interrupt));
  throw std::invalid_argument("method: unknown");
}

}  // namespace hankelmatch
