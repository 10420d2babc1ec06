// A maximum matching of a text's prefix-suffix graph that looks at few of its edges and never builds their
// list.
//
// The strings are all substrings up to a length T. Call a prefix short if its length is at most floor(T / 2),
// a suffix if at most floor((T - 1) / 2). The bounds add up to T - 1, so every edge has a short end. The
// edges of short prefixes with long suffixes and those of short suffixes with long prefixes are two graphs
// without a common node: each is matched by itself, from its few short nodes. Edges of two short nodes are
// left out, and looked at only by the certificate:
//
// Let Z be the short prefixes that searches from free ones reach, Y the short suffixes likewise. If no edge
// joins Z and Y,
//     C = (short prefixes - Z) + (long suffixes next to Z) + (short suffixes - Y) + (long prefixes next to Y)
// touches every edge (p, s): if p is in Z, s is long and next to it, or short and not in Y; likewise if s is
// in Y; else the short end of the edge is in C itself. And |C| = |M|: all nodes of C are matched, since a
// free one would have ended a failed search; the mates of those next to Z are in Z, of those next to Y in Y,
// so each pair has one end in C.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/bitset.hpp>
#include <hankelmatch/interrupt.hpp>
#include <hankelmatch/large_pages.hpp>
#include <hankelmatch/matching.hpp>
#include <hankelmatch/parallel.hpp>
#include <hankelmatch/radix_sort.hpp>
#include <hankelmatch/trie.hpp>
#include <span>
#include <utility>
#include <vector>

namespace hankelmatch {

/// A maximum matching of all substrings up to T, and what proves it.
template <class Id>
struct HankelMatching {
  Matching<Id> matching;       ///< rows = prefixes, columns = suffixes, both by trie node
  std::vector<Id> cover_rows;  ///< with cover_cols a vertex cover of the size of the matching; ascending
  std::vector<Id> cover_cols;
  std::uint64_t n_edges_seen = 0;  ///< edges looked at, of the many there are
};

namespace detail {

template <class Id>
std::size_t at(Id i) {
  return static_cast<std::size_t>(i);
}

/// The first descendant `levels` levels below a node, or where it would stand; that of `node + 1` ends the
/// interval of the node's own.
template <class Id>
Id first_descendant(const Trie<Id>& trie, Id node, std::size_t levels) {
  for (; levels > 0; --levels) node = trie.child_begin[at(node)];
  return node;
}

/// What both halves read: the longest strings, which are the edges between the longest short and the shortest
/// long nodes.
template <class Id>
struct MiddleStrings {
  const Trie<Id>& trie;
  std::size_t longest;          ///< T
  std::size_t prefix_bound;     ///< prefixes shorter than this are short: floor(T / 2) + 1
  std::size_t suffix_bound;     ///< and suffixes: floor((T + 1) / 2); the two add up to T + 1
  Id begin;                     ///< the first string of length T
  std::vector<Id> long_suffix;  ///< of string begin + k, its last suffix_bound symbols

  MiddleStrings(const Trie<Id>& t, Interrupt& interrupt)
      : trie(t),
        longest(t.n_levels() - 1),
        prefix_bound(longest / 2 + 1),
        suffix_bound((longest + 1) / 2),
        begin(t.level_begin[longest]) {
    reserve_large(long_suffix, t.n_nodes() - at(begin));
    long_suffix.resize(t.n_nodes() - at(begin));
    interrupt.check();
    const std::size_t n_workers = workers_for(long_suffix.size());
    run_workers(n_workers, [&](std::size_t w) {
      const std::size_t end = long_suffix.size() * (w + 1) / n_workers;
      for (std::size_t k = long_suffix.size() * w / n_workers; k < end; ++k) {
        Id suffix = begin + static_cast<Id>(k);
        for (std::size_t i = suffix_bound; i < longest; ++i) suffix = trie.suffix[at(suffix)];
        long_suffix[k] = suffix;
      }
    });
  }
};

/// An interval of nodes or of places.
template <class Id>
struct Interval {
  Id begin;
  Id end;
};

/// Prefixes shorter than some bound and, for each, its suffixes of at least some length, the longest first.
/// The strings that begin with a prefix and have one length are an interval of the trie.
///
/// A cursor into the list of a prefix is the next string of length T or, below those, the last string told.
template <class Id>
class PrefixRows {
 public:
  PrefixRows(const MiddleStrings<Id>& middle, std::size_t prefix_bound, std::size_t shortest_suffix)
      : middle_(middle),
        trie_(middle.trie),
        shortest_suffix_(shortest_suffix),
        first_middle_(trie_.level_begin[middle.prefix_bound - 1]),
        last_middle_(trie_.level_begin[middle.prefix_bound]) {
    longest_.reserve(at(trie_.level_begin[prefix_bound]));
    for (std::size_t length = 0; length < prefix_bound; ++length) {
      Id begin = middle.begin;
      for (Id p = trie_.level_begin[length]; p < trie_.level_begin[length + 1]; ++p) {
        const Id end = first_descendant(trie_, p + 1, middle.longest - length);
        longest_.push_back({begin, end});
        begin = end;
      }
    }
  }

  Id size() const { return static_cast<Id>(longest_.size()); }
  Id first(Id p) const { return longest_[at(p)].begin; }
  Id n_longest(Id p) const { return longest_[at(p)].end - longest_[at(p)].begin; }

  /// The next suffix of a prefix that is wanted, or kUnmatched after the last one.
  template <class Wanted>
  Id find(Id p, Id& cursor, const Wanted& wanted) const {
    if (p >= first_middle_ && p < last_middle_ && cursor >= middle_.begin) {
      for (const Id end = longest_[at(p)].end; cursor < end;) {
        const Id suffix = middle_.long_suffix[at(cursor++ - middle_.begin)];
        if (wanted(suffix)) return suffix;
      }
    }
    Id suffix = next(p, cursor);
    while (suffix != kUnmatched && !wanted(suffix)) suffix = next(p, cursor);
    return suffix;
  }

  /// Whether these prefixes have more suffixes than were told: no, the lists are whole.
  bool complete(const Bitset&, Interrupt&) { return false; }

 private:
  Id next(Id p, Id& cursor) const {
    if (cursor == kUnmatched) return kUnmatched;
    const std::size_t length = trie_.length(p);
    if (cursor >= middle_.begin && cursor < longest_[at(p)].end) return suffix_of(cursor++, length);
    cursor = next_shorter(p, length, cursor);
    return cursor == kUnmatched ? Id{kUnmatched} : suffix_of(cursor, length);
  }

  /// The string below T that comes after the strings of length T, or after `last`; kUnmatched after all of
  /// them.
  Id next_shorter(Id p, std::size_t length, Id last) const {
    std::size_t level = middle_.longest;
    if (last < middle_.begin) {
      level = trie_.length(last);
      if (last + 1 < first_descendant(trie_, p + 1, level - length)) return last + 1;
    }
    while (level-- > length + shortest_suffix_) {
      const Id begin = first_descendant(trie_, p, level - length);
      if (begin < first_descendant(trie_, p + 1, level - length)) return begin;
    }
    return kUnmatched;
  }

  Id suffix_of(Id string, std::size_t n_dropped) const {
    for (; n_dropped > 0; --n_dropped) string = trie_.suffix[at(string)];
    return string;
  }

  const MiddleStrings<Id>& middle_;
  const Trie<Id>& trie_;
  std::size_t shortest_suffix_;
  Id first_middle_;  // the longest short prefixes, whose suffixes were found before
  Id last_middle_;
  std::vector<Interval<Id>> longest_;  // of each prefix its strings of length T
};

/// Calls visit(string, suffix, length of the rest) for every string shorter than T that ends in a member of a
/// set of suffixes, once for each such suffix. Cost: one pass over the suffix links, and the chains of what
/// is found.
template <class Id, class Visit>
void for_each_string_ending_in(const Trie<Id>& trie, const Bitset& suffixes, Interrupt& interrupt,
                               const Visit& visit) {
  const auto is_member = [&](Id x) { return at(x) < suffixes.size() && suffixes.test(at(x)); };
  Bitset found(trie.n_nodes());
  for (std::size_t length = 0; length + 1 < trie.n_levels(); ++length) {
    interrupt.check();
    for (Id x = trie.level_begin[length]; x < trie.level_begin[length + 1]; ++x) {
      if (!is_member(x) && !(x > 0 && found.test(at(trie.suffix[at(x)])))) continue;
      found.set(at(x));
      Id suffix = x;
      for (std::size_t i = 0; i <= length; ++i, suffix = trie.suffix[at(suffix)])
        if (is_member(suffix)) visit(x, suffix, i);
    }
  }
}

/// The node without its last `n` symbols.
template <class Id>
Id shorter_prefix(const Trie<Id>& trie, Id node, std::size_t n) {
  for (; n > 0; --n) node = trie.parent[at(node)];
  return node;
}

/// Items 0 .. n - 1 by group, in order within a group: those of group g are order[begin[g]] .. order[begin[g
/// + 1] - 1].
template <class Id>
struct Groups {
  std::vector<Id> begin;
  std::vector<Id> order;

  Groups(const std::vector<Id>& group_of, std::size_t n_groups) : begin(n_groups + 2, 0) {
    reserve_large(order, group_of.size());
    order.resize(group_of.size());
    for (const Id g : group_of) ++begin[at(g) + 2];
    for (std::size_t g = 2; g < begin.size(); ++g) begin[g] += begin[g - 1];
    for (std::size_t k = 0; k < group_of.size(); ++k)
      order[at(begin[at(group_of[k]) + 1]++)] = static_cast<Id>(k);
    begin.pop_back();
  }
};

/// The short suffixes and, for each, its long prefixes. The strings of length T are put in order of their
/// last symbols, so that a suffix's strings are an interval of this order. A suffix's shorter strings matter
/// only to one that has used up those of length T; they are looked for when `complete` asks.
///
/// A cursor into the list of a suffix is a place in that order or, above its end, in the list of further
/// prefixes.
template <class Id>
class SuffixRows {
 public:
  SuffixRows(const MiddleStrings<Id>& middle, Interrupt& interrupt) : middle_(middle), trie_(middle.trie) {
    if (middle.suffix_bound == 0) return;  // T = 0: no suffix is short
    first_middle_ = trie_.level_begin[middle.suffix_bound - 1];
    further_.assign(at(first_middle_), {0, 0});
    completed_ = Bitset(at(first_middle_));
    order_strings(interrupt);
    interrupt.check();
    find_long_prefixes();
  }

  Id size() const { return static_cast<Id>(longest_.size()); }
  Id first(Id s) const { return longest_[at(s)].begin; }
  Id n_longest(Id s) const { return longest_[at(s)].end - longest_[at(s)].begin; }

  /// The next long prefix of a suffix that is wanted, or kUnmatched after the last one that is known.
  template <class Wanted>
  Id find(Id s, Id& cursor, const Wanted& wanted) const {
    for (const Id end = longest_[at(s)].end; cursor < end;) {
      const Id prefix = prefix_of(s, strings_[at(cursor++)]);
      if (wanted(prefix)) return prefix;
    }
    if (s >= first_middle_) return kUnmatched;  // all strings of the longest short suffixes have length T
    const auto above = static_cast<Id>(strings_.size()) + 1;
    if (cursor < above) cursor = above + further_[at(s)].begin;
    while (cursor - above < further_[at(s)].end) {
      const Id prefix = further_prefixes_[at(cursor++ - above)];
      if (wanted(prefix)) return prefix;
    }
    return kUnmatched;
  }

  /// Finds what is missing in the lists of the given suffixes; false if nothing may be.
  bool complete(const Bitset& wanted, Interrupt& interrupt) {
    Bitset incomplete(at(first_middle_));
    for (std::size_t s = wanted.find_next(0); s < at(first_middle_); s = wanted.find_next(s + 1))
      if (!completed_.test(s)) incomplete.set(s);
    if (incomplete.count() == 0) return false;
    std::vector<Id> suffixes;
    std::vector<Id> prefixes;
    for_each_string_ending_in(trie_, incomplete, interrupt, [&](Id string, Id suffix, std::size_t rest) {
      if (rest < middle_.prefix_bound) return;
      suffixes.push_back(suffix);
      prefixes.push_back(shorter_prefix(trie_, string, trie_.length(suffix)));
    });
    const Groups<Id> by_suffix(suffixes, at(first_middle_));
    for (std::size_t s = incomplete.find_next(0); s < incomplete.size(); s = incomplete.find_next(s + 1)) {
      completed_.set(s);
      further_[s].begin = static_cast<Id>(further_prefixes_.size());
      for (Id k = by_suffix.begin[s + 1]; k-- > by_suffix.begin[s];)  // the longest first
        further_prefixes_.push_back(prefixes[at(by_suffix.order[at(k)])]);
      further_[s].end = static_cast<Id>(further_prefixes_.size());
    }
    return true;
  }

 private:
  Id prefix_of(Id s, Id string) const {
    if (s >= first_middle_) return long_prefix_[at(string)];
    return shorter_prefix(trie_, middle_.begin + string, trie_.length(s));
  }

  /// Orders the short suffixes of each length by their reversed strings, which puts those that end alike side
  /// by side, and then the strings of length T by the places of their longest short suffixes. Dropping the
  /// first symbol leads to the parent of the reversed string, so each length is grouped by the places of the
  /// one before.
  void order_strings(Interrupt& interrupt) {
    const auto& level_begin = trie_.level_begin;
    std::vector<Id> place(at(level_begin[middle_.suffix_bound]), 0);
    std::vector<std::vector<Id>>
        begins;  // [k][i]: where the suffixes one longer than the i-th of length k begin
    std::vector<Id> group_of;
    for (std::size_t length = 1; length < middle_.suffix_bound; ++length) {
      group_of.clear();
      for (Id s = level_begin[length]; s < level_begin[length + 1]; ++s)
        group_of.push_back(place[at(trie_.suffix[at(s)])]);
      Groups<Id> groups(group_of, at(level_begin[length] - level_begin[length - 1]));
      for (std::size_t i = 0; i < group_of.size(); ++i)
        place[at(level_begin[length] + groups.order[i])] = static_cast<Id>(i);
      begins.push_back(std::move(groups.begin));
    }
    interrupt.check();
    group_of.clear();
    reserve_large(group_of, middle_.long_suffix.size());
    for (const Id suffix : middle_.long_suffix) group_of.push_back(place[at(trie_.suffix[at(suffix)])]);
    Groups<Id> strings(group_of, at(level_begin[middle_.suffix_bound] - first_middle_));
    strings_ = std::move(strings.order);
    begins.push_back(std::move(strings.begin));
    for (std::size_t length = 0; length < middle_.suffix_bound; ++length) {
      for (Id s = level_begin[length]; s < level_begin[length + 1]; ++s) {
        Interval<Id> of_s{place[at(s)], place[at(s)] + 1};
        for (std::size_t k = length; k < begins.size(); ++k)
          of_s = {begins[k][at(of_s.begin)], begins[k][at(of_s.end)]};
        longest_.push_back(of_s);
      }
    }
  }

  void find_long_prefixes() {
    const std::size_t length = middle_.prefix_bound;
    reserve_large(long_prefix_, strings_.size());
    for (Id p = trie_.level_begin[length]; p < trie_.level_begin[length + 1]; ++p)
      long_prefix_.resize(at(first_descendant(trie_, p + 1, middle_.longest - length) - middle_.begin), p);
  }

  const MiddleStrings<Id>& middle_;
  const Trie<Id>& trie_;
  Id first_middle_ = 0;                // the first of the longest short suffixes
  std::vector<Interval<Id>> longest_;  // of each suffix the places of its strings of length T
  std::vector<Id> strings_;      // strings of length T, numbered from 0, in the order of their last symbols
  std::vector<Id> long_prefix_;  // of each string of length T its first prefix_bound symbols
  Bitset completed_;
  std::vector<Interval<Id>> further_;  // of each suffix below first_middle_ its places in further_prefixes_
  std::vector<Id> further_prefixes_;
};

/// Depth-first search for augmenting paths from the rows' side, with two look-aheads: a cursor per row for a
/// free column, and one for a column whose row has a free one. A column that is matched stays so, and a
/// column whose row has no free one left stays so too, since the rows of a path, but its last, have none: so
/// neither cursor ever goes back. Columns that failed searches visited are never visited again.
template <class Id, class Rows>
class LookAheadSearch {
 public:
  /// `row_mate` and `col_mate` may hold a matching already; entries of other rows and columns are not
  /// touched.
  LookAheadSearch(Rows& rows, std::vector<Id>& row_mate, std::vector<Id>& col_mate, Interrupt& interrupt)
      : rows_(rows),
        row_mate_(row_mate),
        col_mate_(col_mate),
        interrupt_(interrupt),
        matched_(col_mate.size()),
        closed_(col_mate.size()),
        visited_(col_mate.size()) {
    for (Id row = 0; row < rows.size(); ++row)
      if (row_mate_[at(row)] != kUnmatched) matched_.set(at(row_mate_[at(row)]));
    begin_cursors();
  }

  /// Matches as many rows as can be, in the given order: first greedily, then by augmenting paths.
  void run(std::span<const Id> order) {
    for (const Id row : order)
      if (const Id col = is_free(row) ? next_free(row) : Id{kUnmatched}; col != kUnmatched) join(row, col);
    do {
      for (const Id row : order)
        if (is_free(row)) search(row);
    } while (rows_.complete(reached_rows(), interrupt_) && start_again());
  }

  /// Rows that searches from free rows reach; after `run`, none of them reaches a free column.
  Bitset reached_rows() const {
    Bitset reached(at(rows_.size()));
    for (Id row = 0; row < rows_.size(); ++row)
      if (is_free(row) || visited_.test(at(row_mate_[at(row)]))) reached.set(at(row));
    return reached;
  }

  /// Columns next to reached_rows().
  const Bitset& reached_cols() const { return visited_; }
  std::uint64_t n_edges_seen() const { return n_edges_seen_; }

 private:
  struct Frame {
    Id row;
    Id cursor;
  };
  struct Cursors {
    Id free;
    Id open;
  };

  bool is_free(Id row) const { return row_mate_[at(row)] == kUnmatched; }

  void begin_cursors() {
    cursors_.clear();
    for (Id row = 0; row < rows_.size(); ++row) cursors_.push_back({rows_.first(row), rows_.first(row)});
  }

  /// After lists have become longer, nothing that was learned holds but the matching itself.
  bool start_again() {
    closed_.clear();
    visited_.clear();
    begin_cursors();
    return true;
  }

  /// The next column of a row that is not in a set, or kUnmatched.
  Id next_outside(const Bitset& set, Id row, Id& cursor) {
    std::uint64_t n_seen = 0;
    const Id col = rows_.find(row, cursor, [&](Id c) {
      ++n_seen;
      return !set.test(at(c));
    });
    n_edges_seen_ += n_seen;
    return col;
  }

  Id next_free(Id row) { return next_outside(matched_, row, cursors_[at(row)].free); }

  /// A column whose row can take a free one instead; that one is `free_col`.
  Id next_open(Id row, Id& free_col) {
    Id& cursor = cursors_[at(row)].open;
    for (Id col = next_outside(closed_, row, cursor); col != kUnmatched;
         col = next_outside(closed_, row, cursor)) {
      free_col = next_free(col_mate_[at(col)]);
      if (free_col != kUnmatched) return col;
      closed_.set(at(col));
    }
    return kUnmatched;
  }

  void join(Id row, Id col) {
    row_mate_[at(row)] = col;
    col_mate_[at(col)] = row;
    matched_.set(at(col));
  }

  void search(Id root) {
    trail_.clear();
    stack_.assign(1, {root, rows_.first(root)});
    while (!stack_.empty()) {
      interrupt_.poll();
      const Id row = stack_.back().row;
      Id free_col = next_free(row);
      if (free_col != kUnmatched) return augment(free_col);
      const Id open_col = next_open(row, free_col);
      if (open_col != kUnmatched) {
        join(col_mate_[at(open_col)], free_col);
        closed_.set(at(open_col));
        return augment(open_col);
      }
      const Id col = next_outside(visited_, row, stack_.back().cursor);
      if (col == kUnmatched) {
        stack_.pop_back();
      } else {
        visited_.set(at(col));
        trail_.push_back(col);
        stack_.push_back({col_mate_[at(col)], rows_.first(col_mate_[at(col)])});
      }
    }
  }

  /// Gives the rows of the stack, from the last to the first, each the column that the one after it has had.
  void augment(Id col) {
    for (std::size_t i = stack_.size(); i-- > 0;) {
      const Id before = row_mate_[at(stack_[i].row)];
      join(stack_[i].row, col);
      col = before;
      if (col != kUnmatched) closed_.set(at(col));  // it goes to a row that has no free column
    }
    for (const Id visited : trail_) visited_.reset(at(visited));
  }

  Rows& rows_;
  std::vector<Id>& row_mate_;
  std::vector<Id>& col_mate_;
  Interrupt& interrupt_;
  Bitset matched_;
  Bitset closed_;  // columns whose row has no free column
  Bitset visited_;
  std::vector<Cursors> cursors_;
  std::vector<Frame> stack_;
  std::vector<Id> trail_;
  std::uint64_t n_edges_seen_ = 0;
};

/// What a half has to say when its rows are matched.
struct HalfResult {
  Bitset reached_rows;
  Bitset reached_cols;
  std::uint64_t n_edges_seen = 0;
};

/// Rows with few strings of length T first: unordered, searches look at many times as many edges.
template <class Id, class Rows>
std::vector<Id> by_number_of_strings(const Rows& rows) {
  constexpr Id kMany = 32;  // from here on the order of the trie is better: it reads memory in streams
  std::vector<Id> group_of;
  group_of.reserve(at(rows.size()));
  for (Id row = 0; row < rows.size(); ++row) group_of.push_back(std::min(rows.n_longest(row), kMany));
  return std::move(Groups<Id>(group_of, at(kMany) + 1).order);
}

template <class Id, class Rows>
HalfResult match_rows(Rows& rows, const std::vector<Id>& order, std::vector<Id>& row_mate,
                      std::vector<Id>& col_mate, Interrupt& interrupt) {
  LookAheadSearch<Id, Rows> search(rows, row_mate, col_mate, interrupt);
  search.run(order);
  return {search.reached_rows(), search.reached_cols(), search.n_edges_seen()};
}

/// The short prefixes that an edge joins to some of the given short suffixes.
template <class Id>
Bitset short_prefixes_next_to(const MiddleStrings<Id>& middle, const Bitset& suffixes, Interrupt& interrupt) {
  Bitset prefixes(at(middle.trie.level_begin[middle.prefix_bound]));
  if (suffixes.count() == 0) return prefixes;
  for_each_string_ending_in(middle.trie, suffixes, interrupt, [&](Id string, Id suffix, std::size_t rest) {
    if (rest < middle.prefix_bound)
      prefixes.set(at(shorter_prefix(middle.trie, string, middle.trie.length(suffix))));
  });
  return prefixes;
}

inline bool intersect(const Bitset& a, const Bitset& b) {
  for (std::size_t i = a.find_next(0); i < a.size(); i = a.find_next(i + 1))
    if (b.test(i)) return true;
  return false;
}

/// The rows of one half that are not reached, and the columns of the other half that are: one side of a
/// vertex cover.
template <class Id>
std::vector<Id> cover_side(const Bitset& reached_rows, const Bitset& reached_cols) {
  std::vector<Id> nodes;
  for (std::size_t v = 0; v < reached_rows.size(); ++v)
    if (!reached_rows.test(v)) nodes.push_back(static_cast<Id>(v));
  for (std::size_t v = reached_cols.find_next(0); v < reached_cols.size(); v = reached_cols.find_next(v + 1))
    nodes.push_back(static_cast<Id>(v));
  return nodes;
}

/// Where short sentences let the two halves help one another: the search goes on over all edges of the graph.
template <class Id>
void match_across_halves(const MiddleStrings<Id>& middle, HankelMatching<Id>& result, Interrupt& interrupt) {
  auto& [size, row_mate, col_mate] = result.matching;
  PrefixRows<Id> rows(middle, middle.longest + 1, 0);
  std::vector<Id> order;
  for (Id row = rows.size(); row-- > 0;)
    if (row_mate[at(row)] == kUnmatched) order.push_back(row);
  const HalfResult all = match_rows<Id>(rows, order, row_mate, col_mate, interrupt);
  result.n_edges_seen += all.n_edges_seen;
  result.cover_rows = cover_side<Id>(all.reached_rows, Bitset());
  result.cover_cols = cover_side<Id>(Bitset(), all.reached_cols);
}

}  // namespace detail

/// A maximum matching of the prefix-suffix graph of all strings of a trie that is closed under substrings (it
/// needs suffix links), certified by a vertex cover. Two threads, one for each half. Cost: passes over the
/// strings of length T and, for the certificate, the suffix links; then the searches, which on texts look at
/// few edges. Where the halves do not suffice, the general search goes on from there, on the same implicit
/// edges; never a wrong answer. Memory: the mates, 8 bytes a string of length T, 24 a short node.
template <class Id>
HankelMatching<Id> hankel_matching(const Trie<Id>& trie, Interrupt interrupt = {}) {
  HankelMatching<Id> result;
  auto& [size, row_mate, col_mate] = result.matching;
  const auto unmatched = [&](std::vector<Id>& mates) {
    reserve_large(mates, trie.n_nodes());
    mates.assign(trie.n_nodes(), kUnmatched);
  };
  run_both(interrupt, [&](Interrupt&) { unmatched(row_mate); }, [&](Interrupt&) { unmatched(col_mate); });
  const detail::MiddleStrings<Id> middle(trie, interrupt);
  detail::HalfResult of_prefixes;
  detail::HalfResult of_suffixes;
  Bitset next_to_suffixes;  // short prefixes next to the suffixes that were reached
  run_both(
      interrupt,
      [&](Interrupt& own) {
        detail::PrefixRows<Id> rows(middle, middle.prefix_bound, middle.suffix_bound);
        of_prefixes =
            detail::match_rows<Id>(rows, detail::by_number_of_strings<Id>(rows), row_mate, col_mate, own);
      },
      [&](Interrupt& own) {
        detail::SuffixRows<Id> rows(middle, own);
        of_suffixes =
            detail::match_rows<Id>(rows, detail::by_number_of_strings<Id>(rows), col_mate, row_mate, own);
        next_to_suffixes = detail::short_prefixes_next_to(middle, of_suffixes.reached_rows, own);
      });
  result.n_edges_seen = of_prefixes.n_edges_seen + of_suffixes.n_edges_seen;
  if (detail::intersect(of_prefixes.reached_rows, next_to_suffixes)) {
    detail::match_across_halves(middle, result, interrupt);
  } else {
    result.cover_rows = detail::cover_side<Id>(of_prefixes.reached_rows, of_suffixes.reached_cols);
    result.cover_cols = detail::cover_side<Id>(of_suffixes.reached_rows, of_prefixes.reached_cols);
  }
  size = static_cast<Id>(result.cover_rows.size() + result.cover_cols.size());
  return result;
}

}  // namespace hankelmatch
