// Cheapest assignment of every row to a column of its own, where all edges are read and kept: for short rows.
//
// Jonker, Volgenant, "A shortest augmenting path algorithm for dense and sparse linear assignment problems",
// Computing 38 (1987): column reduction. Duff, Koster, "On algorithms for permuting large entries to the
// diagonal of a sparse matrix", SIAM J. Matrix Anal. Appl. 22 (2001): the sparse search and its early end
// (MC64). Hopcroft, Karp, SIAM J. Comput. 2 (1973): many paths of one length at a time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/assignment/bidding.hpp>
#include <hankelmatch/assignment/fresh_starts.hpp>
#include <hankelmatch/assignment/starting_prices.hpp>
#include <hankelmatch/base/bucket_queue.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/prefetch.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace hankelmatch {

/// Does what Assignment does, with the same invariants and results, for problems whose rows are short or that
/// leave no column free.
///
/// Columns are reduced if none will stay free, rows bid, first for free columns only; what tight edges allow
/// is matched depth first; then searches from all free rows at once, each followed by a depth-first one along
/// the edges that it made tight, as long as these match many rows (as where weights are small integers); then
/// a search from each row left. If the searches grow long, they start again from other prices
/// (assignment/fresh_starts.hpp).
template <class Index>
class FullAssignment : private detail::Bidding<Index, FullAssignment<Index>, detail::RowCursor<Index>>,
                       private detail::FreshStarts<Index, FullAssignment<Index>> {
  using Cursor = detail::RowCursor<Index>;
  using Costs = detail::Costs<Index>;
  using Base = detail::Bidding<Index, FullAssignment, Cursor>;
  using Fresh = detail::FreshStarts<Index, FullAssignment>;
  friend Base;
  friend Fresh;
  friend detail::FreeColumns<Index, FullAssignment>;
  using Base::best_two;
  using Base::bid;
  using Base::kInfinity;
  using Base::match_tight;
  using Base::match_tight_again;
  using Fresh::may_start_again;
  using typename Base::BestTwo;
  using typename Base::Edge;

 public:
  /// The cost of an edge is its weight negated; the arrays must outlive the problem. If `square`, no column
  /// that has an edge will stay free: then prices may have any sign.
  FullAssignment(const CsrGraph<Index>& graph, std::span<const double> weights, bool square,
                 Interrupt& interrupt, Restarts restarts = Restarts::kWhenSearchesAreLong)
      : Fresh({graph, weights}, square, restarts != Restarts::kNever, interrupt),
        edges_{graph, weights},
        interrupt_(interrupt),
        rows_(at(graph.n_rows)),
        cols_(at(graph.n_cols)),
        mates_(at(graph.n_cols)),
        reached_(at(graph.n_cols)),
        pace_(rows_.size(), edges_.n_edges()),
        is_large_(edges_.n_edges() >= kLarge),
        square_(square),
        restarts_(restarts) {}

  /// Returns false, and leaves the rest undone, if some row cannot be matched.
  [[nodiscard]] bool solve() {
    constexpr std::size_t kAtOnce = 16;  // one in so many free rows is searched from, then costs are compared
    std::vector<Index> waiting = first_bids();
    bid(waiting, rows_.size());
    match_tight(waiting);
    // What either kind of search has lately cost for each row that it matched decides which is next.
    double cost_of_all = 0;
    double cost_of_one = 0;
    while (!waiting.empty()) {
      if (may_start_again() && searches_are_long(waiting.size())) {
        start_again(waiting);
        continue;
      }
      const std::size_t n_before = waiting.size();
      const std::uint64_t work_before = work_;
      const bool from_all = cost_of_all <= cost_of_one;
      if (from_all) {
        if (!search_from(waiting)) return false;
        match_tight(waiting);
      } else if (!search_from_last(waiting, 1 + n_before / kAtOnce)) {
        return false;
      }
      const auto n_matched = static_cast<double>(n_before - waiting.size());
      (from_all ? cost_of_all : cost_of_one) = static_cast<double>(work_ - work_before) / n_matched;
    }
    Fresh::raise_free_columns(gains_);
    return true;
  }

  Index col_of(Index row) const { return rows_[at(row)].col; }
  double potential_of(Index row) const {
    const Row& r = rows_[at(row)];
    return r.cost - cols_[at(r.col)].price;
  }
  double price_of(Index col) const { return cols_[at(col)].price; }

 private:
  // Smaller problems stay in the caches, and take up to an eighth longer if searches fetch what comes next.
  static constexpr std::size_t kLarge = std::size_t{1} << 16;  // edges

  struct Row {
    double cost = 0;  // of the edge to its mate
    Index col = kUnmatched;
  };
  struct Col {
    double price = 0;
    double distance = kInfinity;  // from the roots of the current search
  };
  // What else is known of a column, looked at less often.
  struct Mate {
    Index row = kUnmatched;
    Index route_row = kUnmatched;  // by whose edge the search came
  };

  std::size_t begin_of(Index row) const { return at(edges_.graph.indptr[at(row)]); }
  std::size_t end_of(Index row) const { return at(edges_.graph.indptr[at(row) + 1]); }

  Cursor cursor(Index row) const { return Cursor(edges_, row); }
  Cursor cursor_after(Index row, std::size_t place) const { return Cursor(edges_, row, place + 1); }
  Edge edge_at(Index /*row*/, std::size_t place) const {
    return {-edges_.weights[place], edges_.graph.indices[place]};
  }
  double value(const Edge& edge) const { return edge.cost - cols_[at(edge.col)].price; }
  bool is_matched(Index col) const { return mates_[at(col)].row != kUnmatched; }
  Index row_of(Index col) const { return mates_[at(col)].row; }
  bool is_free(Index row) const { return rows_[at(row)].col == kUnmatched; }
  void release(Index row) { rows_[at(row)].col = kUnmatched; }
  void lower_price(Index col, double by) { cols_[at(col)].price -= by; }
  void set_price(Index col, double price) { cols_[at(col)].price = price; }
  void set_free(Index col) { mates_[at(col)].row = kUnmatched; }
  double tight_up_to(Index row) const {
    const Row& r = rows_[at(row)];
    return potential_of(row) + rounding({r.cost, r.col});
  }
  // By so much the value of an edge may be off.
  double rounding(const Edge& edge) const {
    constexpr double kRounding = 0x1p-49;
    return gains_.are_integers() ? 0.0
                                 : kRounding * (std::abs(edge.cost) + std::abs(cols_[at(edge.col)].price));
  }
  double least_value(Index row) { return best_two(row).value; }
  std::size_t mark_of(Index col) const { return at(col); }
  std::size_t n_marks() const { return cols_.size(); }

  void count(std::size_t n_edges) {
    work_ += n_edges + 1;
    interrupt_.poll(n_edges + 1);
  }

  bool searches_are_long(std::size_t n_waiting) {
    return restarts_ == Restarts::kAtOnce || pace_.is_too_slow(work_, n_waiting);
  }

  void start_again(std::vector<Index>& waiting) {
    Fresh::start_again(waiting, gains_);
    work_ = 0;
    pace_.begin_again();
  }

  // Returns the rows that still wait. Columns are reduced first, if none will stay free; and where that
  // settles few rows, rows before columns if costs depend most on the row.
  std::vector<Index> first_bids() {
    constexpr std::size_t kMany = 8;  // one in so many; easy problems are over before costs are compared
    const Costs costs(edges_, interrupt_);
    if (square_) set_prices(costs.prices_above_0());
    std::vector<Index> waiting = bid_for_free();
    if (!square_ || waiting.size() * kMany < rows_.size() || !costs.depend_on_rows()) return waiting;
    forget_matching();
    // Costs are counted from the row's least: else rows whose costs are high would find no tight edge.
    set_prices(costs.prices_above(costs.least_costs()));
    return bid_for_free();
  }

  std::vector<double> prices() const {
    std::vector<double> result(cols_.size());
    for (std::size_t c = 0; c < cols_.size(); ++c) result[c] = cols_[c].price;
    return result;
  }

  // 0 where a price is infinite: columns without edges.
  void set_prices(std::span<const double> prices) {
    for (std::size_t c = 0; c < cols_.size(); ++c) cols_[c].price = prices[c] < kInfinity ? prices[c] : 0.0;
  }

  void forget_matching() {
    std::ranges::fill(rows_, Row{});
    std::ranges::fill(mates_, Mate{});
  }

  // Every row whose best column is free takes it, at the price that makes its second best as good; returns
  // the others.
  std::vector<Index> bid_for_free() {
    std::vector<Index> waiting;
    detail::Gains gains;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const auto row = static_cast<Index>(r);
      const BestTwo best = best_two(row);
      if (!best.is_only()) gains.add(best.second_value - best.value);
      const Edge edge = best.value < kInfinity ? Base::preferred(row, best) : Edge{};
      if (edge.col == kUnmatched || is_matched(edge.col)) {
        waiting.push_back(row);
      } else {
        take(row, edge);
        if (!best.is_only()) lower_price(edge.col, best.second_value - best.value);
      }
    }
    gains_ = gains;
    return waiting;
  }

  // Gives a column to a row; returns the row that had it. The column that the row had is not touched.
  Index take(Index row, const Edge& edge) {
    rows_[at(row)] = {edge.cost, edge.col};
    return std::exchange(mates_[at(edge.col)].row, row);
  }

  // Dijkstra's search over reduced costs, from free rows to the nearest free column. What lies farther than
  // the nearest free column known so far is not queued.
  bool search_from(std::span<const Index> roots) {
    queue_.clear(gains_.bucket_width());
    n_reached_ = 0;
    nearest_ = kInfinity;
    nearest_col_ = kUnmatched;
    for (const Index root : roots) scan(root, best_two(root).value, 0.0);
    typename BucketQueue<Index>::Entry next;
    for (std::size_t n_scanned = 0; queue_.pop(nearest_, next);) {
      // Else a shorter way was found since, or to a free column.
      if (next.distance != cols_[at(next.node)].distance || next.distance >= nearest_) continue;
      if (++n_scanned > 2 * n_reached_) queue_.order_exactly();
      if (is_large_) fetch_next();
      const Index row = mates_[at(next.node)].row;
      scan(row, potential_of(row) - next.distance, next.distance);
    }
    const bool found = nearest_col_ != kUnmatched;
    // The prices that keep all reduced costs from falling below 0 once the path is flipped.
    for (const Index c : std::span(reached_).first(n_reached_)) {
      Col& col = cols_[at(c)];
      if (found) col.price += std::min(0.0, col.distance - nearest_);
      col.distance = kInfinity;
    }
    if (found) flip_path();
    return found;
  }

  bool search_from_last(std::vector<Index>& waiting, std::size_t n) {
    for (; n > 0 && !(may_start_again() && searches_are_long(waiting.size())); --n, waiting.pop_back()) {
      if (!search_from({&waiting.back(), 1})) return false;
    }
    return true;
  }

  // The first edges of the row that is scanned next; the rest of a long one comes by itself.
  void fetch_next() {
    constexpr std::size_t kFirst = 32;
    const Index col = queue_.next();
    if (col == kUnmatched) return;
    const Index row = mates_[at(col)].row;
    const std::size_t n = std::min(end_of(row) - begin_of(row), kFirst);
    prefetch(edges_.graph.indices.subspan(begin_of(row), n));
    prefetch(edges_.weights.subspan(begin_of(row), n));
  }

  // The distance of a column along this row's edge is cost - price - offset.
  void scan(Index row, double offset, double least) {
    if (least >= nearest_) return;
    const std::size_t end = end_of(row);
    for (std::size_t i = begin_of(row); i < end; ++i) {
      const Index c = edges_.graph.indices[i];
      Col& col = cols_[at(c)];
      const double distance =
          std::max(-edges_.weights[i] - offset - col.price, least);  // rounding: never back
      if (!(distance < std::min(col.distance, nearest_))) continue;
      if (col.distance == kInfinity) reached_[n_reached_++] = c;
      col.distance = distance;
      Mate& mate = mates_[at(c)];
      mate.route_row = row;
      if (mate.row == kUnmatched) {
        nearest_ = distance;
        nearest_col_ = c;
      } else {
        if (is_large_) {
          prefetch(&edges_.graph.indptr[at(mate.row)]);
          prefetch(&rows_[at(mate.row)]);
        }
        queue_.push(distance, c);
      }
    }
    count(end_of(row) - begin_of(row));
  }

  void flip_path() {
    for (Index col = nearest_col_; col != kUnmatched;) {
      const Index row = mates_[at(col)].route_row;
      const Index left = rows_[at(row)].col;
      take(row, cheapest_to(row, col));
      col = left;
    }
  }

  Edge cheapest_to(Index row, Index col) const {
    Edge best{kInfinity, col};
    for (std::size_t i = begin_of(row), end = end_of(row); i < end; ++i) {
      const Edge edge = edge_at(row, i);
      if (edge.col == col && edge.cost < best.cost) best = edge;
    }
    return best;
  }

  WeightedCsrGraph<Index> edges_;
  Interrupt& interrupt_;
  std::vector<Row> rows_;
  std::vector<Col> cols_;
  std::vector<Mate> mates_;  // of the columns
  BucketQueue<Index> queue_;
  detail::Gains gains_;  // of the first bids
  std::vector<Index> reached_;
  std::size_t n_reached_ = 0;
  double nearest_ = kInfinity;
  std::uint64_t work_ = 0;  // edges looked at
  detail::Pace pace_;
  Index nearest_col_ = kUnmatched;
  bool is_large_;
  bool square_;
  Restarts restarts_;
};

}  // namespace hankelmatch
