// The cheapest edges of every row, of which no more are kept and sorted than are asked for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <hankelmatch/assignment/bidding.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/memory.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <limits>
#include <utility>
#include <vector>

namespace hankelmatch {

/// Visits edges: source(visitor) passes every edge of the rows that want any to the Visitor of CheapestEdges,
/// the same edges each time. The optional members are the concepts below.
template <class Source, class Visitor>
concept EdgeSource = requires(const Source& source, const Visitor& visitor) { source(visitor); };

/// max_edges(row): at least as many as the row has edges. No more places are reserved.
template <class Source>
concept BoundsEdges = requires(const Source& source, std::size_t row) { source.max_edges(row); };

/// Visits ids in place of columns that cost time to find. The ids of a row ascend with its columns;
/// column_of(row)(id) is the column, or kUnmatched if the id is no edge.
template <class Source>
concept VisitsIds = requires(const Source& source, std::size_t row) { source.column_of(row); };

/// has_list(row): whether visit_list(row, visitor) visits the edges of this row without a pass over all
/// edges. The other rows get more places from the first.
template <class Source>
concept ListsRows = requires(const Source& source, std::size_t row) { source.has_list(row); };

/// The edges of every row, the cheapest first (ties: lowest column). The first few edges of a row settle most
/// rows of a large problem, so no more edges are kept or sorted than are asked for: a pass over all edges
/// keeps the cheapest of each row, and a row read to their end takes another pass, which keeps eight times as
/// many for it and for all rows that are likely to need them next.
///
/// Source: see EdgeSource.
/// Memory: 16 bytes for each edge kept, 80 a row. The places of a pass stay until the last row leaves them;
/// the next pass has eight times as many for each row that left, so all old places are an eighth of the new
/// ones.
template <class Index, class Source>
class CheapestEdges {
 public:
  using RowIndex = Index;
  using Edge = detail::CostEdge<Index>;

  /// A row while its edges are collected: none is wanted that is not cheaper than the dearest.
  struct OpenRow {
    Edge* end;   // of those kept
    Edge* full;  // of its places
    Edge dearest;

    bool wants_any() const { return dearest.cost > kClosed.cost; }
  };

  class Visitor {
   public:
    explicit Visitor(CheapestEdges& edges) : edges_(edges) {}

    OpenRow& row(Index r) const { return edges_.open_[at(r)]; }
    /// One that wants no edge.
    OpenRow& no_row() const { return edges_.closed_; }

    void operator()(Index r, double cost, Index id) const { add(row(r), cost, id); }
    /// Writes an edge before it is known whether it is wanted: what cannot be foreseen should be no branch.
    void add(OpenRow& row, double cost, Index id) const {
      const Edge edge{cost, id};
      *row.end = edge;
      row.end += cheaper(edge, row.dearest) ? 1 : 0;
      if (row.end == row.full) edges_.drop_dearer_half(row);
    }

   private:
    CheapestEdges& edges_;
  };

  /// Keeps `n_kept` > 0 to twice as many edges of each row at first.
  CheapestEdges(Index n_rows, Source source, std::size_t n_kept)
      : source_(std::move(source)), rows_(at(n_rows)) {
    static_assert(EdgeSource<Source, Visitor>);
    constexpr std::size_t kMoreAtFirst = 4;  // where another pass would be needed
    open_.assign(rows_.size(), closed_);
    for (std::size_t r = 0; r < rows_.size(); ++r)
      want(r, 2 * n_kept * (ListsRows<Source> && !has_list(r) ? kMoreAtFirst : 1));
    collect();
  }
  CheapestEdges(const CheapestEdges&) = delete;  // open rows point into it
  CheapestEdges& operator=(const CheapestEdges&) = delete;

  Index n_rows() const { return static_cast<Index>(rows_.size()); }

  /// Edge i of a row, counted from the cheapest; null after the last one. Good until the next call.
  const Edge* edge(Index r, std::size_t i) {
    Row& row = rows_[at(r)];
    while (i >= row.n_sorted) {
      if (!sort_more(row) && !collect_more(at(r))) return nullptr;
    }
    return row.edges + i;
  }

  /// Calls visit(edge), cheapest first, until it returns false or the row ends.
  template <class Visit>
  void visit_row(Index r, const Visit& visit) {
    std::size_t i = 0;
    for (const Edge* e = edge(r, i); e != nullptr && visit(*e); e = edge(r, i)) ++i;
  }

 private:
  // The first n_sorted of its n_kept edges come cheapest first. If it is `cut` they are those up to the
  // dearest kept, else all.
  struct Row {
    Edge* edges = nullptr;
    std::size_t n_sorted = 0;
    std::size_t n_kept = 0;
    std::size_t n_places = 0;
    std::size_t pass = 0;
    bool cut = false;
    bool wanted = false;  // its edges are to be collected
  };

  // The places that one pass over the edges filled, and how many rows still use them.
  struct Pass {
    Buffer<Edge> places;
    std::size_t n_rows;
  };

  // Behind every edge, and behind none.
  static constexpr Edge kNone{std::numeric_limits<double>::infinity(), 0};
  static constexpr Edge kClosed{-std::numeric_limits<double>::infinity(), 0};

  static constexpr std::size_t kMore = 8;  // times as many places for a row that is exhausted

  static bool cheaper(const Edge& a, const Edge& b) {
    return (a.cost < b.cost) | ((a.cost == b.cost) & (a.col < b.col));
  }

  // A row counts as cut once its places are full, so one is left free behind all of its edges. Fewer than two
  // could not be halved.
  void want(std::size_t r, std::size_t n_places) {
    constexpr std::size_t kFewest = 2;
    if constexpr (BoundsEdges<Source>)
      n_places = std::min(n_places, std::max(kFewest, source_.max_edges(r) + 1));
    rows_[r].n_places = n_places;
    rows_[r].wanted = true;
  }

  // For the rows that are wanted, until what was kept of each suffices.
  void collect() {
    for (bool again = true; again;) {
      std::size_t size = 0;
      for (const Row& row : rows_) size += row.wanted ? row.n_places : 0;
      const std::size_t pass = new_pass(size);
      Edge* free = passes_[pass].places.span().data();
      for (std::size_t r = 0; r < rows_.size(); ++r)
        if (rows_[r].wanted) free = open(r, free, pass);
      source_(Visitor(*this));
      again = false;
      for (std::size_t r = 0; r < rows_.size(); ++r)
        if (rows_[r].wanted) again |= !close(r);
    }
  }

  std::size_t new_pass(std::size_t n_places) {
    passes_.push_back({Buffer<Edge>(n_places), 0});
    return passes_.size() - 1;
  }

  // Returns the end of the row's places, which begin at `free`. The last row to leave a pass releases its
  // memory.
  Edge* open(std::size_t r, Edge* free, std::size_t pass) {
    if (rows_[r].edges != nullptr && --passes_[rows_[r].pass].n_rows == 0)
      passes_[rows_[r].pass].places = Buffer<Edge>();
    ++passes_[pass].n_rows;
    Edge* const full = free + rows_[r].n_places;
    rows_[r] = {free, 0, 0, rows_[r].n_places, pass, false, true};
    open_[r] = {free, full, kNone};
    return full;
  }

  // Returns false, and the row is wanted again with more places, if of what was kept most was no edge.
  bool close(std::size_t r) {
    Row& row = rows_[r];
    row.n_kept = static_cast<std::size_t>(find_columns(r, row.edges, open_[r].end) - row.edges);
    row.wanted = false;
    open_[r] = closed_;
    if (!row.cut || row.n_kept > row.n_places / kMore) return true;
    want(r, kMore * row.n_places);
    return false;
  }

  // Puts columns in the place of ids and drops what is no edge. Returns the end of what is left.
  Edge* find_columns(std::size_t r, Edge* begin, Edge* end) const {
    if constexpr (VisitsIds<Source>) {
      const auto column = source_.column_of(r);
      for (Edge* edge = begin; edge != end; ++edge) edge->col = column(edge->col);
      return std::remove_if(begin, end, [](const Edge& edge) { return edge.col == kUnmatched; });
    }
    return end;
  }

  // Then what is dearer than the rest is not let in again.
  void drop_dearer_half(OpenRow& open) {
    Row& row = rows_[static_cast<std::size_t>(&open - open_.data())];
    open.end = row.edges + row.n_places / 2;
    std::nth_element(row.edges, open.end - 1, open.full, cheaper);
    open.dearest = *(open.end - 1);
    row.cut = true;
  }

  bool collect_more(std::size_t exhausted) {
    if (!rows_[exhausted].cut) return false;
    if (has_list(exhausted)) return collect_list(exhausted);
    for (std::size_t r = 0; r < rows_.size(); ++r)
      if (rows_[r].cut && 2 * rows_[r].n_sorted >= rows_[r].n_kept && !has_list(r))
        want(r, kMore * rows_[r].n_places);
    collect();
    return true;
  }

  bool has_list(std::size_t r) const {
    if constexpr (ListsRows<Source>) return source_.has_list(r);
    return false;
  }

  bool collect_list(std::size_t r) {
    if constexpr (ListsRows<Source>) {
      want(r, kMore * rows_[r].n_places);
      do {
        const std::size_t pass = new_pass(rows_[r].n_places);
        open(r, passes_[pass].places.span().data(), pass);
        source_.visit_list(r, Visitor(*this));
      } while (!close(r));
    }
    return true;
  }

  // Each time four times as many edges are sorted, so a row read to its end costs O(degree * log(degree)).
  bool sort_more(Row& row) {
    constexpr std::size_t kFirst = 16;
    if (row.n_sorted == row.n_kept) return false;
    const std::size_t more = std::max(kFirst, 3 * row.n_sorted);
    Edge* const first = row.edges + row.n_sorted;
    Edge* const last = row.edges + row.n_kept;
    row.n_sorted = row.n_kept - row.n_sorted > 2 * more ? row.n_sorted + more : row.n_kept;
    Edge* const middle = row.edges + row.n_sorted;
    if (middle != last) std::nth_element(first, middle, last, cheaper);
    std::sort(first, middle, cheaper);
    return true;
  }

  Source source_;
  std::vector<Row> rows_;
  std::vector<Pass> passes_;
  std::vector<OpenRow> open_;
  Edge unwanted_{};  // the one place of a row that wants none
  OpenRow closed_{&unwanted_, &unwanted_ + 1, kClosed};
};

}  // namespace hankelmatch
