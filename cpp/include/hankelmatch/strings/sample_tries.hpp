// A sample of strings as tries of bounded size, for passes that keep a vector at every node.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/strings/trie.hpp>
#include <hankelmatch/strings/trie_of_strings.hpp>
#include <hankelmatch/text/corpus.hpp>
#include <numeric>
#include <vector>

namespace hankelmatch {

/// The trie of some of a sample's distinct strings. Nodes are numbered by length, then by last symbol: the
/// nodes of one length and one last symbol, a group, are consecutive, and their parents are distinct.
struct SampleTrie {
  struct Group {
    std::int32_t symbol;
    std::int32_t begin;
    std::int32_t end;
  };

  std::size_t first_string = 0;      ///< the trie holds the distinct strings first_string, ...
  std::vector<std::int32_t> node;    ///< node of each of its strings
  std::vector<std::int32_t> parent;  ///< for each node, the node without its last symbol; 0 for the root
  std::vector<Group> groups;         ///< shorter strings first; the root, node 0, is in none
  std::vector<std::int32_t> groups_by_symbol;  ///< the places of the groups, by symbol

  std::size_t n_nodes() const { return parent.size(); }
};

/// The distinct strings of a sample, sorted and cut into runs; each run is a trie of its own.
struct SampleTries {
  std::vector<SampleTrie> tries;
  std::vector<std::size_t> rank;     ///< for each string given, which of the distinct ones it is
  std::vector<std::size_t> offsets;  ///< where each distinct string begins, were they written in a row
  std::size_t n_symbols = 0;         ///< 1 + the largest symbol

  std::size_t n_distinct() const { return offsets.size() - 1; }
  std::size_t n_nodes() const {
    std::size_t sum = 0;
    for (const SampleTrie& trie : tries) sum += trie.n_nodes();
    return sum;
  }
  std::size_t most_nodes() const {
    std::size_t most = 0;
    for (const SampleTrie& trie : tries) most = std::max(most, trie.n_nodes());
    return most;
  }
};

namespace detail {

/// Some consecutive strings of `SortedStrings`, as build_trie wants them.
class RunOfStrings {
 public:
  RunOfStrings(const SortedStrings& all, std::size_t first, std::size_t last)
      : all_(all), first_(first), last_(last) {}
  std::size_t size() const { return last_ - first_; }
  std::size_t length(std::size_t i) const { return all_.length(first_ + i); }
  std::size_t lcp(std::size_t i) const { return i == 0 ? 0 : all_.lcp(first_ + i); }
  std::int32_t symbol(std::size_t i, std::size_t d) const { return all_.symbol(first_ + i, d); }

 private:
  const SortedStrings& all_;
  std::size_t first_;
  std::size_t last_;
};

/// Where a run ends that begins with string `first`: before it has more than `most_nodes` nodes, but not
/// before its second string.
inline std::size_t end_of_run(const SortedStrings& strings, std::size_t first, std::size_t most_nodes) {
  std::size_t nodes = 1 + strings.length(first);
  std::size_t last = first + 1;
  for (; last < strings.size(); ++last) {
    nodes += strings.length(last) - strings.lcp(last);
    if (nodes > most_nodes) break;
  }
  return last;
}

/// The new number of every node: within each level by last symbol. Appends the groups.
inline std::vector<std::int32_t> grouped_order(const Trie<std::int32_t>& trie, std::size_t n_symbols,
                                               std::vector<SampleTrie::Group>& groups) {
  std::vector<std::int32_t> renumbered(trie.n_nodes(), 0);
  std::vector<std::int32_t> next(n_symbols + 1);
  for (std::size_t level = 1; level < trie.n_levels(); ++level) {
    const auto begin = trie.level_begin[level];
    const auto end = trie.level_begin[level + 1];
    std::fill(next.begin(), next.end(), 0);
    for (auto v = begin; v < end; ++v) ++next[at(trie.symbol[at(v)]) + 1];
    for (std::size_t a = 0; a < n_symbols; ++a) {
      const std::int32_t size = next[a + 1];
      next[a + 1] += next[a];
      if (size > 0) groups.push_back({static_cast<std::int32_t>(a), begin + next[a], begin + next[a + 1]});
    }
    for (auto v = begin; v < end; ++v) renumbered[at(v)] = begin + next[at(trie.symbol[at(v)])]++;
  }
  return renumbered;
}

inline SampleTrie make_sample_trie(const SortedStrings& strings, std::size_t first, std::size_t last,
                                   std::size_t n_symbols) {
  const RunOfStrings run(strings, first, last);
  SampleTrie out;
  out.first_string = first;
  out.node.resize(run.size());
  const auto trie = build_trie<std::int32_t>(run, level_sizes(run), no_interrupt(),
                                             [&](std::size_t i, std::int32_t v) { out.node[i] = v; });
  const auto renumbered = grouped_order(trie, n_symbols, out.groups);
  out.parent.resize(trie.n_nodes());
  for (std::size_t v = 0; v < trie.n_nodes(); ++v)
    out.parent[at(renumbered[v])] = renumbered[at(trie.parent[v])];
  for (std::int32_t& v : out.node) v = renumbered[at(v)];
  out.groups_by_symbol.resize(out.groups.size());
  std::iota(out.groups_by_symbol.begin(), out.groups_by_symbol.end(), 0);
  std::ranges::sort(out.groups_by_symbol, [&](std::int32_t g, std::int32_t h) {
    const auto a = out.groups[at(g)].symbol, b = out.groups[at(h)].symbol;
    return a != b ? a < b : g < h;
  });
  return out;
}

}  // namespace detail

/// Sorts the sample and builds its tries of at most `most_nodes` nodes each (more only where a single string
/// is longer). A run repeats the prefixes that its first string shares with the run before, so all tries
/// together have at most one string's length of nodes a run more than one trie would.
///
/// `symbols` of the sample are at least 0. Cost: sorting by comparison, O(strings log strings) of them; then
/// O(total length + levels * symbols). Memory: 8 bytes a node, 16 a group, 20 a string.
inline SampleTries make_sample_tries(const CorpusView& sample, std::size_t most_nodes, Interrupt& interrupt) {
  const detail::SortedStrings strings(sample, false, interrupt);
  SampleTries out;
  out.offsets.assign(1, 0);
  for (std::size_t i = 0; i < strings.size(); ++i)
    out.offsets.push_back(out.offsets.back() + strings.length(i));
  for (const std::int32_t a : sample.symbols) out.n_symbols = std::max(out.n_symbols, at(a) + 1);
  for (std::size_t first = 0; first < strings.size();) {
    interrupt.check();
    const std::size_t last = detail::end_of_run(strings, first, most_nodes);
    out.tries.push_back(detail::make_sample_trie(strings, first, last, out.n_symbols));
    first = last;
  }
  out.rank.reserve(sample.n_sequences());
  for (std::size_t k = 0; k < sample.n_sequences(); ++k) out.rank.push_back(strings.rank(k));
  return out;
}

}  // namespace hankelmatch
