// The two halves of a text's prefix-suffix graph (see hankel_matching.hpp): short prefixes with their long
// suffixes, and short suffixes with their long prefixes, told one after another from the trie.
#pragma once

#include <algorithm>
#include <cstddef>
#include <hankelmatch/at.hpp>
#include <hankelmatch/bitset.hpp>
#include <hankelmatch/interrupt.hpp>
#include <hankelmatch/large_pages.hpp>
#include <hankelmatch/matching.hpp>
#include <hankelmatch/parallel.hpp>
#include <hankelmatch/prefetch.hpp>
#include <hankelmatch/radix_sort.hpp>
#include <hankelmatch/tasks.hpp>
#include <hankelmatch/trie.hpp>
#include <memory>
#include <utility>
#include <vector>

namespace hankelmatch::detail {

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
  Id first_string;              ///< of length T
  std::vector<Id> long_suffix;  ///< of string first_string + k, its last suffix_bound symbols

  MiddleStrings(const Trie<Id>& t, Interrupt& interrupt)
      : trie(t),
        longest(t.n_levels() - 1),
        prefix_bound(longest / 2 + 1),
        suffix_bound((longest + 1) / 2),
        first_string(t.level_begin[longest]) {
    reserve_large(long_suffix, t.n_nodes() - at(first_string));
    long_suffix.resize(t.n_nodes() - at(first_string));
    constexpr std::size_t kTask = std::size_t{1} << 16;
    const std::size_t n = long_suffix.size();
    for_each_task((n + kTask - 1) / kTask, workers_for(n), interrupt, [&](std::size_t task, std::size_t) {
      for (std::size_t k = task * kTask; k < std::min(n, (task + 1) * kTask); ++k) {
        Id suffix = first_string + static_cast<Id>(k);
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

/// The reads of memory, one after another, that lead to the first column of a row: a search that knows its
/// next rows takes one of each in turn, so that it does not wait for them.
template <class Id>
class ReadsAhead {
 public:
  ReadsAhead() = default;
  /// The last of `n_reads` values is the column, `value` itself if there are none; each of the others is the
  /// place of the next one in `next`.
  ReadsAhead(Id value, const Id* first, const Id* next, std::size_t n_reads)
      : value_(value), place_(first), next_(next), left_(n_reads) {
    if (left_ > 0) prefetch(place_);
  }

  void go_on() {
    if (left_ == 0) return;
    value_ = *place_;
    if (--left_ == 0) return;
    place_ = next_ + value_;
    prefetch(place_);
  }
  /// The column, or kUnmatched where there is none or reads are left.
  Id column() const { return left_ == 0 ? value_ : Id{kUnmatched}; }

 private:
  Id value_ = kUnmatched;
  const Id* place_ = nullptr;
  const Id* next_ = nullptr;
  std::size_t left_ = 0;
};

/// Prefixes shorter than some bound and, for each, its suffixes of at least some length, the longest first.
/// The strings that begin with a prefix and have one length are an interval of the trie.
///
/// A cursor into the list of a prefix is the next string of length T or, below those, the last string told.
template <class Id>
class PrefixRows {
 public:
  using index_type = Id;
  Id n_rows = 0;
  Id n_cols = 0;

  PrefixRows(const MiddleStrings<Id>& middle, std::size_t prefix_bound, std::size_t shortest_suffix)
      : n_rows(middle.trie.level_begin[prefix_bound]),
        n_cols(static_cast<Id>(middle.trie.n_nodes())),
        middle_(middle),
        trie_(middle.trie),
        shortest_suffix_(shortest_suffix),
        first_middle_(trie_.level_begin[middle.prefix_bound - 1]),
        last_middle_(trie_.level_begin[middle.prefix_bound]) {
    longest_.reserve(at(n_rows));
    for (std::size_t length = 0; length < prefix_bound; ++length) {
      Id begin = middle.first_string;
      for (Id p = trie_.level_begin[length]; p < trie_.level_begin[length + 1]; ++p) {
        const Id end = first_descendant(trie_, p + 1, middle.longest - length);
        longest_.push_back({begin, end});
        begin = end;
      }
    }
  }

  Id begin(Id p) const { return longest_[at(p)].begin; }
  void prefetch_row(Id p) const { prefetch(&longest_[at(p)]); }
  /// To the suffix of the first string of length T, if there is one.
  ReadsAhead<Id> reads_ahead(Id p) const {
    if (n_longest(p) == 0) return {};
    const Id string = longest_[at(p)].begin;
    if (is_middle(p)) return {0, middle_.long_suffix.data() + (string - middle_.first_string), nullptr, 1};
    return {string, trie_.suffix.data() + string, trie_.suffix.data(), trie_.length(p)};
  }
  Id n_longest(Id p) const { return longest_[at(p)].end - longest_[at(p)].begin; }

  /// The next suffix of a prefix that is wanted, or kUnmatched after the last one.
  template <class Wanted>
  Id find(Id p, Id& cursor, const Wanted& wanted) const {
    if (cursor >= middle_.first_string) {
      const Id suffix = find_longest(p, cursor, wanted);
      if (suffix != kUnmatched || is_whole(p)) return suffix;
    }
    return cursor == kUnmatched ? Id{kUnmatched} : find_shorter(p, cursor, wanted);
  }

  /// Whether these prefixes have more suffixes than were told: no, the lists are whole.
  bool complete(const Bitset&, Interrupt&) const { return false; }

 private:
  bool is_middle(Id p) const { return p >= first_middle_ && p < last_middle_; }
  /// Whether all its strings that count have length T.
  bool is_whole(Id p) const { return is_middle(p) && shortest_suffix_ == middle_.suffix_bound; }

  /// Looks at the strings of length T.
  template <class Wanted>
  Id find_longest(Id p, Id& cursor, const Wanted& wanted) const {
    const Id end = longest_[at(p)].end;
    if (is_middle(p)) {
      while (cursor < end) {
        const Id suffix = middle_.long_suffix[at(cursor++ - middle_.first_string)];
        if (wanted(suffix)) return suffix;
      }
      return kUnmatched;
    }
    const std::size_t length = trie_.length(p);
    while (cursor < end) {
      const Id suffix = suffix_of(cursor++, length);
      if (wanted(suffix)) return suffix;
    }
    return kUnmatched;
  }

  /// Looks at the strings below T that come after those of length T, or after the one told last.
  template <class Wanted>
  Id find_shorter(Id p, Id& cursor, const Wanted& wanted) const {
    const std::size_t length = trie_.length(p);
    std::size_t level = middle_.longest;
    Id string = cursor;
    Id end = cursor;
    if (cursor < middle_.first_string) {
      level = trie_.length(cursor);
      end = first_descendant(trie_, p + 1, level - length);
      ++string;
    }
    for (;;) {
      for (; string < end; ++string) {
        const Id suffix = suffix_of(string, length);
        if (!wanted(suffix)) continue;
        cursor = string;
        return suffix;
      }
      if (level-- <= length + shortest_suffix_) break;
      string = first_descendant(trie_, p, level - length);
      end = first_descendant(trie_, p + 1, level - length);
    }
    cursor = kUnmatched;
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

/// The strings of length T in the order of their last symbols, so that those of a short suffix are an
/// interval of it.
template <class Id>
struct SuffixOrder {
  Id first_middle = 0;                ///< the first of the longest short suffixes
  std::vector<Interval<Id>> longest;  ///< of each short suffix the places of its strings of length T
  std::vector<Id> strings;            ///< strings of length T, numbered from 0, by place
  std::vector<Id> long_prefix;        ///< of each string of length T its first prefix_bound symbols

  SuffixOrder(const MiddleStrings<Id>& middle, Interrupt& interrupt) {
    if (middle.suffix_bound == 0) return;  // T = 0: no suffix is short
    first_middle = middle.trie.level_begin[middle.suffix_bound - 1];
    order_strings(middle, interrupt);
    interrupt.check();
    find_long_prefixes(middle);
  }

 private:
  /// Orders the short suffixes of each length by their reversed strings, which puts those that end alike side
  /// by side, and then the strings of length T by the places of their longest short suffixes. Dropping the
  /// first symbol leads to the parent of the reversed string, so each length is grouped by the places of the
  /// one before.
  void order_strings(const MiddleStrings<Id>& middle, Interrupt& interrupt) {
    const Trie<Id>& trie = middle.trie;
    const auto& level_begin = trie.level_begin;
    std::vector<Id> place(at(level_begin[middle.suffix_bound]), 0);
    std::vector<std::vector<Id>>
        begins;  // [k][i]: where the suffixes one longer than the i-th of length k begin
    std::vector<Id> group_of;
    for (std::size_t length = 1; length < middle.suffix_bound; ++length) {
      group_of.clear();
      for (Id s = level_begin[length]; s < level_begin[length + 1]; ++s)
        group_of.push_back(place[at(trie.suffix[at(s)])]);
      Groups<Id> groups(group_of, at(level_begin[length] - level_begin[length - 1]));
      for (std::size_t i = 0; i < group_of.size(); ++i)
        place[at(level_begin[length] + groups.order[i])] = static_cast<Id>(i);
      begins.push_back(std::move(groups.begin));
    }
    interrupt.check();
    group_of.clear();
    reserve_large(group_of, middle.long_suffix.size());
    for (const Id suffix : middle.long_suffix) group_of.push_back(place[at(trie.suffix[at(suffix)])]);
    Groups<Id> by_end(group_of, at(level_begin[middle.suffix_bound] - first_middle));
    strings = std::move(by_end.order);
    begins.push_back(std::move(by_end.begin));
    for (std::size_t length = 0; length < middle.suffix_bound; ++length) {
      for (Id s = level_begin[length]; s < level_begin[length + 1]; ++s) {
        Interval<Id> of_s{place[at(s)], place[at(s)] + 1};
        for (std::size_t k = length; k < begins.size(); ++k)
          of_s = {begins[k][at(of_s.begin)], begins[k][at(of_s.end)]};
        longest.push_back(of_s);
      }
    }
  }

  void find_long_prefixes(const MiddleStrings<Id>& middle) {
    const Trie<Id>& trie = middle.trie;
    const std::size_t length = middle.prefix_bound;
    reserve_large(long_prefix, strings.size());
    for (Id p = trie.level_begin[length]; p < trie.level_begin[length + 1]; ++p)
      long_prefix.resize(at(first_descendant(trie, p + 1, middle.longest - length) - middle.first_string), p);
  }
};

/// The short suffixes and, for each, its long prefixes. A suffix's strings shorter than T matter only to one
/// that has used up those of length T; they are looked for when `complete` asks.
///
/// A cursor into the list of a suffix is a place in the order or, above its end, in the list of further
/// prefixes.
template <class Id>
class SuffixRows {
 public:
  using index_type = Id;
  Id n_rows = 0;
  Id n_cols = 0;

  SuffixRows(const MiddleStrings<Id>& middle, const SuffixOrder<Id>& order)
      : n_rows(static_cast<Id>(order.longest.size())),
        n_cols(static_cast<Id>(middle.trie.n_nodes())),
        middle_(middle),
        trie_(middle.trie),
        order_(order),
        completed_(at(order.first_middle)),
        further_(at(order.first_middle), Interval<Id>{0, 0}) {}

  Id begin(Id s) const { return order_.longest[at(s)].begin; }
  void prefetch_row(Id s) const { prefetch(&order_.longest[at(s)]); }
  /// To the prefix of the first string of length T, if there is one.
  ReadsAhead<Id> reads_ahead(Id s) const {
    if (n_longest(s) == 0) return {};
    const Id* const number = order_.strings.data() + order_.longest[at(s)].begin;
    if (s >= order_.first_middle) return {0, number, order_.long_prefix.data(), 2};
    const Id string = middle_.first_string + *number;
    return {string, trie_.parent.data() + string, trie_.parent.data(), trie_.length(s)};
  }
  Id n_longest(Id s) const { return order_.longest[at(s)].end - order_.longest[at(s)].begin; }

  /// The next long prefix of a suffix that is wanted, or kUnmatched after the last one that is known.
  template <class Wanted>
  Id find(Id s, Id& cursor, const Wanted& wanted) const {
    for (const Id end = order_.longest[at(s)].end; cursor < end;) {
      const Id prefix = prefix_of(s, order_.strings[at(cursor++)]);
      if (wanted(prefix)) return prefix;
    }
    if (s >= order_.first_middle)
      return kUnmatched;  // all strings of the longest short suffixes have length T
    const auto above = static_cast<Id>(order_.strings.size()) + 1;
    if (cursor < above) cursor = above + further_[at(s)].begin;
    while (cursor - above < further_[at(s)].end) {
      const Id prefix = further_prefixes_[at(cursor++ - above)];
      if (wanted(prefix)) return prefix;
    }
    return kUnmatched;
  }

  /// Finds what is missing in the lists of the given suffixes; false if nothing may be.
  bool complete(const Bitset& wanted, Interrupt& interrupt) {
    Bitset incomplete(at(order_.first_middle));
    for (std::size_t s = wanted.find_next(0); s < at(order_.first_middle); s = wanted.find_next(s + 1))
      if (!completed_.test(s)) incomplete.set(s);
    if (incomplete.count() == 0) return false;
    std::vector<Id> suffixes;
    std::vector<Id> prefixes;
    for_each_string_ending_in(trie_, incomplete, interrupt, [&](Id string, Id suffix, std::size_t rest) {
      if (rest < middle_.prefix_bound) return;
      suffixes.push_back(suffix);
      prefixes.push_back(shorter_prefix(trie_, string, trie_.length(suffix)));
    });
    const Groups<Id> by_suffix(suffixes, at(order_.first_middle));
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
    if (s >= order_.first_middle) return order_.long_prefix[at(string)];
    return shorter_prefix(trie_, middle_.first_string + string, trie_.length(s));
  }

  const MiddleStrings<Id>& middle_;
  const Trie<Id>& trie_;
  const SuffixOrder<Id>& order_;
  Bitset completed_;
  std::vector<Interval<Id>> further_;  // of each suffix below first_middle its places in further_prefixes_
  std::vector<Id> further_prefixes_;
};

}  // namespace hankelmatch::detail

namespace hankelmatch {

/// The prefix-suffix graph of a trie closed under substrings (it needs suffix links), without a list of
/// edges: what the trie lacks to tell the neighbours of the longest short nodes at once. Looks at the trie,
/// which must outlive it. Cost: a few passes over the strings of length T. Memory: 3 ids for each of them, 16
/// bytes a short node.
template <class Id>
class HankelHalves {
 public:
  HankelHalves(const Trie<Id>& trie, Interrupt& interrupt) : middle_(trie, interrupt) {
    run_both(
        interrupt,
        [&](Interrupt&) {
          prefixes_ =
              std::make_unique<detail::PrefixRows<Id>>(middle_, middle_.prefix_bound, middle_.suffix_bound);
        },
        [&](Interrupt& own) { suffixes_ = std::make_unique<detail::SuffixOrder<Id>>(middle_, own); });
  }
  HankelHalves(const HankelHalves&) = delete;  // its parts look at one another
  HankelHalves& operator=(const HankelHalves&) = delete;

  const Trie<Id>& trie() const { return middle_.trie; }
  const detail::MiddleStrings<Id>& middle() const { return middle_; }
  const detail::PrefixRows<Id>& short_prefixes() const { return *prefixes_; }
  detail::SuffixRows<Id> short_suffixes() const { return {middle_, *suffixes_}; }
  const detail::SuffixOrder<Id>& suffix_order() const { return *suffixes_; }

  /// All edges, told one by one: what a search takes in place of a CsrGraph. Memory: 8 bytes a string.
  detail::PrefixRows<Id> edges() const { return {middle_, middle_.longest + 1, 0}; }

  /// Bytes beside the trie.
  std::size_t n_bytes() const {
    const std::size_t ids =
        middle_.long_suffix.size() + suffixes_->strings.size() + suffixes_->long_prefix.size();
    const std::size_t short_nodes = at(prefixes_->n_rows) + suffixes_->longest.size();
    return ids * sizeof(Id) + short_nodes * sizeof(detail::Interval<Id>);
  }

 private:
  detail::MiddleStrings<Id> middle_;
  std::unique_ptr<const detail::PrefixRows<Id>> prefixes_;
  std::unique_ptr<const detail::SuffixOrder<Id>> suffixes_;
};

}  // namespace hankelmatch
