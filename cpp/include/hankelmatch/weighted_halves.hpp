// The edges of the two halves of a text's prefix-suffix graph (see hankel_matching.hpp) with their weights,
// of which fewer are looked at where no string weighs more than what it begins with.
#pragma once

#include <algorithm>
#include <cstddef>
#include <hankelmatch/at.hpp>
#include <hankelmatch/bitset.hpp>
#include <hankelmatch/hankel_halves.hpp>
#include <hankelmatch/interrupt.hpp>
#include <hankelmatch/trie.hpp>
#include <span>
#include <vector>

namespace hankelmatch::detail {

/// The edge of a string's cut weighs what the string weighs. Weights are one for each node of the trie.
template <class Id>
class WeightedHalves {
 public:
  WeightedHalves(const HankelHalves<Id>& halves, std::span<const double> weights)
      : halves_(halves),
        middle_(halves.middle()),
        trie_(halves.trie()),
        weights_(weights),
        weights_fall_(fall()),
        tails_(tails()) {}

  /// Tells a visitor of CheapestEdges the long suffixes of the short prefixes that it wants, each in order.
  template <class Visitor>
  void tell_long_suffixes(const Visitor& visit, Interrupt& interrupt) const {
    std::vector<Interval<Id>> strings;
    for (std::size_t length = 0; length < middle_.prefix_bound; ++length) {
      for (Id p = trie_.level_begin[length]; p < trie_.level_begin[length + 1]; ++p) {
        if (!visit.wants(p)) continue;
        const std::size_t m = middle_.suffix_bound;
        strings.assign(1, {first_descendant(trie_, p, m), first_descendant(trie_, p + 1, m)});
        for (std::size_t level = length + m; !strings.empty(); ++level) {
          for (const auto& [begin, end] : strings) {
            interrupt.poll(at(end - begin));
            for (Id x = begin; x < end; ++x) visit(p, -weights_[at(x)], [&] { return suffix_of(x, length); });
          }
          if (level == middle_.longest) break;
          strings = extensions(strings, [&](Id x) { return visit.wants(p, -weights_[at(x)]); });
        }
      }
    }
  }

  /// The same for the long prefixes of short suffixes.
  template <class Visitor>
  void tell_long_prefixes(const Visitor& visit, Interrupt& interrupt) const {
    if (middle_.suffix_bound == 0) return;
    const Bitset wanted =
        Bitset::where(at(n_short_suffixes()), [&](std::size_t s) { return visit.wants(static_cast<Id>(s)); });
    const bool few = 4 * wanted.count() < wanted.size();
    for (std::size_t length = middle_.prefix_bound; length < middle_.longest; ++length) {
      interrupt.check();
      for (Id x = trie_.level_begin[length]; x < trie_.level_begin[length + 1]; ++x)
        tell_prefixes_of(x, length, tails_[at(x)], std::min(length, longest_tail()), wanted, visit);
    }
    if (few) return tell_longest_of(wanted, visit, interrupt);
    for (std::size_t k = 0; k < middle_.long_suffix.size(); ++k) {
      interrupt.poll();
      tell_prefixes_of(middle_.first_string + static_cast<Id>(k), middle_.longest,
                       trie_.suffix[at(middle_.long_suffix[k])], longest_tail(), wanted, visit);
    }
  }

  /// How many long suffixes a short prefix has; of a long prefix an upper bound of its edges.
  std::size_t n_long_suffixes(Id prefix) const {
    if (prefix >= n_short_prefixes()) return n_nodes();
    std::size_t n = 0;
    const std::size_t m = middle_.suffix_bound;
    Id begin = first_descendant(trie_, prefix, m);
    Id end = first_descendant(trie_, prefix + 1, m);
    for (std::size_t level = trie_.length(prefix) + m; level <= middle_.longest; ++level) {
      n += at(end - begin);
      begin = trie_.child_begin[at(begin)];
      end = trie_.child_begin[at(end)];
    }
    return n;
  }

  /// How many long prefixes a short suffix has, if no short one is longer: all these strings have length T.
  /// Else an upper bound.
  std::size_t most_long_prefixes(Id suffix) const {
    if (suffix >= n_short_suffixes() || trie_.length(suffix) < longest_tail()) return n_nodes();
    const auto& [begin, end] = halves_.suffix_order().longest[at(suffix)];
    return at(end - begin);
  }

  /// Calls visit(prefix, suffix, weight) for all edges of some short suffixes, in any order.
  template <class Visit>
  void for_each_edge_of_suffixes(const Bitset& suffixes, Interrupt& interrupt, const Visit& visit) const {
    if (suffixes.count() == 0) return;
    for_each_string_ending_in(trie_, suffixes, interrupt, [&](Id x, Id suffix, std::size_t) {
      visit(shorter_prefix(trie_, x, trie_.length(suffix)), suffix, weights_[at(x)]);
    });
    for_each_longest_ending_in(suffixes, interrupt, [&](Id x, Id suffix, std::size_t n) {
      visit(shorter_prefix(trie_, x, n), suffix, weights_[at(x)]);
    });
  }

  /// Calls visit(prefix, suffix, weight) for all edges of some short prefixes.
  template <class Visit>
  void for_each_edge_of_prefixes(const Bitset& prefixes, Interrupt& interrupt, const Visit& visit) const {
    for (std::size_t p = prefixes.find_next(0); p < prefixes.size(); p = prefixes.find_next(p + 1)) {
      auto begin = static_cast<Id>(p);
      Id end = begin + 1;
      const std::size_t length = trie_.length(begin);
      while (begin < end) {
        interrupt.poll(at(end - begin));
        for (Id x = begin; x < end; ++x) visit(static_cast<Id>(p), suffix_of(x, length), weights_[at(x)]);
        begin = trie_.child_begin[at(begin)];
        end = trie_.child_begin[at(end)];
      }
    }
  }

  Id n_short_prefixes() const { return trie_.level_begin[middle_.prefix_bound]; }
  Id n_short_suffixes() const { return trie_.level_begin[middle_.suffix_bound]; }
  std::size_t n_nodes() const { return trie_.n_nodes(); }

 private:
  std::size_t longest_tail() const { return middle_.suffix_bound - 1; }

  /// Whether no string weighs more than without its last symbol, as in all counts of substrings.
  bool fall() const {
    for (std::size_t x = 1; x < trie_.n_nodes(); ++x)
      if (weights_[x] > weights_[at(trie_.parent[x])]) return false;
    return true;
  }

  /// Of every string shorter than T its longest short suffix.
  std::vector<Id> tails() const {
    std::vector<Id> tails(at(middle_.first_string));
    for (Id x = 0; x < middle_.first_string; ++x)
      tails[at(x)] = x < n_short_suffixes() ? x : tails[at(trie_.suffix[at(x)])];
    return tails;
  }

  Id suffix_of(Id x, std::size_t n_dropped) const {
    if (x >= middle_.first_string && n_dropped + middle_.suffix_bound == middle_.longest)
      return middle_.long_suffix[at(x - middle_.first_string)];
    for (; n_dropped > 0; --n_dropped) x = trie_.suffix[at(x)];
    return x;
  }

  /// The strings one symbol longer that begin with any of these strings, but with those that are not wanted.
  template <class Wanted>
  std::vector<Interval<Id>> extensions(const std::vector<Interval<Id>>& strings, const Wanted& wanted) const {
    std::vector<Interval<Id>> longer;
    for (const auto& [begin, end] : strings) {
      for (Id x = begin; x < end; ++x) {
        const Interval<Id> of_x{trie_.child_begin[at(x)], trie_.child_begin[at(x) + 1]};
        if (of_x.begin == of_x.end || (weights_fall_ && !wanted(x))) continue;
        if (!longer.empty() && longer.back().end == of_x.begin) {
          longer.back().end = of_x.end;
        } else {
          longer.push_back(of_x);
        }
      }
    }
    return longer;
  }

  /// The cuts of one string behind its long prefixes; `tail` is its suffix of n symbols.
  template <class Visitor>
  void tell_prefixes_of(Id x, std::size_t length, Id tail, std::size_t n, const Bitset& wanted,
                        const Visitor& visit) const {
    const double cost = -weights_[at(x)];
    while (true) {
      if (length - n >= middle_.prefix_bound && wanted.test(at(tail)))
        visit(tail, cost, [&] { return shorter_prefix(trie_, x, n); });
      if (n-- == 0) return;
      tail = trie_.suffix[at(tail)];
    }
  }

  /// Those of the strings of length T that end in few suffixes.
  template <class Visitor>
  void tell_longest_of(const Bitset& suffixes, const Visitor& visit, Interrupt& interrupt) const {
    for_each_longest_ending_in(suffixes, interrupt, [&](Id x, Id suffix, std::size_t n) {
      visit.in_any_order(suffix, -weights_[at(x)], [&] { return shorter_prefix(trie_, x, n); });
    });
  }

  /// Calls visit(string, suffix, length of the suffix) for the strings of length T.
  template <class Visit>
  void for_each_longest_ending_in(const Bitset& suffixes, Interrupt& interrupt, const Visit& visit) const {
    const SuffixOrder<Id>& order = halves_.suffix_order();
    for (std::size_t s = suffixes.find_next(0); s < suffixes.size(); s = suffixes.find_next(s + 1)) {
      const std::size_t n = trie_.length(static_cast<Id>(s));
      const auto& [begin, end] = order.longest[s];
      interrupt.poll(at(end - begin));
      for (Id place = begin; place < end; ++place)
        visit(middle_.first_string + order.strings[at(place)], static_cast<Id>(s), n);
    }
  }

  const HankelHalves<Id>& halves_;
  const MiddleStrings<Id>& middle_;
  const Trie<Id>& trie_;
  std::span<const double> weights_;
  bool weights_fall_;
  std::vector<Id> tails_;
};

}  // namespace hankelmatch::detail
