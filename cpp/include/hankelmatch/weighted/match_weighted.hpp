// All matchers by weight behind one name.
#pragma once

#include <algorithm>
#include <cstddef>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/portfolio/match.hpp>
#include <hankelmatch/weighted/certificate.hpp>
#include <hankelmatch/weighted/heaviest_matching.hpp>
#include <hankelmatch/weighted/heaviest_maximum_matching.hpp>
#include <utility>

namespace hankelmatch {

namespace detail {

/// Whether a graph looks as if it had a perfect matching.
template <class Index>
bool may_be_perfect(const CsrGraph<Index>& graph) {
  if (graph.n_rows != graph.n_cols || graph.n_rows == 0) return false;
  return std::ranges::adjacent_find(graph.indptr) == graph.indptr.end();  // no row is empty
}

}  // namespace detail

/// A maximum matching by any method, then the heaviest one; or the heaviest matching of any size.
template <class Index>
WeightedMatching<Index> maximum_weight_matching(const WeightedCsrGraph<Index>& edges,
                                                bool maximum_cardinality,
                                                Interrupt& interrupt = no_interrupt()) {
  constexpr std::size_t kSmall = std::size_t{1} << 15;
  if (!maximum_cardinality) return heaviest_matching(edges, interrupt);
  WeightedMatching<Index> perfect;
  // Nearly all square matrices have a perfect matching; for a small or a dense one it is not worth the
  // time to look first.
  const bool may_be_perfect = detail::may_be_perfect(edges.graph);
  const bool quick = edges.n_edges() < kSmall || detail::is_nearly_dense(edges.graph);
  if (may_be_perfect && quick && detail::heaviest_perfect_matching(edges, interrupt, perfect)) return perfect;
  const Matching<Index> maximum = match(edges.graph, "auto", {}, interrupt);
  if (may_be_perfect && maximum.size == edges.graph.n_rows &&
      detail::heaviest_perfect_matching(edges, interrupt, perfect))
    return perfect;
  return heaviest_maximum_matching(edges, maximum, interrupt);
}

}  // namespace hankelmatch
