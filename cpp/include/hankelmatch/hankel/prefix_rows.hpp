// Short prefixes with their long suffixes, one half of a text's prefix-suffix graph (see
// hankel/hankel_matching.hpp), told one after another from the trie.
#pragma once

#include <cstddef>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/prefetch.hpp>
#include <hankelmatch/hankel/longest_strings.hpp>
#include <hankelmatch/hankel/reads_ahead.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/strings/trie.hpp>
#include <vector>

namespace hankelmatch::detail {

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
    second_.reserve(at(std::min(n_rows, first_middle_)));
    for (std::size_t length = 0; length < prefix_bound; ++length) {
      add_strings(longest_, length, middle.longest);
      if (trie_.level_begin[length] < first_middle_) add_strings(second_, length, middle.longest - 1);
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

  // The strings of length T, numbered from 0, as the cuts of these prefixes.

  Id first_middle() const { return first_middle_; }  ///< the first of the longest of these prefixes
  /// The prefix without its last symbol.
  Id shorter(Id p) const { return trie_.parent[at(p)]; }
  Id string_at(Id place) const { return place - middle_.first_string; }
  /// The suffix that a string has behind its prefix p.
  Id column_of(Id p, Id string) const {
    if (is_middle(p)) return middle_.long_suffix[at(string)];
    return shorter_suffix(trie_, middle_.first_string + string, trie_.length(p));
  }
  /// The string of a prefix and a suffix, or kUnmatched if it is shorter.
  Id string_between(Id p, Id suffix) const {
    const Id node = joined(trie_, p, suffix);
    return node < middle_.first_string ? Id{kUnmatched} : string_at(node);
  }
  /// Calls visit(p, string) for every string; p is the longest of these prefixes that it has.
  template <class Visit>
  void for_each_middle_cut(const Visit& visit) const {
    for (Id p = first_middle_; p < n_rows; ++p)
      for (Id place = begin(p); place < begin(p) + n_longest(p); ++place) visit(p, string_at(place));
  }

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

  /// Adds for all prefixes of one length the intervals of their strings on a level.
  void add_strings(std::vector<Interval<Id>>& intervals, std::size_t length, std::size_t level) const {
    Id begin = trie_.level_begin[level];
    for (Id p = trie_.level_begin[length]; p < trie_.level_begin[length + 1]; ++p) {
      const Id end = first_descendant(trie_, p + 1, level - length);
      intervals.push_back({begin, end});
      begin = end;
    }
  }

  /// The strings of a prefix on a level below T.
  Interval<Id> strings_on(std::size_t level, Id p, std::size_t length) const {
    if (level + 1 == middle_.longest && p < first_middle_) return second_[at(p)];
    return {first_descendant(trie_, p, level - length), first_descendant(trie_, p + 1, level - length)};
  }

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
      const Id suffix = shorter_suffix(trie_, cursor++, length);
      if (wanted(suffix)) return suffix;
    }
    return kUnmatched;
  }

  /// Looks at the strings below T that come after those of length T, or after the one told last.
  template <class Wanted>
  Id find_shorter(Id p, Id& cursor, const Wanted& wanted) const {
    const std::size_t length = trie_.length(p);
    std::size_t level = middle_.longest;
    Interval<Id> strings{cursor, cursor};
    if (cursor < middle_.first_string) {
      level = trie_.length(cursor);
      strings = {cursor + 1, strings_on(level, p, length).end};
    }
    for (;;) {
      for (; strings.begin < strings.end; ++strings.begin) {
        const Id suffix = shorter_suffix(trie_, strings.begin, length);
        if (!wanted(suffix)) continue;
        cursor = strings.begin;
        return suffix;
      }
      if (level-- <= length + shortest_suffix_) break;
      strings = strings_on(level, p, length);
    }
    cursor = kUnmatched;
    return kUnmatched;
  }

  const MiddleStrings<Id>& middle_;
  const Trie<Id>& trie_;
  std::size_t shortest_suffix_;
  Id first_middle_;  // the longest short prefixes, whose suffixes were found before
  Id last_middle_;
  std::vector<Interval<Id>> longest_;  // of each prefix its strings of length T
  std::vector<Interval<Id>> second_;   // of each one below first_middle_ its strings of length T - 1
};

}  // namespace hankelmatch::detail
