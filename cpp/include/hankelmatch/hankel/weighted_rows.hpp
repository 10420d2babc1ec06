// The edges of the two halves of a text's prefix-suffix graph (see hankel/hankel_matching.hpp) with their
// weights.
#pragma once

#include <algorithm>
#include <cstddef>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/prefetch.hpp>
#include <hankelmatch/hankel/longest_strings.hpp>
#include <hankelmatch/hankel/short_long_split.hpp>
#include <hankelmatch/hankel/suffix_rows.hpp>
#include <hankelmatch/strings/trie.hpp>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

namespace hankelmatch::detail {

/// The edge of a string's cut weighs what the string weighs. Weights are one for each node of the trie.
template <class Id>
class WeightedHalves {
 public:
  WeightedHalves(const HankelHalves<Id>& halves, std::span<const double> weights)
      : halves_(halves), middle_(halves.middle()), trie_(halves.trie()), weights_(weights) {}

  /// Of every string shorter than T its longest short suffix, which tell_long_prefixes asks for.
  std::vector<Id> tails() const {
    std::vector<Id> tails(at(middle_.first_string));
    for (Id x = 0; x < middle_.first_string; ++x)
      tails[at(x)] = x < n_short_suffixes() ? x : tails[at(trie_.suffix[at(x)])];
    return tails;
  }

  /// Tells a visitor of CheapestEdges the strings that are cut behind the short prefixes that it wants and
  /// before a long suffix.
  template <class Visitor>
  void tell_long_suffixes(const Visitor& visit, Interrupt& interrupt) const {
    const std::size_t m = middle_.suffix_bound;
    for (Id p = 0; p < n_short_prefixes(); ++p) {
      const Cut cut = cut_at(visit, p, trie_.parent);
      if (!cut.wants_any()) continue;
      const Id begin = first_descendant(trie_, p, m);
      const Id end = first_descendant(trie_, p + 1, m);
      interrupt.poll(at(end - begin));
      for (Id x = begin; x < end; ++x) tell(visit, cut, x, trie_.parent);
    }
  }

  /// The same for the long prefixes of short suffixes.
  template <class Visitor>
  void tell_long_prefixes(const std::vector<Id>& tails, const Visitor& visit, Interrupt& interrupt) const {
    for (std::size_t n = 0; n + 1 < middle_.suffix_bound; ++n)
      tell_prefixes_before(n, tails, visit, interrupt);
    for (Id s = halves_.suffix_order().first_middle; s < n_short_suffixes(); ++s) {
      const Cut cut = cut_at(visit, s, trie_.suffix);
      if (!cut.wants_any()) continue;
      interrupt.poll(most_long_prefixes(s));
      for_each_longest_before(s, [&](Id x) { tell(visit, cut, x, trie_.suffix); });
    }
  }

  /// The strings of tell_long_suffixes that begin with one short prefix.
  template <class Visit>
  void for_each_string_behind(Id prefix, const Visit& visit) const {
    for_each_level_below(prefix, middle_.suffix_bound, [&](Id begin, Id end) {
      for (Id x = begin; x < end; ++x) visit(x);
    });
  }

  /// The strings of length T that end in a short suffix. One of the longest short ones has no others.
  template <class Visit>
  void for_each_longest_before(Id suffix, const Visit& visit) const {
    const SuffixOrder<Id>& order = halves_.suffix_order();
    const auto& [begin, end] = order.longest[at(suffix)];
    for (std::size_t place = at(begin); place < at(end); ++place) {
      constexpr std::size_t kAhead = 16;
      if (place + kAhead < order.strings.size())
        prefetch(&weights_[at(middle_.first_string + order.strings[place + kAhead])]);
      visit(middle_.first_string + order.strings[place]);
    }
  }

  /// Whether all strings that are told of a suffix have length T.
  bool has_longest_only(Id suffix) const {
    return suffix < n_short_suffixes() && suffix >= halves_.suffix_order().first_middle;
  }

  /// What follows in a string behind a prefix.
  auto suffixes_behind(Id prefix) const {
    return [this, n = trie_.length(prefix)](Id x) { return suffix_of(x, n); };
  }

  /// What a string has before a suffix.
  auto prefixes_before(Id suffix) const {
    return [this, n = trie_.length(suffix)](Id x) { return prefix_of(x, n); };
  }

  /// How many long suffixes a short prefix has; of a long prefix an upper bound of its edges.
  std::size_t n_long_suffixes(Id prefix) const {
    if (prefix >= n_short_prefixes()) return n_nodes();
    std::size_t n = 0;
    for_each_level_below(prefix, middle_.suffix_bound, [&](Id begin, Id end) { n += at(end - begin); });
    return n;
  }

  /// How many long prefixes a short suffix has, if all these strings have length T. Else an upper bound.
  std::size_t most_long_prefixes(Id suffix) const {
    if (!has_longest_only(suffix)) return n_nodes();
    const auto& [begin, end] = halves_.suffix_order().longest[at(suffix)];
    return at(end - begin);
  }

  /// Calls visit(prefix, suffix, string) for all edges of some short suffixes, in any order.
  template <class Visit>
  void for_each_edge_of_suffixes(const Bitset& suffixes, Interrupt& interrupt, const Visit& visit) const {
    if (suffixes.count() == 0) return;
    for_each_string_ending_in(trie_, suffixes, interrupt, [&](Id x, Id suffix, std::size_t) {
      visit(shorter_prefix(trie_, x, trie_.length(suffix)), suffix, x);
    });
    const SuffixOrder<Id>& order = halves_.suffix_order();
    suffixes.for_each([&](std::size_t s) {
      const auto suffix = static_cast<Id>(s);
      const auto prefix_before = prefixes_before(suffix);
      interrupt.poll(at(order.longest[s].end - order.longest[s].begin));
      for_each_longest_before(suffix, [&](Id x) { visit(prefix_before(x), suffix, x); });
    });
  }

  /// The same for some short prefixes.
  template <class Visit>
  void for_each_edge_of_prefixes(const Bitset& prefixes, Interrupt& interrupt, const Visit& visit) const {
    prefixes.for_each([&](std::size_t p) {
      const auto prefix = static_cast<Id>(p);
      const auto suffix_behind = suffixes_behind(prefix);
      for_each_level_below(prefix, 0, [&](Id begin, Id end) {
        interrupt.poll(at(end - begin));
        for (Id x = begin; x < end; ++x) visit(prefix, suffix_behind(x), x);
      });
    });
  }

  double weight(Id string) const { return weights_[at(string)]; }
  Id n_short_prefixes() const { return trie_.level_begin[middle_.prefix_bound]; }
  Id n_short_suffixes() const { return trie_.level_begin[middle_.suffix_bound]; }
  std::size_t n_nodes() const { return trie_.n_nodes(); }

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

  /// The longest short prefix or suffix of some strings, whose edge to the rest of the string is told first.
  /// The shorter ones have been told the edges of shorter strings before, and so want few more.
  template <class OpenRow>
  struct Cut {
    OpenRow* row;
    double limit;  ///< dearer edges no shorter one wants
    Id node;

    bool wants_any() const { return row->wants_any() || limit > -std::numeric_limits<double>::infinity(); }
  };

  /// `shorter`: of every node the one that is one symbol shorter, parent or suffix.
  template <class Visitor>
  static auto cut_at(const Visitor& visit, Id node, const NodeArray<Id>& shorter) {
    using OpenRow = std::remove_reference_t<decltype(visit.row(node))>;  // Clang 14 does not deduce it
    Cut<OpenRow> cut{&visit.row(node), -std::numeric_limits<double>::infinity(), node};
    while (node != 0) {
      node = shorter[at(node)];
      cut.limit = std::max(cut.limit, visit.row(node).dearest.cost);
    }
    return cut;
  }

  /// The edges of one string: its cut, and those at the shorter nodes.
  template <class Visitor, class Cut>
  void tell(const Visitor& visit, const Cut& cut, Id x, const NodeArray<Id>& shorter) const {
    const double cost = -weights_[at(x)];
    visit.add(*cut.row, cost, x);
    if (cost > cut.limit) return;
    for (Id node = cut.node; node != 0;) {
      node = shorter[at(node)];
      visit.add(visit.row(node), cost, x);
    }
  }

  /// The strings below T that consist of a shortest long prefix and a suffix of n symbols.
  template <class Visitor>
  void tell_prefixes_before(std::size_t n, const std::vector<Id>& tails, const Visitor& visit,
                            Interrupt& interrupt) const {
    const Id first_tail = halves_.suffix_order().first_middle;
    std::vector<decltype(cut_at(visit, Id{0}, trie_.suffix))> cuts;  // for each of the longest short suffixes
    bool wanted = false;
    for (Id tail = first_tail; tail < n_short_suffixes(); ++tail) {
      cuts.push_back(cut_at(visit, shorter_suffix(trie_, tail, middle_.suffix_bound - 1 - n), trie_.suffix));
      wanted |= cuts.back().wants_any();
    }
    if (!wanted) return;
    const std::size_t length = middle_.prefix_bound + n;
    for (Id x = trie_.level_begin[length]; x < trie_.level_begin[length + 1]; ++x) {
      interrupt.poll();
      tell(visit, cuts[at(tails[at(x)] - first_tail)], x, trie_.suffix);
    }
  }

  /// A string of length T without its first or last symbols is often one of those that the halves know.
  Id suffix_of(Id x, std::size_t n_dropped) const {
    if (x >= middle_.first_string && n_dropped + middle_.suffix_bound == middle_.longest)
      return middle_.long_suffix[at(x - middle_.first_string)];
    return shorter_suffix(trie_, x, n_dropped);
  }
  Id prefix_of(Id x, std::size_t n_dropped) const {
    if (x >= middle_.first_string && n_dropped + middle_.prefix_bound == middle_.longest)
      return middle_.long_prefix[at(x - middle_.first_string)];
    return shorter_prefix(trie_, x, n_dropped);
  }

  const HankelHalves<Id>& halves_;
  const MiddleStrings<Id>& middle_;
  const Trie<Id>& trie_;
  std::span<const double> weights_;
};

}  // namespace hankelmatch::detail
