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
#include <hankelmatch/augmenting_path.hpp>
#include <hankelmatch/csr_graph.hpp>
#include <hankelmatch/interrupt.hpp>
#include <hankelmatch/matching.hpp>
#include <hankelmatch/weighted_matching.hpp>
#include <limits>
#include <ranges>
#include <utility>
#include <vector>

namespace hankelmatch {

namespace detail {

/// Rows propose to their best column that does not have a better row; a column keeps the best. Of equal
/// weights the row that comes later, then the edge that comes first, is the better, which makes the result
/// one and the same for every order of proposals.
///
/// `Edges` has the edges of a row at places begin(row) to end(row) - 1: weight(place), finite;
/// column(row, place); comes_before(place, other), of two of one row and weight; and may_join(row, column),
/// whether the edge is to be taken at all.
template <class Edges>
class Proposals {
 public:
  using Index = typename Edges::index_type;

  /// Takes mates that are all free.
  Proposals(const Edges& edges, Index n_rows, Mates<Index>& row_mate, Mates<Index>& col_mate,
            Interrupt& interrupt)
      : edges_(edges), row_mate_(row_mate), col_mate_(col_mate), interrupt_(interrupt), offers_(at(n_rows)) {}

  /// Looks at all edges of a row for each of its proposals. Returns false once `budget` edges have been
  /// looked at; what is matched by then is a matching.
  bool run(std::uint64_t budget) {
    for (auto next = static_cast<Index>(offers_.size()); next-- > 0;) {
      for (Index row = next; row != kUnmatched;) {
        if (work_ > budget) return false;
        row = propose(row);
      }
    }
    return true;
  }

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  // Returns the row that loses its column by it.
  Index propose(Index row) {
    const Index end = edges_.end(row);
    const auto n_edges = static_cast<std::uint64_t>(end - edges_.begin(row)) + 1;
    work_ += n_edges;
    interrupt_.poll(n_edges);
    double weight = -std::numeric_limits<double>::infinity();
    Index place = end;
    Index best = kUnmatched;
    for (Index i = edges_.begin(row); i < end; ++i) {
      const double w = edges_.weight(i);
      if (w < weight || (w == weight && !edges_.comes_before(i, place))) continue;
      const Index col = edges_.column(row, i);
      if (!edges_.may_join(row, col) || is_better(col_mate_[at(col)], w, row)) continue;
      weight = w;
      place = i;
      best = col;
    }
    if (best == kUnmatched) return kUnmatched;
    offers_[at(row)] = weight;
    const Index loser = col_mate_[at(best)];
    if (loser != kUnmatched) row_mate_[at(loser)] = kUnmatched;
    row_mate_[at(row)] = best;
    col_mate_[at(best)] = row;
    return loser;
  }

  /// Whether the row that has a column, if any, is better than one that offers some weight.
  bool is_better(Index holder, double weight, Index row) const {
    if (holder == kUnmatched) return false;
    return weight < offers_[at(holder)] || (weight == offers_[at(holder)] && row < holder);
  }

  const Edges& edges_;
  Mates<Index>& row_mate_;
  Mates<Index>& col_mate_;
  Interrupt& interrupt_;
  std::vector<double> offers_;  // the weight of each matched row's edge
  std::uint64_t work_ = 0;
};

/// What proposing costs at most, in passes over the edges: about as much as sorting them.
inline constexpr std::uint64_t kProposingPasses = 16;

/// The edges of a list, for Proposals.
template <class Index>
struct ListedEdges {
  using index_type = Index;
  const WeightedCsrGraph<Index>& edges;
  const CoverFlags& cover;

  Index begin(Index row) const { return edges.graph.indptr[static_cast<std::size_t>(row)]; }
  Index end(Index row) const { return edges.graph.indptr[static_cast<std::size_t>(row) + 1]; }
  double weight(Index place) const { return edges.weights[static_cast<std::size_t>(place)]; }
  Index column(Index /*row*/, Index place) const {
    return edges.graph.indices[static_cast<std::size_t>(place)];
  }
  bool comes_before(Index place, Index other) const { return column(0, place) < column(0, other); }
  bool may_join(Index row, Index col) const {
    return cover.rows[static_cast<std::size_t>(row)] == 0 || cover.cols[static_cast<std::size_t>(col)] == 0;
  }
};

/// The matching of heaviest_edges_first by its definition. O(edges log edges), whatever the weights.
template <class Index>
Matching<Index> heaviest_first_by_sorting(const WeightedCsrGraph<Index>& edges, const CoverFlags& cover) {
  struct Edge {
    double weight;
    Index row;
    Index col;
  };
  std::vector<Edge> sorted;
  edges.for_each_edge(
      [](Index) { return true; },
      [&](Index row, Index col, double weight) {
        if (cover.rows[static_cast<std::size_t>(row)] == 0 || cover.cols[static_cast<std::size_t>(col)] == 0)
          sorted.push_back({weight, row, col});
      });
  std::ranges::sort(sorted, [](const Edge& a, const Edge& b) {
    if (a.weight != b.weight) return a.weight > b.weight;
    return a.row != b.row ? a.row > b.row : a.col < b.col;
  });
  Matching<Index> matching(edges.graph.n_rows, edges.graph.n_cols);
  for (const Edge& e : sorted) {
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
  const ListedEdges<Index> listed{edges, cover};
  Matching<Index> matching(edges.graph.n_rows, edges.graph.n_cols);
  Proposals proposals(listed, edges.graph.n_rows, matching.row_mate, matching.col_mate, interrupt);
  const auto one_pass = static_cast<std::uint64_t>(edges.n_edges()) + matching.row_mate.size();
  if (proposals.run(kProposingPasses * one_pass)) {
    const auto n_free = std::ranges::count(matching.row_mate, Index{kUnmatched});
    matching.size = edges.graph.n_rows - static_cast<Index>(n_free);
    return matching;
  }
  return heaviest_first_by_sorting(edges, cover);
}

}  // namespace detail

/// A maximum matching that prefers heavy edges, starting from any one maximum matching of the same graph. No
/// maximum matching has an edge within a minimum vertex cover (see weighted_matching.hpp), and on Hankel
/// graphs these are the heaviest, so they are left out before the heaviest edges are taken first. Cost: a few
/// passes over the edges, and those of augmenting_path.
template <class Index>
Matching<Index> heavy_maximum_matching(const WeightedCsrGraph<Index>& edges, const Matching<Index>& maximum,
                                       Interrupt interrupt = {}) {
  const detail::CoverFlags cover = detail::minimum_cover_flags(edges.graph, maximum, interrupt);
  Matching<Index> start = detail::heaviest_edges_first(edges, cover, interrupt);
  if (start.size == maximum.size) return start;
  return augmenting_path(edges.graph, std::views::iota(Index{0}, edges.graph.n_rows) | std::views::reverse,
                         start, std::move(interrupt));
}

/// The same, from a maximum matching by any method.
template <class Index>
Matching<Index> heavy_matching(const WeightedCsrGraph<Index>& edges, Interrupt interrupt = {}) {
  const Matching<Index> maximum = match(edges.graph, "auto", {}, interrupt);
  return heavy_maximum_matching(edges, maximum, std::move(interrupt));
}

}  // namespace hankelmatch
