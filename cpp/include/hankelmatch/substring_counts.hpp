// Every distinct substring of a corpus up to a length, with its number of occurrences, as a trie.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/corpus.hpp>
#include <hankelmatch/interrupt.hpp>
#include <hankelmatch/radix_sort.hpp>
#include <hankelmatch/trie.hpp>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace hankelmatch {

/// Distinct substrings and how often each occurs. The empty string occurs once before, between and after all
/// symbols.
template <class Id>
struct SubstringCounts {
  Trie<Id> trie;  ///< closed under substrings, with suffix links
  std::vector<std::int64_t> counts;
};

/// Ids of 32 bits where all nodes fit, else of 64.
using AnySubstringCounts = std::variant<SubstringCounts<std::int32_t>, SubstringCounts<std::int64_t>>;

namespace detail {

/// Bits that tell symbols 0 .. max_symbol and "past the end" (0) apart.
inline int bits_per_symbol(std::span<const std::int32_t> symbols) {
  const std::int32_t top =
      symbols.empty() ? 0 : std::max(0, *std::max_element(symbols.begin(), symbols.end()));
  return static_cast<int>(std::bit_width(static_cast<std::uint32_t>(top) + 1U));
}

/// Calls visit(position, key) for the symbols of a corpus from the last to the first, where key packs the
/// `width` symbols that begin there, the first one highest, zeros past the end of the sequence. Substrings
/// never span a symbol -1.
template <class Visit>
void for_each_key(const CorpusView& corpus, int bits, int width, const Visit& visit) {
  const int top = bits * (width - 1);
  for (std::size_t i = corpus.n_sequences(); i-- > 0;) {
    const auto begin = static_cast<std::size_t>(corpus.offsets[i]);
    std::uint64_t key = 0;
    for (auto position = static_cast<std::size_t>(corpus.offsets[i + 1]); position-- > begin;) {
      const std::int32_t s = corpus.symbols[position];
      key = s < 0 ? 0 : (key >> bits) | (static_cast<std::uint64_t>(s) + 1) << top;
      if (s >= 0) visit(position, key);
    }
  }
}

/// Sorted distinct strings of at most `width` symbols, each packed in one word: the fast road.
class PackedStrings {
 public:
  PackedStrings(const CorpusView& corpus, int bits, int width, Interrupt& interrupt)
      : bits_(bits), width_(width) {
    Buffer<std::uint64_t> keys(corpus.symbols.size());
    Buffer<std::uint64_t> scratch(corpus.symbols.size());
    std::size_t n = 0;
    for_each_key(corpus, bits, width, [&](std::size_t, std::uint64_t key) { keys.span()[n++] = key; });
    interrupt.check();
    const auto sorted = radix_sort(keys.span().first(n), scratch.span().first(n), bits * width,
                                   [](std::uint64_t key) { return key; });
    interrupt.check();
    for (std::size_t i = 0; i < n;) {
      const std::size_t begin = i;
      while (i < n && sorted[i] == sorted[begin]) ++i;
      keys_.push_back(sorted[begin]);
      counts_.push_back(static_cast<std::int64_t>(i - begin));
    }
  }

  std::size_t size() const { return keys_.size(); }
  std::size_t length(std::size_t i) const {
    return static_cast<std::size_t>(width_ - std::countr_zero(keys_[i]) / bits_);
  }
  std::size_t lcp(std::size_t i) const {
    if (i == 0) return 0;
    const int unused = 64 - bits_ * width_;
    return static_cast<std::size_t>((std::countl_zero(keys_[i] ^ keys_[i - 1]) - unused) / bits_);
  }
  std::int32_t symbol(std::size_t i, std::size_t d) const {
    const std::uint64_t mask = (std::uint64_t{1} << bits_) - 1;
    return static_cast<std::int32_t>((keys_[i] >> (bits_ * (width_ - 1 - static_cast<int>(d))) & mask) - 1);
  }
  std::int64_t count(std::size_t i) const { return counts_[i]; }

 private:
  int bits_;
  int width_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::int64_t> counts_;
};

/// Sorted distinct strings of at most `max_length` symbols, each told by a place where it occurs: the general
/// road, for any alphabet and any length. Sorts the places by one word of symbols after another, the last
/// word first.
class PlacedStrings {
 public:
  PlacedStrings(const CorpusView& corpus, int bits, std::size_t max_length, Interrupt& interrupt)
      : symbols_(corpus.symbols), reach_(corpus.symbols.size()) {
    const std::size_t n = fill_reach(corpus, max_length);
    Buffer<Record> records(n);
    Buffer<Record> scratch(n);
    keep_distinct(sorted_places(records.span(), scratch.span(), bits, interrupt), interrupt);
  }

  std::size_t size() const { return places_.size(); }
  std::size_t length(std::size_t i) const { return reach_[places_[i]]; }
  std::size_t lcp(std::size_t i) const { return lcps_[i]; }
  std::int32_t symbol(std::size_t i, std::size_t d) const { return symbols_[places_[i] + d]; }
  std::int64_t count(std::size_t i) const { return counts_[i]; }

 private:
  struct Record {
    std::uint64_t key;
    std::size_t place;
  };

  /// reach_[p]: how many symbols, at most max_length, a string that begins at p has; 0 where none may begin.
  std::size_t fill_reach(const CorpusView& corpus, std::size_t max_length) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < corpus.n_sequences(); ++i) {
      std::size_t reach = 0;
      const auto begin = static_cast<std::size_t>(corpus.offsets[i]);
      for (auto p = static_cast<std::size_t>(corpus.offsets[i + 1]); p-- > begin;) {
        reach = symbols_[p] < 0 ? 0 : std::min(reach + 1, max_length);
        reach_[p] = reach;
        n += reach > 0 ? 1 : 0;
      }
    }
    return n;
  }

  std::span<Record> sorted_places(std::span<Record> records, std::span<Record> scratch, int bits,
                                  Interrupt& interrupt) const {
    std::size_t next = 0;
    for (std::size_t p = 0; p < reach_.size(); ++p)
      if (reach_[p] > 0) records[next++] = {0, p};
    const auto width = static_cast<std::size_t>(64 / bits);
    const std::size_t longest = reach_.empty() ? 0 : *std::max_element(reach_.begin(), reach_.end());
    for (std::size_t word = (longest + width - 1) / width; word-- > 0;) {
      for (Record& r : records) r.key = packed(r.place, word * width, width, bits);
      interrupt.check();
      const auto sorted =
          radix_sort(records, scratch, bits * static_cast<int>(width), [](const Record& r) { return r.key; });
      if (sorted.data() != records.data()) std::swap(records, scratch);
    }
    return records;
  }

  std::uint64_t packed(std::size_t place, std::size_t skip, std::size_t width, int bits) const {
    std::uint64_t key = 0;
    for (std::size_t d = skip; d < skip + width; ++d)
      key = key << bits | (d < reach_[place] ? static_cast<std::uint64_t>(symbols_[place + d]) + 1 : 0);
    return key;
  }

  void keep_distinct(std::span<const Record> sorted, Interrupt& interrupt) {
    for (const Record& record : sorted) {
      const std::size_t common = places_.empty() ? 0 : common_prefix(places_.back(), record.place);
      interrupt.poll(1 + common);
      if (common > 0 && common == reach_[places_.back()] && common == reach_[record.place]) {
        ++counts_.back();
        continue;
      }
      places_.push_back(record.place);
      lcps_.push_back(common);
      counts_.push_back(1);
    }
  }

  std::size_t common_prefix(std::size_t a, std::size_t b) const {
    const std::size_t most = std::min(reach_[a], reach_[b]);
    std::size_t common = 0;
    while (common < most && symbols_[a + common] == symbols_[b + common]) ++common;
    return common;
  }

  std::span<const std::int32_t> symbols_;
  std::vector<std::size_t> reach_;
  std::vector<std::size_t> places_;
  std::vector<std::size_t> lcps_;
  std::vector<std::int64_t> counts_;
};

template <class Id, class Source>
SubstringCounts<Id> count_in_trie(const Source& source, const std::vector<std::int64_t>& sizes,
                                  std::int64_t n_empty, Interrupt& interrupt) {
  SubstringCounts<Id> out;
  std::int64_t n_nodes = 0;
  for (const std::int64_t size : sizes) n_nodes += size;
  out.counts.assign(static_cast<std::size_t>(n_nodes), 0);
  out.trie = build_trie<Id>(source, sizes, [&](std::size_t i, Id node) {
    out.counts[static_cast<std::size_t>(node)] = source.count(i);
  });
  interrupt.check();
  for (std::size_t v = out.counts.size(); v-- > 1;)
    out.counts[static_cast<std::size_t>(out.trie.parent[v])] += out.counts[v];
  out.counts[0] = n_empty;
  link_suffixes(out.trie);
  interrupt.check();
  return out;
}

template <class Source>
AnySubstringCounts count_strings(const Source& source, std::int64_t n_empty, bool wide_ids,
                                 Interrupt& interrupt) {
  const auto sizes = level_sizes(source);
  const std::int64_t n_nodes = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  if (wide_ids || n_nodes > std::numeric_limits<std::int32_t>::max())
    return count_in_trie<std::int64_t>(source, sizes, n_empty, interrupt);
  return count_in_trie<std::int32_t>(source, sizes, n_empty, interrupt);
}

}  // namespace detail

/// Counts every distinct substring of length 0 .. max_length of every sequence; exact for symbols 0 .. 2^31 -
/// 2 and any max_length. A symbol -1 (outside the alphabet) ends the substrings before it: none contains it.
///
/// Sorts the places of the text by the packed symbols that follow them; where max_length symbols fit in 64
/// bits the keys alone are sorted (16 bytes a symbol of text), else places with them (56 bytes a symbol).
/// Cost: one radix pass for every 11 bits of key, then O(distinct substrings). Paper, section 5.2: the
/// support of f_T.
inline AnySubstringCounts count_substrings(const CorpusView& corpus, std::size_t max_length, bool wide_ids,
                                           Interrupt& interrupt) {
  const auto n_empty = static_cast<std::int64_t>(corpus.symbols.size() + corpus.n_sequences());
  const int bits = detail::bits_per_symbol(corpus.symbols);
  if (max_length > 0 && max_length * static_cast<std::size_t>(bits) <= 64) {
    const detail::PackedStrings strings(corpus, bits, static_cast<int>(max_length), interrupt);
    return detail::count_strings(strings, n_empty, wide_ids, interrupt);
  }
  const detail::PlacedStrings strings(corpus, bits, max_length, interrupt);
  return detail::count_strings(strings, n_empty, wide_ids, interrupt);
}

/// For every symbol of the corpus the node of the longest string of the trie that ends with it, inside its
/// sequence. The trie needs suffix links. A symbol that is in no string of the trie gives node 0 and the next
/// string begins anew.
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
        node = trie.suffix[static_cast<std::size_t>(node)];
        next = trie.child(node, symbol);
      }
      node = next == Trie<Id>::kAbsent ? Id{0} : next;
      nodes.push_back(node);
    }
  }
  return nodes;
}

}  // namespace hankelmatch
