// The part of a text's prefix-suffix graph where its two sides can only be matched together (see
// hankel/hankel_matching.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/counting_sort.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/renumbering.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/hankel/longest_strings.hpp>
#include <hankelmatch/matching/hopcroft_karp.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/matching/vertex_cover.hpp>
#include <hankelmatch/strings/trie.hpp>
#include <utility>
#include <vector>

namespace hankelmatch::detail {

template <class Id>
struct Edge {
  Id row;
  Id col;
};

/// Some strings, and these with all their prefixes.
struct StringsWithPrefixes {
  Bitset strings;
  Bitset prefixes;
};

/// The strings shorter than T that end in one of some suffixes.
template <class Id>
StringsWithPrefixes with_prefixes_ending_in(const Trie<Id>& trie, const Bitset& suffixes,
                                            Interrupt& interrupt) {
  Bitset strings = strings_ending_in(trie, suffixes, interrupt);
  Bitset prefixes = strings;
  for (std::size_t length = trie.n_levels() - 1; length > 0; --length) {
    interrupt.check();
    prefixes.for_each(at(trie.level_begin[length]), at(trie.level_begin[length + 1]),
                      [&](std::size_t x) { prefixes.set(at(trie.parent[x])); });
  }
  return {std::move(strings), std::move(prefixes)};
}

/// The edges between some short prefixes and some short suffixes; `ending` holds all strings that end in
/// these suffixes. Cost: a look at the strings that begin with a prefix of one of them.
template <class Id>
std::vector<Edge<Id>> edges_between(const LongestStrings<Id>& full, const Bitset& prefixes,
                                    const Bitset& suffixes, const StringsWithPrefixes& ending,
                                    Interrupt& interrupt) {
  const Trie<Id>& trie = full.trie;
  std::vector<Edge<Id>> edges;
  std::size_t length = 0;
  prefixes.for_each([&](std::size_t p) {
    interrupt.poll();
    while (at(trie.level_begin[length + 1]) <= p) ++length;
    auto begin = static_cast<Id>(p);
    Id end = begin + 1;
    for (std::size_t n = 0; n < full.suffix_bound; ++n) {
      if (ending.prefixes.find_next(at(begin), at(end)) == at(end)) break;
      ending.strings.for_each(at(begin), at(end), [&](std::size_t x) {
        const Id suffix = shorter_suffix(trie, static_cast<Id>(x), length);
        if (suffixes.test(at(suffix))) edges.push_back({static_cast<Id>(p), suffix});
      });
      begin = trie.child_begin[at(begin)];
      end = trie.child_begin[at(end)];
    }
  });
  return edges;
}

/// Calls visit(row, column) for all edges of some rows.
template <class Id, class Rows, class Visit>
void for_each_edge_of(const Rows& rows, const Bitset& wanted, Interrupt& interrupt, const Visit& visit) {
  wanted.for_each([&](std::size_t r) {
    const auto row = static_cast<Id>(r);
    Id cursor = rows.begin(row);
    const auto any = [](Id) { return true; };
    for (Id col = rows.find(row, cursor, any); col != kUnmatched; col = rows.find(row, cursor, any)) {
      interrupt.poll();
      visit(row, col);
    }
  });
}

/// Some rows that searches from free rows reached, their mates, and all edges between reached rows and these
/// mates.
template <class Id>
struct AlternatingPart {
  Bitset rows;
  Bitset cols;
  std::vector<Edge<Id>> edges;
};

/// The reached rows from which alternating paths lead to some row of `ends`; no other reached row has an edge
/// to one of their mates. Cost: a list of the edges of all reached rows.
template <class Id, class Rows>
AlternatingPart<Id> part_leading_to(std::vector<Id> ends, const Rows& rows, const Bitset& reached_rows,
                                    const Bitset& reached_cols, const Mates<Id>& row_mate,
                                    Interrupt& interrupt) {
  using Index = std::int64_t;  // they may have more edges than the graph has nodes
  const Renumbering<Id> cols(reached_cols);
  std::vector<Id> edge_rows;
  std::vector<Index> edge_cols;
  for_each_edge_of<Id>(rows, reached_rows, interrupt, [&](Id row, Id col) {
    edge_rows.push_back(row);
    edge_cols.push_back(static_cast<Index>(cols.number(col)));
  });
  const Groups<Index> by_col(edge_cols, cols.size(), interrupt);
  AlternatingPart<Id> part{Bitset(reached_rows.size()), Bitset(reached_cols.size()), {}};
  const auto add = [&](Id row) {
    if (part.rows.test(at(row))) return;
    part.rows.set(at(row));
    ends.push_back(row);
  };
  for (const Id end : std::exchange(ends, {})) add(end);
  while (!ends.empty()) {
    const Id mate = row_mate[at(ends.back())];
    ends.pop_back();
    if (mate == kUnmatched) continue;
    part.cols.set(at(mate));
    const std::size_t col = cols.number(mate);
    for (Index k = by_col.begin[col]; k < by_col.begin[col + 1]; ++k) {
      interrupt.poll();
      const Id row = edge_rows[at(by_col.order[at(k)])];
      part.edges.push_back({row, mate});
      add(row);
    }
  }
  return part;
}

/// Some rows and columns of a graph with a list of the edges between them. The mate of each of these nodes is
/// one of them.
template <class Id>
class TwoSidedPart {
 public:
  using Index = std::int64_t;  // it may have more edges than the graph has nodes

  TwoSidedPart(const Bitset& rows, const Bitset& cols) : rows_(rows), cols_(cols) {}

  void add_edge(Id row, Id col) {
    edge_rows_.push_back(static_cast<Index>(rows_.number(row)));
    edge_cols_.push_back(static_cast<Index>(cols_.number(col)));
  }
  std::size_t n_edges() const { return edge_rows_.size(); }

  /// Makes the matching maximum in this part.
  void match(Matching<Id>& matching, Interrupt& interrupt) {
    Groups<Index> by_row(edge_rows_, rows_.size(), interrupt);
    graph_.n_rows = static_cast<Index>(rows_.size());
    graph_.n_cols = static_cast<Index>(cols_.size());
    graph_.indptr = std::move(by_row.begin);
    graph_.indices.reserve(n_edges());
    for (const Index edge : by_row.order) graph_.indices.push_back(edge_cols_[at(edge)]);
    found_ = hopcroft_karp(graph_.view(), part_of(matching), interrupt);
    write_to(matching);
  }

  /// Adds to two sets a vertex cover of this part that is as large as its matching.
  void cover(Bitset& rows, Bitset& cols, Interrupt& interrupt) const {
    const VertexCover<Index> cover = minimum_vertex_cover(graph_.view(), found_, interrupt);
    for (const Index row : cover.rows) rows.set(at(rows_.node(at(row))));
    for (const Index col : cover.cols) cols.set(at(cols_.node(at(col))));
  }

 private:
  Matching<Index> part_of(const Matching<Id>& matching) const {
    Matching<Index> part(static_cast<Index>(rows_.size()), static_cast<Index>(cols_.size()));
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const Id col = matching.row_mate[at(rows_.node(row))];
      if (col != kUnmatched) part.join(static_cast<Index>(row), static_cast<Index>(cols_.number(col)));
    }
    return part;
  }

  /// A row or column that had a mate keeps one.
  void write_to(Matching<Id>& matching) const {
    for (std::size_t row = 0; row < rows_.size(); ++row)
      if (found_.row_mate[row] != kUnmatched)
        matching.rejoin(rows_.node(row), cols_.node(at(found_.row_mate[row])));
  }

  Renumbering<Id> rows_;
  Renumbering<Id> cols_;
  std::vector<Index> edge_rows_;
  std::vector<Index> edge_cols_;
  CsrMatrix<Index> graph_;
  Matching<Index> found_;
};

}  // namespace hankelmatch::detail
