// What a trie lacks to tell the edges of its prefix-suffix graph: the two halves of it (see
// hankel/hankel_matching.hpp).
#pragma once

#include <cstddef>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/threads.hpp>
#include <hankelmatch/hankel/longest_strings.hpp>
#include <hankelmatch/hankel/prefix_rows.hpp>
#include <hankelmatch/hankel/suffix_rows.hpp>
#include <hankelmatch/strings/trie.hpp>
#include <memory>

namespace hankelmatch {

/// The prefix-suffix graph of a trie closed under substrings (it needs suffix links), without a list of
/// edges: what the trie lacks to tell the neighbours of the longest short nodes at once. Looks at the trie,
/// which must outlive it. Cost: a few passes over the strings of length T. Memory: 3 ids for each of them, at
/// most 4 for each short prefix, 2 for each short suffix.
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

  /// All edges, told one by one: what a search takes in place of a CsrGraph. Memory: 2 ids a string, and 2
  /// for each short prefix.
  detail::PrefixRows<Id> edges() const { return {middle_, middle_.longest + 1, 0}; }

  /// Bytes beside the trie.
  std::size_t n_bytes() const {
    const std::size_t ids = 2 * middle_.size() + suffixes_->strings.size();
    const std::size_t n_intervals =
        at(prefixes_->n_rows) + at(prefixes_->first_middle()) + suffixes_->longest.size();
    return ids * sizeof(Id) + n_intervals * sizeof(detail::Interval<Id>);
  }

 private:
  detail::MiddleStrings<Id> middle_;
  std::unique_ptr<const detail::PrefixRows<Id>> prefixes_;
  std::unique_ptr<const detail::SuffixOrder<Id>> suffixes_;
};

}  // namespace hankelmatch
