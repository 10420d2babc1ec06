// Chains of reads of memory, several at a time.
#pragma once

#include <cstddef>
#include <hankelmatch/base/prefetch.hpp>
#include <hankelmatch/matching/matching.hpp>

namespace hankelmatch::detail {

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

}  // namespace hankelmatch::detail
