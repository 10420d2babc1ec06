// The edges of short nodes with their weights: the two sides of a text's prefix-suffix graph (see
// hankel/hankel_matching.hpp) as the assignment problems read them.
//
// Both classes have the same functions. A row is a prefix or suffix; an edge's id is its string, whose weight
// it has.
//   max_edges(row)               at least as many as a row in a minimum cover has edges
//   column_of(row)               the function from a string to the column of its edge at `row`
//   visit_edges(visitor, ...)    visits the edges of all short rows with long columns that the visitor wants
//   has_list(row)                whether visit_list can visit the edges of this row alone
//   visit_list(row, visit)       calls visit(string) for all edges of this row with long columns
//   for_each_edge_of(rows, ...)  calls visit(row, column, string) for all edges of some short rows
#pragma once

#include <algorithm>
#include <cstddef>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/prefetch.hpp>
#include <hankelmatch/hankel/longest_strings.hpp>
#include <hankelmatch/hankel/split_graph.hpp>
#include <hankelmatch/hankel/suffix_rows.hpp>
#include <hankelmatch/strings/trie.hpp>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace hankelmatch::detail {

/// The rows at which some strings have edges with long columns: their deepest short node and all shorter
/// ones. The edge at the deepest one is visited first. A shorter row has seen the edges of shorter strings
/// before, which are heavier as a rule, and wants few more.
template <class Id, class Visitor>
class RowsOfString {
 public:
  /// `shorter`: for each node, the node one symbol shorter: parent or suffix link.
  RowsOfString(const Visitor& visitor, Id deepest, const NodeArray<Id>& shorter)
      : visitor_(&visitor), shorter_(&shorter), deepest_(deepest), row_(&visitor.row(deepest)) {
    for (Id node = deepest; node != 0;) {
      node = shorter[at(node)];
      limit_ = std::max(limit_, visitor.row(node).dearest.cost);
    }
  }

  bool want_any() const { return row_->wants_any() || limit_ > -std::numeric_limits<double>::infinity(); }

  void visit(Id string, double cost) const {
    visitor_->add(*row_, cost, string);
    if (cost > limit_) return;
    for (Id node = deepest_; node != 0;) {
      node = (*shorter_)[at(node)];
      visitor_->add(visitor_->row(node), cost, string);
    }
  }

 private:
  using OpenRow = std::remove_reference_t<decltype(std::declval<const Visitor&>().row(Id{}))>;

  const Visitor* visitor_;
  const NodeArray<Id>* shorter_;
  Id deepest_;
  OpenRow* row_;
  double limit_ = -std::numeric_limits<double>::infinity();  // no shorter row wants a dearer edge
};

/// Short prefixes as rows, suffixes as columns.
template <class Id>
class WeightedPrefixRows {
 public:
  /// `weights`: one for each node of the trie.
  WeightedPrefixRows(const SplitGraph<Id>& split, std::span<const double> weights)
      : full_(split.longest_strings()), trie_(split.trie()), weights_(weights) {}

  Id n_short() const { return full_.n_short_prefixes(); }
  double weight(Id string) const { return weights_[at(string)]; }

  std::size_t max_edges(Id prefix) const {
    if (prefix >= n_short()) return trie_.n_nodes();
    std::size_t n = 0;
    for_each_level_below(prefix, full_.suffix_bound, [&](Id begin, Id end) { n += at(end - begin); });
    return n;
  }

  auto column_of(Id prefix) const {
    return [this, n = trie_.length(prefix)](Id x) {
      if (x >= full_.first && n + full_.suffix_bound == full_.max_length)
        return full_.long_suffix[at(x - full_.first)];
      return shorter_suffix(trie_, x, n);
    };
  }

  template <class Visitor>
  void visit_edges(const Visitor& visitor, Interrupt& interrupt) const {
    for (Id p = 0; p < n_short(); ++p) {
      const RowsOfString<Id, Visitor> rows(visitor, p, trie_.parent);
      if (!rows.want_any()) continue;
      const Id begin = first_descendant(trie_, p, full_.suffix_bound);
      const Id end = first_descendant(trie_, p + 1, full_.suffix_bound);
      interrupt.poll(at(end - begin));
      for (Id x = begin; x < end; ++x) rows.visit(x, -weight(x));
    }
  }

  bool has_list(Id prefix) const { return prefix < n_short(); }
  template <class Visit>
  void visit_list(Id prefix, const Visit& visit) const {
    for_each_level_below(prefix, full_.suffix_bound, [&](Id begin, Id end) {
      for (Id x = begin; x < end; ++x) visit(x);
    });
  }

  template <class Visit>
  void for_each_edge_of(const Bitset& prefixes, Interrupt& interrupt, const Visit& visit) const {
    prefixes.for_each([&](std::size_t p) {
      const auto prefix = static_cast<Id>(p);
      const auto suffix_of = column_of(prefix);
      for_each_level_below(prefix, 0, [&](Id begin, Id end) {
        interrupt.poll(at(end - begin));
        for (Id x = begin; x < end; ++x) visit(prefix, suffix_of(x), x);
      });
    });
  }

 private:
  /// Calls visit(begin, end) for the strings of each length that begin with a prefix and are at least `n`
  /// symbols longer.
  template <class Visit>
  void for_each_level_below(Id prefix, std::size_t n, const Visit& visit) const {
    Id begin = first_descendant(trie_, prefix, n);
    Id end = first_descendant(trie_, prefix + 1, n);
    while (begin < end) {
      visit(begin, end);
      begin = trie_.child_begin[at(begin)];
      end = trie_.child_begin[at(end)];
    }
  }

  const LongestStrings<Id>& full_;
  const Trie<Id>& trie_;
  std::span<const double> weights_;
};

/// Short suffixes as rows, prefixes as columns.
template <class Id>
class WeightedSuffixRows {
 public:
  /// `weights`: one for each node of the trie.
  WeightedSuffixRows(const SplitGraph<Id>& split, std::span<const double> weights)
      : full_(split.longest_strings()),
        order_(split.suffix_order()),
        trie_(split.trie()),
        weights_(weights),
        tails_(at(full_.first)) {
    for (Id x = 0; x < full_.first; ++x) tails_[at(x)] = x < n_short() ? x : tails_[at(trie_.suffix[at(x)])];
  }

  Id n_short() const { return full_.n_short_suffixes(); }
  double weight(Id string) const { return weights_[at(string)]; }

  std::size_t max_edges(Id suffix) const {
    return has_list(suffix) ? at(order_.intervals[at(suffix)].size()) : trie_.n_nodes();
  }

  auto column_of(Id suffix) const {
    return [this, n = trie_.length(suffix)](Id x) {
      if (x >= full_.first && n + full_.prefix_bound == full_.max_length)
        return full_.long_prefix[at(x - full_.first)];
      return shorter_prefix(trie_, x, n);
    };
  }

  template <class Visitor>
  void visit_edges(const Visitor& visitor, Interrupt& interrupt) const {
    for (std::size_t n = 0; n + 1 < full_.suffix_bound; ++n) visit_shorter_strings(n, visitor, interrupt);
    for (Id s = full_.first_deepest_suffix(); s < n_short(); ++s) {
      const RowsOfString<Id, Visitor> rows(visitor, s, trie_.suffix);
      if (!rows.want_any()) continue;
      interrupt.poll(max_edges(s));
      for_each_full_string(s, [&](Id x) { rows.visit(x, -weight(x)); });
    }
  }

  /// The deepest short suffixes have longest strings only.
  bool has_list(Id suffix) const { return suffix < n_short() && suffix >= full_.first_deepest_suffix(); }
  template <class Visit>
  void visit_list(Id suffix, const Visit& visit) const {
    for_each_full_string(suffix, visit);
  }

  template <class Visit>
  void for_each_edge_of(const Bitset& suffixes, Interrupt& interrupt, const Visit& visit) const {
    if (suffixes.count() == 0) return;
    for_each_string_ending_in(trie_, suffixes, interrupt, [&](Id x, Id suffix, std::size_t) {
      visit(suffix, shorter_prefix(trie_, x, trie_.length(suffix)), x);
    });
    suffixes.for_each([&](std::size_t s) {
      const auto suffix = static_cast<Id>(s);
      const auto prefix_of = column_of(suffix);
      interrupt.poll(at(order_.intervals[s].size()));
      for_each_full_string(suffix, [&](Id x) { visit(suffix, prefix_of(x), x); });
    });
  }

 private:
  template <class Visit>
  void for_each_full_string(Id suffix, const Visit& visit) const {
    constexpr std::size_t kAhead = 16;  // strings between the request for a weight and its use
    const auto end = at(order_.intervals[at(suffix)].end);
    for (std::size_t place = at(order_.intervals[at(suffix)].begin); place < end; ++place) {
      if (place + kAhead < order_.strings.size())
        prefetch(&weights_[at(full_.first + order_.strings[place + kAhead])]);
      visit(full_.first + order_.strings[place]);
    }
  }

  /// Visits the edges of the strings below T that have `n` symbols after a shortest long prefix.
  template <class Visitor>
  void visit_shorter_strings(std::size_t n, const Visitor& visitor, Interrupt& interrupt) const {
    const Id first_tail = full_.first_deepest_suffix();
    std::vector<RowsOfString<Id, Visitor>> rows_of;  // by deepest short suffix
    bool any_wanted = false;
    for (Id tail = first_tail; tail < n_short(); ++tail) {
      rows_of.emplace_back(visitor, shorter_suffix(trie_, tail, full_.suffix_bound - 1 - n), trie_.suffix);
      any_wanted |= rows_of.back().want_any();
    }
    if (!any_wanted) return;
    const std::size_t length = full_.prefix_bound + n;
    for (Id x = trie_.level_begin[length]; x < trie_.level_begin[length + 1]; ++x) {
      interrupt.poll();
      rows_of[at(tails_[at(x)] - first_tail)].visit(x, -weight(x));
    }
  }

  const LongestStrings<Id>& full_;
  const SuffixOrder<Id>& order_;
  const Trie<Id>& trie_;
  std::span<const double> weights_;
  std::vector<Id> tails_;  // for every string shorter than T, its deepest short suffix
};

}  // namespace hankelmatch::detail
