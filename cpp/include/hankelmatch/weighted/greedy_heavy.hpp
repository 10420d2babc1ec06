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
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/matching/vertex_cover.hpp>
#include <hankelmatch/portfolio/match.hpp>
#include <hankelmatch/portfolio/portfolio.hpp>
#include <limits>
#include <utility>
#include <vector>

namespace hankelmatch {

namespace detail {

/// Rows propose to their best column that does not have a better row; a column keeps the best. Of equal
/// weights the row that comes later, then the column that comes first, is the better, which makes the result
/// one and the same for every order of proposals.
template <class Index>
class Proposals {
 public:
  Proposals(const WeightedCsrGraph<Index>& edges, const CoverFlags& cover, Interrupt& interrupt)
      : edges_(edges),
        cover_(cover),
        interrupt_(interrupt),
        matching_(edges.graph.n_rows, edges.graph.n_cols),
        best_offer_(at(edges.graph.n_cols), -std::numeric_limits<double>::infinity()) {}

  /// Looks at all edges of a row for each of its proposals. Returns false once `budget` edges have been
  /// looked at.
  bool run(std::uint64_t budget) {
    for (Index next = edges_.graph.n_rows; next-- > 0;) {
      for (Index row = next; row != kUnmatched;) {
        if (work_ > budget) return false;
        row = propose(row);
      }
    }
    return true;
  }

  Matching<Index> take_matching() { return std::move(matching_); }

 private:
  // Returns the row that loses its column by it.
  Index propose(Index row) {
    const auto begin = at(edges_.graph.indptr[at(row)]);
    const auto end = at(edges_.graph.indptr[at(row) + 1]);
    work_ += end - begin + 1;
    interrupt_.poll(end - begin + 1);
    double weight = -std::numeric_limits<double>::infinity();
    Index best = kUnmatched;
    const bool in_cover = cover_.rows[at(row)] != 0;
    for (std::size_t i = begin; i < end; ++i) {
      const double w = edges_.weights[i];
      if (w < weight) continue;
      const Index col = edges_.graph.indices[i];
      if ((w == weight && col >= best) || (in_cover && cover_.cols[at(col)] != 0)) continue;
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

  const WeightedCsrGraph<Index>& edges_;
  const CoverFlags& cover_;
  Interrupt& interrupt_;
  Matching<Index> matching_;
  std::vector<double> best_offer_;
  std::uint64_t work_ = 0;
};

/// The same by its definition. O(edges log edges), whatever the weights.
template <class Index>
Matching<Index> heaviest_first_by_sorting(const WeightedCsrGraph<Index>& edges, const CoverFlags& cover,
                                          Interrupt& interrupt) {
  struct Edge {
    double weight;
    Index row;
    Index col;
  };
  std::vector<Edge> sorted;
  edges.for_each_edge(
      [&](Index row) {
        interrupt.poll(edges.graph.row(row).size() + 1);
        return true;
      },
      [&](Index row, Index col, double weight) {
        if (cover.rows[at(row)] == 0 || cover.cols[at(col)] == 0) sorted.push_back({weight, row, col});
      });
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

/// The matching that takes every edge, the heaviest first, whose ends are both free and not both in `cover`.
/// One look at the edges of a row for each of its proposals, which are few unless the weights were made to
/// prevent it; then the edges are sorted instead.
template <class Index>
Matching<Index> heaviest_edges_first(const WeightedCsrGraph<Index>& edges, const CoverFlags& cover,
                                     Interrupt& interrupt) {
  constexpr std::uint64_t kPasses = 16;  // about what sorting costs
  Proposals<Index> proposals(edges, cover, interrupt);
  const auto n_edges = static_cast<std::uint64_t>(edges.n_edges());
  if (proposals.run(kPasses * (n_edges + static_cast<std::uint64_t>(edges.graph.n_rows))))
    return proposals.take_matching();
  return heaviest_first_by_sorting(edges, cover, interrupt);
}

}  // namespace detail

/// A maximum matching that prefers heavy edges, starting from any one maximum matching of the same graph. No
/// maximum matching has an edge within a minimum vertex cover (see weighted/heaviest_maximum_matching.hpp),
/// and on Hankel graphs these are the heaviest, so they are left out before the heaviest edges are taken
/// first. Cost: a few passes over the edges, and those of match.
template <class Index>
Matching<Index> heavy_maximum_matching(const WeightedCsrGraph<Index>& edges, const Matching<Index>& maximum,
                                       Interrupt& interrupt = no_interrupt()) {
  const detail::CoverFlags cover = detail::minimum_cover_flags(edges.graph, maximum, interrupt);
  Matching<Index> start = detail::heaviest_edges_first(edges, cover, interrupt);
  if (start.size == maximum.size) return start;
  // From this start push-relabel pays sooner than from the portfolio's own: on random graphs of degree 3.3
  // and 2e4 to 16e4 rows searches take 12 passes and more, and 1.3 to 2 times as long; shuffled ropes and
  // bands, which it does not suit, take 4 to 5 (benchmarks.weighted, benchmarks.matching).
  constexpr double kMostPasses = 6;
  return match_automatically(edges.graph, start, interrupt, kMostPasses);
}

/// The same, from a maximum matching by any method.
template <class Index>
Matching<Index> heavy_matching(const WeightedCsrGraph<Index>& edges, Interrupt& interrupt = no_interrupt()) {
  const Matching<Index> maximum = match(edges.graph, "auto", {}, interrupt);
  return heavy_maximum_matching(edges, maximum, interrupt);
}

}  // namespace hankelmatch
