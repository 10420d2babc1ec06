// The prefix-suffix graph of a text, split by the lengths of nodes, without a list of its edges.
#pragma once

#include <cstddef>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/threads.hpp>
#include <hankelmatch/hankel/longest_strings.hpp>
#include <hankelmatch/hankel/prefix_rows.hpp>
#include <hankelmatch/hankel/suffix_rows.hpp>
#include <hankelmatch/strings/trie.hpp>
#include <memory>

namespace hankelmatch {

/// The prefix-suffix graph of a trie closed under substrings (it needs suffix links), as two graphs without a
/// common node: short prefixes with long suffixes, short suffixes with long prefixes (see
/// hankel/hankel_matching.hpp). The trie must outlive it. Cost: a few passes over the strings of length T.
/// Memory: 3 ids for each of them, at most 4 for each short prefix, 2 for each short suffix.
template <class Id>
class SplitGraph {
 public:
  SplitGraph(const Trie<Id>& trie, Interrupt& interrupt) : full_(trie, interrupt) {
    run_both(
        interrupt,
        [&](Interrupt& /*own*/) {
          prefixes_ = std::make_unique<detail::PrefixRows<Id>>(full_, full_.prefix_bound, full_.suffix_bound);
        },
        [&](Interrupt& own) { suffixes_ = std::make_unique<detail::SuffixOrder<Id>>(full_, own); });
  }
  SplitGraph(const SplitGraph&) = delete;  // its parts refer to one another
  SplitGraph& operator=(const SplitGraph&) = delete;

  const Trie<Id>& trie() const { return full_.trie; }
  const detail::LongestStrings<Id>& longest_strings() const { return full_; }
  const detail::PrefixRows<Id>& short_prefixes() const { return *prefixes_; }
  detail::SuffixRows<Id> short_suffixes() const { return {full_, *suffixes_}; }
  const detail::SuffixOrder<Id>& suffix_order() const { return *suffixes_; }

  /// The whole graph, for searches that take a CsrGraph: they find each edge when they need it. Memory: 2 ids
  /// a string, and 2 for each short prefix.
  detail::PrefixRows<Id> edges() const { return {full_, full_.max_length + 1, 0}; }

  /// Bytes beside the trie.
  std::size_t n_bytes() const {
    const std::size_t n_ids = 2 * full_.size() + suffixes_->strings.size();
    const std::size_t n_intervals =
        at(prefixes_->n_rows) + at(prefixes_->first_deepest()) + suffixes_->intervals.size();
    return n_ids * sizeof(Id) + n_intervals * sizeof(detail::Interval<Id>);
  }

 private:
  detail::LongestStrings<Id> full_;
  std::unique_ptr<const detail::PrefixRows<Id>> prefixes_;
  std::unique_ptr<const detail::SuffixOrder<Id>> suffixes_;
};

}  // namespace hankelmatch
