// All maximum matchings of a graph, one by one, the heaviest first.
//
// Murty, "An algorithm for ranking all the assignments in order of increasing cost", Oper. Res. 16 (1968),
// 682-687: every other matching lacks an edge of this one. Take the first that it lacks: those with edges
// 1 .. t-1 and without edge t are a part of their own, for every t. Pedersen, Nielsen, Andersen, "An
// algorithm for ranking assignments using reoptimization", Comput. Oper. Res. 35 (2008), 3714-3726: the best
// of a part is one shortest path away. Miller, Stone, Cox, "Optimizing Murty's ranked assignment method",
// IEEE Trans. Aerosp. Electron. Syst. 33 (1997), 851-862: a lower bound of that path keeps most parts from
// being searched, and edges that are likely to be missed come last.
//
// Where rows or columns stay free, others may take their turn: one more node on either side stands for
// "free", matched to all that is free (ShortestExchange's nodes after the columns).
#pragma once

#include <algorithm>
#include <cstddef>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/exchange/shortest_exchange.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/graph/numbered_edges.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/weighted/certificate.hpp>
#include <limits>
#include <memory>
#include <queue>
#include <utility>
#include <vector>

namespace hankelmatch {

/// Edges must not repeat; their arrays must outlive this. `first` is a heaviest maximum matching with its
/// duals.
///
/// For n pairs and m edges a matching costs O(m + n log n) and the searches, each O((m + n) log n): n at
/// most, a few as a rule. Memory: O(n) for every matching that was found.
template <class Index>
class RankedMatchings {
 public:
  RankedMatchings(const WeightedCsrGraph<Index>& edges, const WeightedMatching<Index>& first)
      : edges_(edges),
        search_(edges, 2 + at(edges.graph.n_rows)),
        numbered_(edges.graph, no_interrupt()),
        forbidden_(edges.n_edges()),
        fixed_cols_(at(edges.graph.n_cols)),
        has_free_rows_(first.matching.size < edges.graph.n_rows),
        has_free_cols_(first.matching.size < edges.graph.n_cols) {
    push_solved(std::make_shared<const Solution>(start_from(first)));
  }
  RankedMatchings(const RankedMatchings&) = delete;
  RankedMatchings& operator=(const RankedMatchings&) = delete;
  RankedMatchings(RankedMatchings&&) = delete;
  RankedMatchings& operator=(RankedMatchings&&) = delete;
  ~RankedMatchings() = default;

  /// The column of each row in the next matching; empty after the last one. After an interrupt there is no
  /// next one: what was being worked on is lost.
  Mates<Index> next(Interrupt& interrupt = no_interrupt()) {
    interrupt_ = &interrupt;
    while (!parts_.empty()) {
      const Part part = parts_.top();
      parts_.pop();
      if (part.solution) {
        split(part.solution);
        return mates(*part.solution);
      }
      if (auto solution = best_of(part)) push_solved(std::move(solution));
    }
    return {};
  }

 private:
  using Search = detail::ShortestExchange<Index>;
  static constexpr double kInfinity = Search::kInfinity;
  static constexpr std::size_t kNoEdge = Search::kNoNode;
  // Routes that are no edges: of what the root leaves free, and of a column that becomes free.
  static constexpr std::size_t kRoot = Search::kNoNode - 1;
  static constexpr std::size_t kFreed = Search::kNoNode - 2;

  // A matching, and what its part of all matchings has in common.
  struct Solution {
    std::vector<std::size_t> edge_of_row;  // or kNoEdge
    detail::Potentials potentials;
    double free_row = 0;             // potential of the node that all free rows are matched to
    double free_col = 0;             // likewise of columns
    std::vector<std::size_t> order;  // of its edges; the first `n_fixed` are in all matchings of the part
    std::size_t n_fixed = 0;
    std::vector<std::size_t> forbidden;  // edges that are in none
    double weight = 0;
  };

  // What has the first edges of a solution's order, but not the one at `place`; or a solved one.
  struct Part {
    double weight = 0;  // at most
    std::shared_ptr<const Solution> parent;
    std::size_t place = 0;
    std::shared_ptr<const Solution> solution;

    bool operator<(const Part& other) const {
      return weight != other.weight ? weight < other.weight : !solution && other.solution;
    }
  };

  std::size_t node_of_free_rows() const { return fixed_cols_.size(); }
  std::size_t node_of_free_cols() const { return fixed_cols_.size() + 1; }
  std::size_t node_of_row(std::size_t row) const { return fixed_cols_.size() + 2 + row; }
  std::size_t col_of(std::size_t edge) const { return numbered_.col_of(edge); }
  std::size_t row_of(std::size_t edge) const { return numbered_.row_of(edge); }

  Solution start_from(const WeightedMatching<Index>& first) const {
    Solution solution;
    solution.edge_of_row.assign(at(edges_.graph.n_rows), kNoEdge);
    solution.potentials = {first.row_dual, first.col_dual};
    for (double& potential : solution.potentials.row) potential += first.cardinality_dual;
    solution.free_row = first.cardinality_dual;
    for (std::size_t edge = 0; edge < edges_.n_edges(); ++edge) {
      if (at_or_none(first.matching.row_mate[row_of(edge)]) == col_of(edge))
        solution.edge_of_row[row_of(edge)] = edge;
    }
    complete(solution);
    return solution;
  }
  static std::size_t at_or_none(Index i) { return i == kUnmatched ? kNoEdge : at(i); }

  // The weight, and the edges that are not fixed after those that are.
  void complete(Solution& solution) const {
    Bitset is_fixed(solution.edge_of_row.size());
    for (std::size_t i = 0; i < solution.n_fixed; ++i) is_fixed.set(row_of(solution.order[i]));
    solution.order.resize(solution.n_fixed);
    for (std::size_t row = 0; row < solution.edge_of_row.size(); ++row) {
      const std::size_t edge = solution.edge_of_row[row];
      if (edge == kNoEdge) continue;
      solution.weight += edges_.weights[edge];
      if (!is_fixed.test(row)) solution.order.push_back(edge);
    }
  }

  void push_solved(std::shared_ptr<const Solution> solution) {
    const double weight = solution->weight;
    parts_.push({weight, nullptr, 0, std::move(solution)});
  }

  Mates<Index> mates(const Solution& solution) const {
    Mates<Index> row_mate(solution.edge_of_row.size());
    std::ranges::transform(solution.edge_of_row, row_mate.begin(), [&](std::size_t edge) {
      return edge == kNoEdge ? Index{kUnmatched} : edges_.graph.indices[edge];
    });
    return row_mate;
  }

  // Parts of what is left of a part without its best matching.
  void split(const std::shared_ptr<const Solution>& best) {
    auto ordered = std::make_shared<Solution>(*best);
    const std::size_t n_fixed = ordered->n_fixed;
    restrict(*ordered, n_fixed, true);
    std::vector<std::pair<double, std::size_t>> losses;
    for (std::size_t i = n_fixed; i < ordered->order.size(); ++i)
      losses.emplace_back(least_loss(*ordered, ordered->order[i]), ordered->order[i]);
    restrict(*ordered, n_fixed, false);
    // Dear ones first: the cheap ones then have many edges fixed, which makes them dearer.
    std::ranges::sort(losses, [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    for (std::size_t i = 0; i < losses.size(); ++i) {
      ordered->order[n_fixed + i] = losses[i].second;
      if (losses[i].first < kInfinity)
        parts_.push({ordered->weight - losses[i].first, ordered, n_fixed + i, nullptr});
    }
  }

  // Marks what a part has fixed and forbids, or unmarks it.
  void restrict(const Solution& solution, std::size_t n_fixed, bool mark) {
    const auto put = [mark](Bitset& set, std::size_t i) { mark ? set.set(i) : set.reset(i); };
    for (std::size_t i = 0; i < n_fixed; ++i) put(fixed_cols_, col_of(solution.order[i]));
    for (const std::size_t edge : solution.forbidden) put(forbidden_, edge);
  }

  double reduced_cost(const Solution& solution, std::size_t edge) const {
    const double sum = solution.potentials.row[row_of(edge)] + solution.potentials.col[col_of(edge)];
    return std::max(0.0, sum - edges_.weights[edge]);
  }

  // Lower bound of what is lost without an edge: its row and its column each need another one.
  double least_loss(const Solution& solution, std::size_t edge) {
    const std::size_t row = row_of(edge);
    const std::size_t col = col_of(edge);
    double by_row = has_free_rows_ ? fall_of_row(solution, row) : kInfinity;
    double by_col = has_free_cols_ ? fall_of_col(solution, col) : kInfinity;
    const auto begin = at(edges_.graph.indptr[row]);
    const auto end = at(edges_.graph.indptr[row + 1]);
    interrupt_->poll(end - begin + numbered_.begin_of_col(col + 1) - numbered_.begin_of_col(col) + 1);
    for (std::size_t i = begin; i < end; ++i) {
      if (i == edge || forbidden_.test(i) || fixed_cols_.test(col_of(i))) continue;
      by_row = std::min(by_row, reduced_cost(solution, i));
    }
    for (std::size_t k = numbered_.begin_of_col(col); k < numbered_.begin_of_col(col + 1); ++k) {
      const std::size_t i = numbered_.edge_at(k);
      if (i == edge || forbidden_.test(i)) continue;
      const std::size_t other = solution.edge_of_row[row_of(i)];
      if (other == kNoEdge || !fixed_cols_.test(col_of(other)))
        by_col = std::min(by_col, reduced_cost(solution, i));
    }
    return by_row + by_col;
  }

  static double fall_of_row(const Solution& solution, std::size_t row) {
    return std::max(0.0, solution.potentials.row[row] - solution.free_row);
  }
  static double fall_of_col(const Solution& solution, std::size_t col) {
    return std::max(0.0, solution.potentials.col[col] - solution.free_col);
  }

  // The best matching of a part: the parent's after the cheapest exchange that does without the edge.
  std::shared_ptr<const Solution> best_of(const Part& part) {
    const Solution& parent = *part.parent;
    const std::size_t missing = parent.order[part.place];
    restrict(parent, part.place, true);
    forbidden_.set(missing);
    row_of_col_.assign(fixed_cols_.size(), kUnmatched);
    for (const std::size_t edge : parent.edge_of_row) {
      if (edge != kNoEdge) row_of_col_[col_of(edge)] = static_cast<Index>(row_of(edge));
    }
    const double distance = find_exchange(parent, missing);
    std::shared_ptr<Solution> solution;
    if (distance < kInfinity) {
      solution = std::make_shared<Solution>();
      solution->edge_of_row = parent.edge_of_row;
      solution->potentials = parent.potentials;
      search_.settle(distance, solution->potentials);
      const auto change = [&](std::size_t node) {
        return std::max(0.0, distance - search_.distance_of(node));
      };
      solution->free_row = parent.free_row - change(node_of_free_rows());
      solution->free_col = parent.free_col + change(node_of_free_cols());
      exchange(solution->edge_of_row, missing);
      solution->order.assign(parent.order.begin(),
                             parent.order.begin() + static_cast<std::ptrdiff_t>(part.place));
      solution->n_fixed = part.place;
      solution->forbidden = parent.forbidden;
      solution->forbidden.push_back(missing);
      complete(*solution);
    }
    forbidden_.reset(missing);
    restrict(parent, part.place, false);
    return solution;
  }

  // From the row of the missing edge to its column.
  double find_exchange(const Solution& parent, std::size_t missing) {
    const std::size_t root = row_of(missing);
    const std::size_t target = col_of(missing);
    search_.begin(*interrupt_);
    visit_row(parent, root, 0.0, kRoot, target);
    for (auto next = search_.next(); next.node != Search::kNoNode; next = search_.next()) {
      const auto [node, distance] = next;
      if (node == target) return distance;
      if (node == node_of_free_rows()) {
        visit_free_rows(parent, distance);
      } else if (node == node_of_free_cols()) {
        visit_matched_cols(parent, distance);
      } else if (node > node_of_free_cols()) {
        scan(static_cast<Index>(node - node_of_row(0)), distance, parent, target);
      } else if (row_of_col_[node] != kUnmatched) {
        visit_row(parent, at(row_of_col_[node]), distance, node, target);
      } else {
        const double rise = std::max(0.0, parent.free_col - parent.potentials.col[node]);
        search_.reach(node_of_free_cols(), distance + rise, distance, node);
      }
    }
    return kInfinity;
  }

  void scan(Index row, double distance, const Solution& parent, std::size_t target) {
    search_.scan(
        row, distance, parent.potentials,
        [this](std::size_t edge) { return !forbidden_.test(edge) && !fixed_cols_.test(col_of(edge)); },
        [target](std::size_t col) { return col == target; });
  }

  void visit_row(const Solution& parent, std::size_t row, double distance, std::size_t route,
                 std::size_t target) {
    scan(static_cast<Index>(row), distance, parent, target);
    if (has_free_rows_)
      search_.reach(node_of_free_rows(), distance + fall_of_row(parent, row), distance, route);
  }

  void visit_free_rows(const Solution& parent, double distance) {
    for (std::size_t row = 0; row < parent.edge_of_row.size(); ++row) {
      if (parent.edge_of_row[row] != kNoEdge) continue;
      const double rise = std::max(0.0, parent.free_row - parent.potentials.row[row]);
      search_.reach(node_of_row(row), distance + rise, distance, node_of_free_rows());
    }
  }

  void visit_matched_cols(const Solution& parent, double distance) {
    for (std::size_t col = 0; col < row_of_col_.size(); ++col) {
      if (row_of_col_[col] == kUnmatched || fixed_cols_.test(col)) continue;
      search_.reach(col, distance + fall_of_col(parent, col), distance, kFreed);
    }
  }

  // Flips the path that was found, from its end. A node's route is the edge to a column; for the nodes that
  // stand for "free", the column by whose row, or as which, the path came.
  void exchange(std::vector<std::size_t>& edge_of_row, std::size_t missing) const {
    const std::size_t root = row_of(missing);
    std::size_t node = col_of(missing);
    while (true) {
      const std::size_t route = search_.route_of(node);
      if (route == kFreed) {
        node = search_.route_of(node_of_free_cols());
        continue;
      }
      const std::size_t row = row_of(route);
      const std::size_t before = std::exchange(edge_of_row[row], route);
      if (row == root) return;
      if (before != kNoEdge) {
        node = col_of(before);
        continue;
      }
      const std::size_t fallen = search_.route_of(node_of_free_rows());
      const std::size_t fallen_row = fallen == kRoot ? root : at(row_of_col_[fallen]);
      edge_of_row[fallen_row] = kNoEdge;
      if (fallen == kRoot) return;
      node = fallen;
    }
  }

  WeightedCsrGraph<Index> edges_;
  Interrupt* interrupt_ = nullptr;
  Search search_;
  const NumberedEdges<Index> numbered_;
  Bitset forbidden_;
  Bitset fixed_cols_;
  std::vector<Index> row_of_col_;  // in the parent of the part that is worked on
  bool has_free_rows_;
  bool has_free_cols_;
  std::priority_queue<Part> parts_;
};

}  // namespace hankelmatch
