// A maximum matching that prefers heavy edges: the heaviest first of those that may matter, then augmenting
// paths.
//
// Gale, Shapley, "College admissions and the stability of marriage", American Mathematical Monthly 69 (1962):
// where both sides rank edges by one weight, the stable matching is that of "heaviest edges first". Manne,
// Halappanavar, "New effective multithreaded matching algorithms", IPDPS 2014, find it the same way, without
// sorting the edges.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/prefetch.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/matching/breadth_first.hpp>
#include <hankelmatch/matching/look_ahead.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/matching/push_relabel.hpp>
#include <hankelmatch/matching/vertex_cover.hpp>
#include <hankelmatch/portfolio/match.hpp>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace hankelmatch {

namespace detail {

/// Rows propose to their best column that does not have a better row; a column keeps the best. Of equal
/// weights the row that comes later, then the column that comes first, is the better, which makes the result
/// one and the same for every order of proposals. In rounds, so that it is known early which rows are next.
template <class Index>
class Proposals {
 public:
  Proposals(const WeightedCsrGraph<Index>& edges, Interrupt& interrupt)
      : edges_(edges),
        interrupt_(interrupt),
        matching_(edges.graph.n_rows, edges.graph.n_cols),
        best_offer_(at(edges.graph.n_cols), -std::numeric_limits<double>::infinity()),
        is_large_(best_offer_.size() >= kLarge) {}

  /// Looks at all edges of a row for each of its proposals. Returns false once `budget` edges have been
  /// looked at.
  bool run(std::uint64_t budget) {
    std::vector<Index> rows(at(edges_.graph.n_rows));
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<Index>(i);
    while (!rows.empty()) {
      std::size_t n_losers = 0;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (work_ > budget) return false;
        if (is_large_) fetch_after(rows, i);
        const Index loser = propose(rows[i]);
        if (loser != kUnmatched) rows[n_losers++] = loser;
      }
      rows.resize(n_losers);
    }
    return true;
  }

  Matching<Index> take_matching() { return std::move(matching_); }

 private:
  // From so many columns on, a row's edges are fetched so many rows before its proposal, and then what the
  // columns of the first few have been offered. On random graphs of 640,000 rows proposals take two thirds of
  // the time, on 20,000 they would take a fifth longer (benchmarks.weighted, heavy).
  static constexpr std::size_t kLarge = std::size_t{1} << 17;
  static constexpr std::size_t kEdgesAhead = 16;
  static constexpr std::size_t kOffersAhead = 6;
  static constexpr std::size_t kFirst = 16;

  std::size_t begin_of(Index row) const { return at(edges_.graph.indptr[at(row)]); }
  std::size_t end_of(Index row) const { return at(edges_.graph.indptr[at(row) + 1]); }

  void fetch_after(const std::vector<Index>& rows, std::size_t i) const {
    if (i + 2 * kEdgesAhead >= rows.size()) return;
    prefetch(&edges_.graph.indptr[at(rows[i + 2 * kEdgesAhead])]);
    const Index later = rows[i + kEdgesAhead];
    prefetch(first_of(edges_.graph.indices, later));
    prefetch(first_of(edges_.weights, later));
    for (const Index col : first_of(edges_.graph.indices, rows[i + kOffersAhead]))
      prefetch(&best_offer_[at(col)]);
  }
  template <class T>
  std::span<const T> first_of(std::span<const T> values, Index row) const {
    return values.subspan(begin_of(row), std::min(end_of(row) - begin_of(row), kFirst));
  }

  // Returns the row that loses its column by it.
  Index propose(Index row) {
    const std::size_t begin = begin_of(row);
    const std::size_t end = end_of(row);
    work_ += end - begin + 1;
    interrupt_.poll(end - begin + 1);
    double weight = -std::numeric_limits<double>::infinity();
    Index best = kUnmatched;
    for (std::size_t i = begin; i < end; ++i) {
      const double w = edges_.weights[i];
      const Index col = edges_.graph.indices[i];
      if (w < weight || (w == weight && col >= best)) continue;
      if (w < best_offer_[at(col)] || (w == best_offer_[at(col)] && row < matching_.col_mate[at(col)]))
        continue;
      weight = w;
      best = col;
    }
    if (best == kUnmatched) return kUnmatched;
    best_offer_[at(best)] = weight;
    const Index loser = matching_.col_mate[at(best)];
    if (loser != kUnmatched) {
      matching_.row_mate[at(loser)] = kUnmatched;
      --matching_.size;
    }
    matching_.join(row, best);
    return loser;
  }

  const WeightedCsrGraph<Index> edges_;
  Interrupt& interrupt_;
  Matching<Index> matching_;
  std::vector<double> best_offer_;
  bool is_large_;
  std::uint64_t work_ = 0;
};

/// The same by its definition. O(edges log edges), whatever the weights.
template <class Index>
Matching<Index> heaviest_first_by_sorting(const WeightedCsrGraph<Index>& edges, Interrupt& interrupt) {
  struct Edge {
    double weight;
    Index row;
    Index col;
  };
  std::vector<Edge> sorted;
  sorted.reserve(edges.n_edges());
  edges.for_each_edge(interrupt,
                      [&](Index row, Index col, double weight) { sorted.push_back({weight, row, col}); });
  std::ranges::sort(sorted, [&](const Edge& a, const Edge& b) {
    interrupt.poll();
    if (a.weight != b.weight) return a.weight > b.weight;
    return a.row != b.row ? a.row > b.row : a.col < b.col;
  });
  Matching<Index> matching(edges.graph.n_rows, edges.graph.n_cols);
  for (const Edge& e : sorted) {
    interrupt.poll();
    if (!matching.has_row(e.row) && !matching.has_col(e.col)) matching.join(e.row, e.col);
  }
  return matching;
}

/// The matching that takes every edge, the heaviest first, whose ends are both free. One look at the edges of
/// a row for each of its proposals, which are few unless the weights were made to prevent it; then the edges
/// are sorted instead.
template <class Index>
Matching<Index> heaviest_edges_first(const WeightedCsrGraph<Index>& edges, Interrupt& interrupt) {
  constexpr std::uint64_t kPasses = 16;  // about what sorting costs
  Proposals<Index> proposals(edges, interrupt);
  const auto n_edges = static_cast<std::uint64_t>(edges.n_edges());
  if (proposals.run(kPasses * (n_edges + static_cast<std::uint64_t>(edges.graph.n_rows))))
    return proposals.take_matching();
  return heaviest_first_by_sorting(edges, interrupt);
}

/// Makes a matching maximum, which will then have this size, by short paths: breadth-first searches, for a
/// few passes over the edges, then push-relabel. Long paths would exchange heavy edges for any: by
/// depth-first searches random graphs of degree 5 and 40,000 rows end as light as by `match`, .83 of this.
/// After 3 passes only, graphs of 320,000 rows end as light, and take 1.5 times as long
/// (benchmarks.weighted).
template <class Index>
void complete_by_short_paths(const CsrGraph<Index>& graph, Index size, Matching<Index>& matching,
                             Interrupt& interrupt) {
  constexpr std::uint64_t kMostPasses = 5;
  const std::uint64_t budget =
      kMostPasses * (static_cast<std::uint64_t>(graph.n_edges()) + static_cast<std::uint64_t>(graph.n_rows));
  std::vector<Index> rows;
  for (Index row = 0; row < graph.n_rows; ++row)
    if (!matching.has_row(row)) rows.push_back(row);
  LookAhead<Index> look_ahead(graph, matching);
  Bitset closed(at(graph.n_cols));
  BreadthFirstRounds<Index> search(graph, look_ahead, matching, closed, interrupt);
  while (matching.size < size && !rows.empty() && search.work() < budget) search.search_all(rows);
  if (matching.size < size) matching = push_relabel(graph, matching, interrupt);
}

/// The edges that are not within the cover.
template <class Index>
CsrMatrix<Index> edges_outside(const WeightedCsrGraph<Index>& edges, const CoverFlags& cover,
                               Interrupt& interrupt) {
  return collect_edges<Index>(edges.graph.n_rows, edges.graph.n_cols, [&](const auto& visit) {
    edges.for_each_edge(interrupt, [&](Index row, Index col, double weight) {
      if (cover.rows[at(row)] == 0 || cover.cols[at(col)] == 0) visit(row, col, weight);
    });
  });
}

template <class Index>
Matching<Index> heavy_of_size(const WeightedCsrGraph<Index>& edges, Index size, Interrupt& interrupt) {
  Matching<Index> matching = heaviest_edges_first(edges, interrupt);
  complete_by_short_paths(edges.graph, size, matching, interrupt);
  return matching;
}

}  // namespace detail

/// A maximum matching that prefers heavy edges, starting from any one maximum matching of the same graph. No
/// maximum matching has an edge within a minimum vertex cover (see weighted/heaviest_maximum_matching.hpp),
/// and on Hankel graphs these are the heaviest, so they are left out before the heaviest edges are taken
/// first. Cost: a few passes over the edges, and those of match; a copy of the edges, unless all rows or all
/// columns are matched.
template <class Index>
Matching<Index> heavy_maximum_matching(const WeightedCsrGraph<Index>& edges, const Matching<Index>& maximum,
                                       Interrupt& interrupt = no_interrupt()) {
  // Where all rows are matched they are the cover, and no edge is within it; so it is with all columns.
  if (maximum.size == std::min(edges.graph.n_rows, edges.graph.n_cols))
    return detail::heavy_of_size(edges, maximum.size, interrupt);
  const detail::CoverFlags cover = detail::minimum_cover_flags(edges.graph, maximum, interrupt);
  const CsrMatrix<Index> rest = detail::edges_outside(edges, cover, interrupt);
  return detail::heavy_of_size(rest.weighted_view(), maximum.size, interrupt);
}

/// The same, from a maximum matching by any method.
template <class Index>
Matching<Index> heavy_matching(const WeightedCsrGraph<Index>& edges, Interrupt& interrupt = no_interrupt()) {
  const Matching<Index> maximum = match(edges.graph, "auto", {}, interrupt);
  return heavy_maximum_matching(edges, maximum, interrupt);
}

}  // namespace hankelmatch
