// A finite set of given strings as a trie: the support of a function that does not come from a text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/strings/trie.hpp>
#include <hankelmatch/text/corpus.hpp>
#include <limits>
#include <numeric>
#include <span>
#include <variant>
#include <vector>

namespace hankelmatch {

/// The prefixes of some strings as a trie, and the node of each string in the given order.
template <class Id>
struct StringSet {
  Trie<Id> trie;
  std::vector<Id> nodes;
};

using AnyStringSet = std::variant<StringSet<std::int32_t>, StringSet<std::int64_t>>;

namespace detail {

/// The distinct ones of the given strings, in lexicographic order.
class SortedStrings {
 public:
  /// `reversed`: read the strings from their ends.
  SortedStrings(const CorpusView& strings, bool reversed, Interrupt& interrupt)
      : strings_(strings), reversed_(reversed), rank_(strings.n_sequences()) {
    std::vector<std::size_t> order(strings.n_sequences());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto before = [&](std::size_t a, std::size_t b) {
      interrupt.poll();
      const std::size_t common = common_prefix(a, b);
      const std::size_t na = length_of(a), nb = length_of(b);
      return common < std::min(na, nb) ? symbol_of(a, common) < symbol_of(b, common) : na < nb;
    };
    if (!std::is_sorted(order.begin(), order.end(), before)) std::sort(order.begin(), order.end(), before);
    for (const std::size_t k : order) {
      const std::size_t common = distinct_.empty() ? 0 : common_prefix(distinct_.back(), k);
      if (distinct_.empty() || common < length_of(k) || common < length_of(distinct_.back())) {
        distinct_.push_back(k);
        lcps_.push_back(common);
      }
      rank_[k] = distinct_.size() - 1;
    }
  }

  std::size_t size() const { return distinct_.size(); }
  std::size_t length(std::size_t i) const { return length_of(distinct_[i]); }
  std::size_t lcp(std::size_t i) const { return lcps_[i]; }
  std::int32_t symbol(std::size_t i, std::size_t d) const { return symbol_of(distinct_[i], d); }
  /// The place of given string k among the distinct ones.
  std::size_t rank(std::size_t k) const { return rank_[k]; }

 private:
  std::size_t length_of(std::size_t k) const { return strings_.sequence(k).size(); }
  std::int32_t symbol_of(std::size_t k, std::size_t d) const {
    const auto string = strings_.sequence(k);
    return string[reversed_ ? string.size() - 1 - d : d];
  }
  std::size_t common_prefix(std::size_t a, std::size_t b) const {
    const std::size_t most = std::min(length_of(a), length_of(b));
    std::size_t common = 0;
    while (common < most && symbol_of(a, common) == symbol_of(b, common)) ++common;
    return common;
  }

  CorpusView strings_;
  bool reversed_;
  std::vector<std::size_t> rank_;
  std::vector<std::size_t> distinct_;
  std::vector<std::size_t> lcps_;
};

template <class Id>
StringSet<Id> string_set(const SortedStrings& sorted, const std::vector<std::int64_t>& sizes,
                         std::size_t n_strings, bool reversed, Interrupt& interrupt) {
  std::vector<Id> node_of_rank(sorted.size());
  StringSet<Id> out;
  out.trie =
      build_trie<Id>(sorted, sizes, interrupt, [&](std::size_t i, Id node) { node_of_rank[i] = node; });
  if (!reversed) link_suffixes(out.trie, interrupt);
  out.nodes.reserve(n_strings);
  for (std::size_t k = 0; k < n_strings; ++k) out.nodes.push_back(node_of_rank[sorted.rank(k)]);
  return out;
}

}  // namespace detail

/// The trie of the given strings (symbols from 0), or of the reversed strings, of any lengths; equal strings
/// share a node. Suffix links are made if the set of prefixes is closed under dropping the first symbol, but
/// not for reversed strings. Cost: O(strings log strings) comparisons unless the strings are sorted, then
/// O(total length).
[[nodiscard]] inline AnyStringSet make_string_set(const CorpusView& strings, bool reversed, bool wide_ids,
                                                  Interrupt& interrupt) {
  const detail::SortedStrings sorted(strings, reversed, interrupt);
  const auto sizes = level_sizes(sorted, interrupt);
  const std::int64_t n_nodes = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  if (wide_ids || n_nodes > std::numeric_limits<std::int32_t>::max())
    return detail::string_set<std::int64_t>(sorted, sizes, strings.n_sequences(), reversed, interrupt);
  return detail::string_set<std::int32_t>(sorted, sizes, strings.n_sequences(), reversed, interrupt);
}

}  // namespace hankelmatch
