// Good prices for an assignment whose shortest paths grow long: an auction with falling increments, and
// searches from the columns that it leaves free too cheap.
//
// Bertsekas, "The auction algorithm: a distributed relaxation method for the assignment problem", Annals of
// Operations Research 14 (1988). Bertsekas, Castanon, "A forward/reverse auction algorithm for asymmetric
// assignment problems", Computational Optimization and Applications 1 (1992): more columns than rows.
// Goldberg, Kennedy, "An efficient cost scaling algorithm for the assignment problem", Mathematical
// Programming 71 (1995): the same steps as pushes and relabelings.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <hankelmatch/assignment/starting_prices.hpp>
#include <hankelmatch/base/bucket_queue.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/prefetch.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/graph/transpose.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace hankelmatch::detail {

/// Assigns all rows of a graph, if that can be done, so that no row's value is more than epsilon above the
/// least in its row, where the value of an edge is its cost, the weight negated, minus the price of its
/// column; and unless the graph is `square`, so that no column without a row has a lower price than one with
/// a row. Epsilon falls by a factor from round to round. The assignment is nearly the cheapest; its prices
/// are what counts, since they leave few and short paths to exact searches.
///
/// In a round every free row takes its best column, at the price that makes its second best better by
/// epsilon; the row that had the column is free again. Rows wait in a queue, so that what the next ones read
/// can be fetched meanwhile. Then columns without a row whose price is too low raise it until some row would
/// rather have them.
///
/// Values are reckoned from the prices at the start and the least value of each row then, in single
/// precision: 8 bytes an edge, 16 unless `square`. Memory: 20 bytes a row and a column besides.
template <class Index>
class Auction {
 public:
  /// Changes the prices. `over` says how values lie at them.
  Auction(const WeightedCsrGraph<Index>& edges, std::span<double> prices,
          const typename Costs<Index>::OverLeast& over, bool square, Interrupt& interrupt)
      : graph_(edges.graph),
        prices_(prices),
        interrupt_(interrupt),
        square_(square),
        arcs_(edges.n_edges()),
        lowered_(prices.size(), 0.0),
        row_of_(prices.size(), Index{kUnmatched}),
        rows_(at(edges.graph.n_rows)),
        queue_(rows_.size()) {
    // The largest is 2^kLargest or nearly: far from the ends of single precision.
    constexpr int kLargest = 64;
    int exponent = 0;
    std::frexp(over.most, &exponent);
    scale_ = std::ldexp(1.0, std::clamp(kLargest - exponent, -1000, 1000));
    const Costs<Index> costs(edges, interrupt);
    std::size_t i = 0;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      costs.visit_row(row, [&](std::size_t col, double cost) {
        arcs_[i++] = {static_cast<float>((cost - prices[col] - over.least[row]) * scale_),
                      static_cast<Index>(col)};
      });
    }
    if (!square_) list_columns();
  }

  /// Rounds of epsilon from `first` to `last`. Stops early once `most_reads` edges were read, or if some row
  /// has no edge: then some rows have no column.
  void run(double first, double last, std::size_t most_reads) {
    constexpr double kFactor = 5;  // benchmarks.weighted, neighbours: 10 takes as long, 2 longer
    reads_left_ = most_reads;
    double epsilon = first;
    while (round(epsilon * scale_) && epsilon > last) epsilon = std::max(last, epsilon / kFactor);
    for (std::size_t col = 0; col < prices_.size(); ++col) prices_[col] -= lowered_[col] / scale_;
  }

  /// Moves all prices by one amount, so that the highest of a column with a row is 0. Columns above it, which
  /// are free, and those below it by less than `rounding` get 0 too.
  void move_prices_to_0(double rounding) {
    double highest = -kInfinity;
    for (const Row& row : rows_)
      if (row.col != kUnmatched) highest = std::max(highest, prices_[at(row.col)]);
    for (double& price : prices_) price = price - highest > -rounding ? 0.0 : price - highest;
  }

  /// The column of a row, or kUnmatched.
  Index col_of(Index row) const { return rows_[at(row)].col; }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static constexpr std::size_t kEdgesAhead = 8;  // so many rows before their turn their edges are fetched

  struct Arc {
    float cost;
    Index end;  // a column, in the lists of rows
  };
  struct Row {
    double value = 0;  // of the edge to its column
    Index col = kUnmatched;
  };
  struct BestTwo {
    double value = kInfinity;
    double second = kInfinity;
    Index end = kUnmatched;

    void add(double edge_value, Index edge_end) {
      second = std::min(second, std::max(value, edge_value));
      const Index changes = -static_cast<Index>(edge_value < value);
      end ^= (end ^ edge_end) & changes;  // no branch, whatever the compiler
      value = std::min(value, edge_value);
    }
  };

  std::size_t begin_of(std::size_t row) const { return at(graph_.indptr[row]); }
  double value(const Arc& arc) const { return static_cast<double>(arc.cost) + lowered_[at(arc.end)]; }

  void count(std::size_t n_edges) {
    interrupt_.poll(n_edges + 1);
    reads_left_ -= std::min(reads_left_, n_edges + 1);
  }

  BestTwo best_two(std::size_t row) {
    BestTwo best;
    const std::size_t begin = begin_of(row);
    const std::size_t end = begin_of(row + 1);
    for (std::size_t i = begin; i < end; ++i) best.add(value(arcs_[i]), arcs_[i].end);
    count(end - begin);
    return best;
  }

  // Returns false if it was stopped. Not inline: within a larger function the compiler runs out of registers.
  [[gnu::noinline]] bool round(double epsilon) {
    free_rows_above(epsilon);
    for (; n_waiting_ > 0; --n_waiting_) {
      if (reads_left_ == 0) return false;
      fetch();
      const Index row = queue_[first_];
      first_ = next_place(first_);
      const BestTwo best = best_two(at(row));
      if (best.end == kUnmatched) return false;
      const double by = (best.second == kInfinity ? 0.0 : best.second - best.value) + epsilon;
      lowered_[at(best.end)] += by;
      const Index loser = std::exchange(row_of_[at(best.end)], row);
      rows_[at(row)] = {best.value + by, best.end};
      if (loser == kUnmatched) continue;
      rows_[at(loser)].col = kUnmatched;
      wait(loser);
    }
    return square_ || raise_free_columns(epsilon);
  }

  std::size_t next_place(std::size_t place) const { return place + 1 == queue_.size() ? 0 : place + 1; }

  void wait(Index row) {
    queue_[last_] = row;
    last_ = next_place(last_);
    if (++n_waiting_ <= kEdgesAhead) fetch_edges(at(row));
  }

  // The edges of a row some places on, and the columns of a nearer one.
  void fetch() {
    constexpr std::size_t kColsAhead = 4;
    const auto ahead = [&](std::size_t n) {
      const std::size_t place = first_ + n;
      return at(queue_[place < queue_.size() ? place : place - queue_.size()]);
    };
    if (n_waiting_ > kEdgesAhead) fetch_edges(ahead(kEdgesAhead));
    if (n_waiting_ <= kColsAhead) return;
    const std::size_t row = ahead(kColsAhead);
    for (std::size_t i = begin_of(row); i < begin_of(row + 1); ++i) prefetch(&lowered_[at(arcs_[i].end)]);
  }

  void fetch_edges(std::size_t row) const {
    prefetch(std::span<const Arc>(arcs_).subspan(begin_of(row), begin_of(row + 1) - begin_of(row)));
  }

  // Rows whose column is worse than that by more than epsilon lose it.
  void free_rows_above(double epsilon) {
    first_ = last_ = n_waiting_ = 0;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      Row& row = rows_[r];
      if (row.col != kUnmatched && row.value <= best_two(r).value + epsilon) continue;
      if (row.col != kUnmatched) row_of_[at(row.col)] = kUnmatched;
      row.col = kUnmatched;
      wait(static_cast<Index>(r));
    }
  }

  // Columns without a row bid for rows in turn, until none has a lower price than a column with a row.
  // Returns false if it was stopped.
  bool raise_free_columns(double epsilon) {
    double floor = kInfinity;  // of how far prices have fallen: no column with a row has a higher price
    for (std::size_t col = 0; col < row_of_.size(); ++col) {
      if (row_of_[col] != kUnmatched) floor = std::min(floor, fallen(col));
    }
    std::vector<Index> low;
    for (std::size_t col = 0; col < row_of_.size(); ++col) {
      if (row_of_[col] == kUnmatched && fallen(col) > floor) low.push_back(static_cast<Index>(col));
    }
    while (!low.empty()) {
      if (reads_left_ == 0) return false;
      const std::size_t col = at(low.back());
      low.pop_back();
      const Index left = raise(col, floor + prices_[col] * scale_, epsilon);
      if (left != kUnmatched && fallen(at(left)) > floor) low.push_back(left);
    }
    return true;
  }

  double fallen(std::size_t col) const { return lowered_[col] - prices_[col] * scale_; }

  // Raises the price of a free column as far as `lowered`, or until some row takes it, by which its second
  // best row would not have been worse off by more than epsilon; returns the column that this row leaves.
  Index raise(std::size_t col, double lowered, double epsilon) {
    BestTwo best;
    const std::size_t begin = by_col_begin_[col];
    const std::size_t end = by_col_begin_[col + 1];
    for (std::size_t i = begin; i < end; ++i) {
      const Arc& arc = by_col_[i];
      best.add(static_cast<double>(arc.cost) - rows_[at(arc.end)].value, arc.end);
    }
    count(end - begin);
    if (-best.value - epsilon <= lowered) {
      lowered_[col] = lowered;
      return kUnmatched;
    }
    lowered_[col] = std::min(lowered_[col], std::max(lowered, -best.second - epsilon));
    Row& row = rows_[at(best.end)];
    const Index left = row.col;
    row = {best.value + row.value + lowered_[col], static_cast<Index>(col)};
    row_of_[at(left)] = kUnmatched;
    row_of_[col] = best.end;
    return left;
  }

  void list_columns() {
    by_col_.resize(arcs_.size());
    by_col_begin_.assign(prices_.size() + 2, 0);
    for (const Arc& arc : arcs_) ++by_col_begin_[at(arc.end) + 2];
    for (std::size_t col = 2; col < by_col_begin_.size(); ++col) by_col_begin_[col] += by_col_begin_[col - 1];
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      for (std::size_t i = begin_of(row); i < begin_of(row + 1); ++i)
        by_col_[by_col_begin_[at(arcs_[i].end) + 1]++] = {arcs_[i].cost, static_cast<Index>(row)};
    }
  }

  CsrGraph<Index> graph_;
  std::span<double> prices_;  // at the start
  Interrupt& interrupt_;
  bool square_;
  double scale_ = 1;
  std::vector<Arc> arcs_;
  std::vector<Arc> by_col_;
  std::vector<std::size_t> by_col_begin_;
  std::vector<double> lowered_;  // by so much each column's price fell
  std::vector<Index> row_of_;
  std::vector<Row> rows_;
  std::vector<Index> queue_;  // of free rows, a ring
  std::size_t first_ = 0;
  std::size_t last_ = 0;
  std::size_t n_waiting_ = 0;
  std::size_t reads_left_ = 0;
};

/// Epsilon in the first and in the last round of one auction after another, each finer than the one before.
class Epsilons {
 public:
  /// Goes on to the next auction. Values lie `mean` above the least of their rows, the two best of a row are
  /// `gain` apart, both in the mean; this share of the rows waits: the fewer, the nearer are prices to good
  /// ones.
  void refine(double mean, double gain, double share_waiting) {
    constexpr double kFiner = 25;  // than the last of the auction before
    constexpr double kFirstFiner = 5;
    constexpr double kGainsPerStep = 60;  // 20 takes 1.0 to 1.4 times as long, 200 up to 1.1
    constexpr double kMostSteps = 1e6;
    constexpr double kErrorPerShare = 4;
    if (n_auctions_++ > 0) {
      first_ = last_ / kFirstFiner;
      last_ /= kFiner;
    } else {
      last_ = std::max(gain / kGainsPerStep, mean / kMostSteps);
      first_ = std::max(last_, mean * std::min(1.0, kErrorPerShare * share_waiting));
    }
  }

  double first() const { return first_; }
  double last() const { return last_; }
  int n_auctions() const { return n_auctions_; }

 private:
  double first_ = 0;
  double last_ = 0;
  int n_auctions_ = 0;
};

/// Raises the prices of free columns to 0 where they are below, one after another, once all rows are matched.
/// A Problem is as for Bidding (assignment/bidding.hpp) and has also
/// - price_of(col), col_of(row); set_price(col, price); set_free(col): takes its row from a column;
/// - cheapest_to(row, col): the edge.
///
/// As a column's price rises, some row would rather have it than its own column. It gets the column, if its
/// own has the price 0 by then and so may be free. Else both prices rise together, and so on: a shortest path
/// from the column.
template <class Index, class Problem>
class FreeColumns {
 public:
  /// Distances are about `width` apart, or more.
  FreeColumns(const WeightedCsrGraph<Index>& edges, Problem& problem, double width, Interrupt& interrupt)
      : problem_(problem),
        interrupt_(interrupt),
        width_(width),
        by_col_(transpose(edges, interrupt)),
        nodes_(at(edges.graph.n_cols)) {}

  void raise_to_0() {
    for (Index col = 0; col < by_col_.n_rows; ++col) {
      if (!problem_.is_matched(col) && problem_.price_of(col) < 0) raise_to_0(col);
    }
  }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  struct Node {  // a column
    double distance = kInfinity;
    Index route = kUnmatched;  // the column before, which its row takes if the path is flipped
  };

  void raise_to_0(Index root) {
    queue_.clear(width_);
    reached_.assign(1, root);
    nodes_[at(root)].distance = 0;
    nearest_ = -problem_.price_of(root);
    last_ = root;
    queue_.push(0, root);
    typename BucketQueue<Index>::Entry next;
    for (std::size_t n_scanned = 0; queue_.pop(nearest_, next);) {
      if (next.distance != nodes_[at(next.node)].distance || next.distance >= nearest_) continue;
      if (++n_scanned > 2 * reached_.size()) queue_.order_exactly();
      scan(next.node, next.distance);
    }
    for (const Index col : reached_) {
      double& distance = nodes_[at(col)].distance;
      if (distance < nearest_) problem_.set_price(col, problem_.price_of(col) + (nearest_ - distance));
      distance = kInfinity;
    }
    problem_.set_price(last_, 0.0);
    flip(root);
  }

  void scan(Index col, double least) {
    const double price = problem_.price_of(col);
    const auto end = at(by_col_.indptr[at(col) + 1]);
    const auto begin = at(by_col_.indptr[at(col)]);
    for (std::size_t i = begin; i < end; ++i) {
      const Index row = by_col_.indices[i];
      const double over = -by_col_.data[i] - price - problem_.potential_of(row);
      const double there = std::max(least, least + over);
      if (there < nearest_) reach(problem_.col_of(row), col, there);
    }
    interrupt_.poll(end - begin + 1);
  }

  void reach(Index col, Index route, double distance) {
    Node& node = nodes_[at(col)];
    if (!(distance < node.distance)) return;
    if (node.distance == kInfinity) reached_.push_back(col);
    node = {distance, route};
    queue_.push(distance, col);
    if (const double end = distance - problem_.price_of(col); end < nearest_) {
      nearest_ = end;
      last_ = col;
    }
  }

  // Rows move towards the root, from the column that is free from then on.
  void flip(Index root) {
    if (last_ == root) return;
    Index row = problem_.row_of(last_);
    Index col = last_;
    problem_.set_free(last_);
    do {
      col = nodes_[at(col)].route;
      row = problem_.take(row, problem_.cheapest_to(row, col));
    } while (col != root);
  }

  Problem& problem_;
  Interrupt& interrupt_;
  double width_;
  CsrMatrix<Index> by_col_;
  std::vector<Node> nodes_;
  std::vector<Index> reached_;
  BucketQueue<Index> queue_;
  double nearest_ = kInfinity;
  Index last_ = kUnmatched;  // the nearest column that may be free, or the root
};

}  // namespace hankelmatch::detail
