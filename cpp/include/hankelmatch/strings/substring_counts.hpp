// Every distinct substring of a corpus up to a length, with its number of occurrences, as a trie.
//
//     const std::vector<std::int32_t> symbols{0, 1, 0, 0, 1};  // "aba" and "ab"
//     const std::vector<std::int64_t> offsets{0, 3, 5};
//     Interrupt interrupt;
//     const AnySubstringCounts any = count_substrings({symbols, offsets}, 2, {}, interrupt);
//     const auto& found = std::get<SubstringCounts<std::int32_t>>(any);
//     found.counts[at(found.trie.find(std::vector{0, 1}))];  // "ab" occurs twice
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/threads.hpp>
#include <hankelmatch/strings/packed_key.hpp>
#include <hankelmatch/strings/sorted_windows.hpp>
#include <hankelmatch/strings/trie.hpp>
#include <hankelmatch/text/corpus.hpp>
#include <limits>
#include <numeric>
#include <utility>
#include <variant>
#include <vector>

namespace hankelmatch {

/// Distinct substrings with their numbers of occurrences. The empty string occurs once before, between and
/// after all symbols.
template <class Id>
struct SubstringCounts {
  Trie<Id> trie;  ///< closed under substrings, with suffix links
  NodeArray<std::int64_t> counts;
};

struct CountingOptions {
  std::int64_t min_count = 1;  ///< at least 1; rarer substrings are left out
  bool wide_ids = false;       ///< 64-bit ids even where 32 bits suffice
};

/// 32-bit ids if they can number all nodes, else 64-bit ids.
using AnySubstringCounts = std::variant<SubstringCounts<std::int32_t>, SubstringCounts<std::int64_t>>;

namespace detail {

/// Walks the trie of the sorted strings begin .. end - 1 without building it. For every node of at least
/// `min_count` strings calls open(level, key), where `key` is one of these strings, parents before children
/// and each level in order; then close(level, count) after the last of its strings. `first`: one place for
/// each level. Polls `interrupt` (see CountingTrieBuilder).
template <class Source, class Open, class Close>
void walk_nodes(const Source& source, std::size_t begin, std::size_t end, std::size_t min_count,
                std::vector<std::size_t>& first, Interrupt& interrupt, const Open& open, const Close& close) {
  // The nodes of levels 1 .. kept are open; a longer prefix has at most as many strings.
  std::size_t kept = 0;
  typename Source::Key last{};
  source.for_each_run(begin, end, [&](std::size_t i, std::size_t j, const typename Source::Key& key) {
    interrupt.poll();
    const std::size_t common = i == begin ? 0 : source.common(last, key);
    for (; kept > common; --kept) close(kept, i - first[kept]);
    const std::size_t length = source.length(key);
    for (std::size_t d = common + 1; d <= length; ++d) first[d] = i;
    while (kept < length && j - first[kept + 1] >= min_count) open(++kept, key);
    last = key;
  });
  for (; kept > 0; --kept) close(kept, end - first[kept]);
}

/// Adds to level_sizes the numbers of nodes that walk_nodes opens on each level if min_count is 1: every
/// string opens the levels below its common prefix with the one before. It has no branch, so it takes half
/// the time of the walk.
template <class Source>
void count_all_nodes(const Source& source, std::size_t begin, std::size_t end, Interrupt& interrupt,
                     std::vector<std::int64_t>& level_sizes) {
  typename Source::Key last{};
  source.for_each_run(begin, end, [&](std::size_t i, std::size_t, const typename Source::Key& key) {
    interrupt.poll();
    const std::size_t length = source.length(key);
    const std::size_t common = i == begin ? 0 : std::min(length, source.common(last, key));
    ++level_sizes[common + 1];  // differences of the sizes, for now
    --level_sizes[length + 1];
    last = key;
  });
  std::inclusive_scan(level_sizes.begin(), level_sizes.end(), level_sizes.begin());
}

/// Cuts sorted strings into at most n_tasks ranges. No two ranges share a first symbol, so their tries share
/// the root only.
template <class Source>
std::vector<std::size_t> cut_at_first_symbols(const Source& source, std::size_t n_tasks) {
  std::vector<std::size_t> cuts{0};
  for (std::size_t t = 1; t <= n_tasks && cuts.back() < source.size(); ++t) {
    const std::size_t wanted = source.size() * t / n_tasks;
    if (wanted <= cuts.back()) continue;
    std::size_t low = wanted - 1,
                high = source.size();  // the range ends with the first symbol of string wanted - 1
    const auto first_symbol = [&](std::size_t i) { return source.symbol(source.key(i), 0); };
    const std::int32_t symbol = first_symbol(low);
    while (high - low > 1) {
      const std::size_t middle = low + (high - low) / 2;
      (first_symbol(middle) == symbol ? low : high) = middle;
    }
    cuts.push_back(high);
  }
  return cuts;
}

/// Builds the trie of sorted strings with the number of strings below each node, on several threads.
template <class Source>
class CountingTrieBuilder {
 public:
  /// Strings have at most max_length symbols. Counts the nodes of every level; build() makes them.
  CountingTrieBuilder(const Source& source, std::size_t max_length, std::size_t min_count,
                      Interrupt& interrupt)
      : source_(source),
        min_count_(min_count),
        interrupt_(interrupt),
        n_workers_(std::min(workers_for(source.size()), most_tasks(max_length))),
        cuts_(cut_at_first_symbols(
            source, n_workers_ == 1 ? 1 : std::min(kTasksPerWorker * n_workers_, most_tasks(max_length)))),
        first_(n_workers_, std::vector<std::size_t>(max_length + 2)),
        level_begin_(n_tasks() + 1, std::vector<std::int64_t>(max_length + 2, 0)) {
    for_each_task(n_tasks(), n_workers_, interrupt_, [&](std::size_t t, std::size_t worker) {
      auto& sizes = level_begin_[t];
      Interrupt none;
      Interrupt& own = interrupt_of(worker, none);
      if (min_count_ == 1) return count_all_nodes(source_, cuts_[t], cuts_[t + 1], own, sizes);
      walk_nodes(
          source_, cuts_[t], cuts_[t + 1], min_count_, first_[worker], own,
          [&](std::size_t level, const auto&) { ++sizes[level]; }, [](std::size_t, std::size_t) {});
    });
    add_up_sizes();
  }

  std::int64_t n_nodes() const { return n_nodes_; }

  template <class Id>
  SubstringCounts<Id> build(std::int64_t n_empty) {
    std::vector<Id> level_begin{0};
    for (std::size_t level = 1; level < n_levels_; ++level)
      level_begin.push_back(static_cast<Id>(level_begin_[0][level]));
    level_begin.push_back(static_cast<Id>(n_nodes_));
    SubstringCounts<Id> out{trie_to_fill(std::move(level_begin)), {}};
    out.counts.resize(at(n_nodes_));
    out.counts[0] = n_empty;
    for_each_task(n_tasks(), n_workers_, interrupt_,
                  [&](std::size_t t, std::size_t worker) { fill(t, worker, out); });
    return out;
  }

 private:
  static constexpr std::size_t kTasksPerWorker = 16;  // first symbols are of very different sizes

  std::size_t n_tasks() const { return cuts_.size() - 1; }

  /// Each has a number for every level; these must not outnumber the strings.
  std::size_t most_tasks(std::size_t max_length) const {
    return std::max<std::size_t>(1, source_.size() / (max_length + 2));
  }

  /// Worker 0 is on the caller's thread, and alone may call its check.
  Interrupt& interrupt_of(std::size_t worker, Interrupt& none) const {
    return worker == 0 ? interrupt_ : none;
  }

  /// Turns sizes by task and level into the number of each task's first node on each level.
  void add_up_sizes() {
    std::int64_t node = 1;
    n_levels_ = 1;
    for (std::size_t level = 1; level < level_begin_[0].size(); ++level) {
      const std::int64_t begin = node;
      for (auto& of_task : level_begin_) node += std::exchange(of_task[level], node);
      if (node > begin) n_levels_ = level + 1;
    }
    n_nodes_ = node;
  }

  template <class Id>
  void fill(std::size_t t, std::size_t worker, SubstringCounts<Id>& out) {
    Interrupt none;
    TrieWriter<Id> writer(out.trie, {level_begin_[t].begin(), level_begin_[t].end()});
    walk_nodes(
        source_, cuts_[t], cuts_[t + 1], min_count_, first_[worker], interrupt_of(worker, none),
        [&](std::size_t level, const auto& key) { writer.add(level, source_.symbol(key, level - 1)); },
        [&](std::size_t level, std::size_t count) {
          out.counts[at(writer.last(level))] = static_cast<std::int64_t>(count);
        });
  }

  const Source& source_;
  std::size_t min_count_;
  Interrupt& interrupt_;
  std::size_t n_workers_;
  std::vector<std::size_t> cuts_;
  std::vector<std::vector<std::size_t>> first_;         ///< by worker
  std::vector<std::vector<std::int64_t>> level_begin_;  ///< by task, and once more past the last one
  std::size_t n_levels_ = 1;
  std::int64_t n_nodes_ = 1;
};

/// The length of the longest sequence, but at most max_length.
inline std::size_t longest_substring(const CorpusView& corpus, std::size_t max_length) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < corpus.n_sequences(); ++i) length = std::max(length, corpus.sequence(i).size());
  return std::min(length, max_length);
}

/// Counts by the first kind of sorted strings that holds `width` symbols of the corpus.
template <class Strings, class... Others>
AnySubstringCounts count_by(const CorpusView& corpus, int bits, std::size_t width, std::int64_t n_empty,
                            const CountingOptions& options, Interrupt& interrupt) {
  if constexpr (sizeof...(Others) > 0) {
    if (!Strings::fits(corpus, bits, width))
      return count_by<Others...>(corpus, bits, width, n_empty, options, interrupt);
  }
  const auto build = [&]() -> AnySubstringCounts {
    Strings strings(corpus, bits, width, interrupt);  // freed before the suffix links are made
    const auto min_count = static_cast<std::size_t>(options.min_count);
    if constexpr (sizeof...(Others) == 0) strings.cut_rare(min_count, interrupt);
    CountingTrieBuilder builder(strings, width, min_count, interrupt);
    if (options.wide_ids || builder.n_nodes() > std::numeric_limits<std::int32_t>::max())
      return builder.template build<std::int64_t>(n_empty);
    return builder.template build<std::int32_t>(n_empty);
  };
  AnySubstringCounts out = build();
  std::visit([&](auto& counts) { link_suffixes(counts.trie, interrupt); }, out);
  return out;
}

}  // namespace detail

/// Counts every distinct substring of length 0 .. max_length of every sequence. Exact for symbols 0 .. 2^31 -
/// 2 and any max_length. No substring contains the symbol -1 (outside the alphabet). `min_count` keeps only
/// the substrings that occur so often, and the empty string: again a set closed under substrings.
///
/// Sorts the symbols that follow every place of the text, packed in 1 to 4 words if max_length symbols fit in
/// 256 bits, else the places, by prefix doubling; then walks the sorted strings twice, to count the nodes and
/// to make them. Cost: one radix pass for every 8 to 11 bits of key, or for places a sort of those not yet in
/// order for each doubling of 64 bits up to max_length symbols; then O(text + distinct substrings kept), on
/// all cores. Peak memory beside the result: 4 bytes a symbol of text if all but 12 bits of a string's
/// symbols fit in them (7 symbols of English), else 8 for each word, up to twice that if few first symbols
/// prevail; 60 bytes a symbol if the places are sorted. The result: 24 bytes for each substring kept with
/// 32-bit ids, 36 with 64-bit ids. Paper, section 5.2: the support of f_T.
[[nodiscard]] inline AnySubstringCounts count_substrings(const CorpusView& corpus, std::size_t max_length,
                                                         const CountingOptions& options,
                                                         Interrupt& interrupt) {
  using namespace detail;
  const auto n_empty = static_cast<std::int64_t>(corpus.symbols.size() + corpus.n_sequences());
  const std::size_t width = longest_substring(corpus, max_length);
  const CorpusView counted = width == 0 ? CorpusView{} : corpus;
  return count_by<PackedStrings<1, std::uint32_t>, PackedStrings<1, std::uint64_t>, PackedStrings<2>,
                  PackedStrings<3>, PackedStrings<4>, PlacedStrings>(
      counted, bits_per_symbol(counted.symbols), std::max<std::size_t>(width, 1), n_empty, options,
      interrupt);
}

/// For every symbol of the corpus, the node of the longest string of the trie that ends with it inside its
/// sequence. The trie needs suffix links. A symbol that is in no string of the trie gives node 0, and the
/// next string begins after it.
template <class Id>
std::vector<Id> trailing_windows(const Trie<Id>& trie, const CorpusView& corpus, Interrupt& interrupt) {
  std::vector<Id> nodes;
  nodes.reserve(corpus.symbols.size());
  for (std::size_t i = 0; i < corpus.n_sequences(); ++i) {
    Id node = 0;
    for (const std::int32_t symbol : corpus.sequence(i)) {
      interrupt.poll();
      Id next = trie.child(node, symbol);
      while (next == Trie<Id>::kAbsent && node != 0) {
        node = trie.suffix[at(node)];
        next = trie.child(node, symbol);
      }
      node = next == Trie<Id>::kAbsent ? Id{0} : next;
      nodes.push_back(node);
    }
  }
  return nodes;
}

}  // namespace hankelmatch
