// Hints to the processor: addresses that will be read soon, one by one or for many rows at a time.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace hankelmatch {

/// Asks for an address to be loaded. Does nothing where the compiler has no such instruction.
inline void prefetch([[maybe_unused]] const void* address) {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(address);
#endif
#if defined(__GNUC__) && !defined(__clang__)
  // GCC takes a function that only prefetches for one without effects, and drops calls of it; this is an
  // effect. Karp and Sipser's rule takes .6 of the time on random graphs of degree 5 and 1,000,000 rows.
  asm volatile("");
#endif
}

/// The same for all of an array, which need not begin where a line of the cache does.
template <class T>
void prefetch(std::span<const T> values) {
  static_assert(sizeof(T) <= 64);
  constexpr std::size_t kALine = 64 / sizeof(T);
  for (std::size_t i = 0; i < values.size(); i += kALine) prefetch(&values[i]);
  if (!values.empty()) prefetch(&values.back());
}

namespace detail {

/// The reads, one after another, that lead to the first column of a row.
template <class Id>
class ReadChain {
 public:
  static constexpr Id kNone = -1;

  ReadChain() = default;
  /// The last of `n_reads` values is the column, or `value` itself if there are none; each other value is the
  /// place of the next one in `next`.
  ReadChain(Id value, const Id* first, const Id* next, std::size_t n_reads)
      : value_(value), place_(first), next_(next), n_left_(n_reads) {
    if (n_left_ > 0) prefetch(place_);
  }

  void read_next() {
    if (n_left_ == 0) return;
    value_ = *place_;
    if (--n_left_ == 0) return;
    place_ = next_ + value_;
    prefetch(place_);
  }
  /// The column; kNone if there is none or some reads are left.
  Id column() const { return n_left_ == 0 ? value_ : kNone; }

 private:
  Id value_ = kNone;
  const Id* place_ = nullptr;
  const Id* next_ = nullptr;
  std::size_t n_left_ = 0;
};

/// The chains of the rows that come next, in a ring. In each step all rows move one place to the left:
///
///     steps ahead   0       6         12        16, 22, 28, 34, 40, 46   52      64
///                   visit   prepare   load      read the next value      begin   load
///                           column    column    of the chain             chain   row
///
/// Two reads of one row are kStep steps apart, about the time that memory takes to answer. Six steps in place
/// of two saved a sixth of the Hankel matcher's time on War and Peace at T = 10 (`python -m
/// benchmarks.scale`). A chain is read to its end for all T up to 14; the rest of a longer one is read by the
/// visit.
template <class Id>
class ReadPipeline {
 public:
  static constexpr std::size_t kDepth = 64;
  static constexpr std::size_t kStep = 6;

  /// The step for row i, unless fewer than kDepth rows follow. `rows` are what is visited: load_row(i),
  /// read_chain(i) and load_column(column) belong to the drawing, prepare(column) to the loop.
  template <class Rows>
  void advance(std::size_t i, const Rows& rows) {
    constexpr std::size_t kBegin = kDepth - 2 * kStep;
    rows.load_row(i + kDepth);
    chain(i + kBegin) = rows.read_chain(i + kBegin);
    for (std::size_t ahead = kBegin - kStep; ahead > 2 * kStep; ahead -= kStep) chain(i + ahead).read_next();
    const Id later = chain(i + 2 * kStep).column();
    if (later != ReadChain<Id>::kNone) rows.load_column(later);
    const Id soon = chain(i + kStep).column();
    if (soon != ReadChain<Id>::kNone) rows.prepare(soon);
  }

 private:
  ReadChain<Id>& chain(std::size_t i) { return chains_[i % kDepth]; }

  std::array<ReadChain<Id>, kDepth> chains_{};
};

}  // namespace detail

}  // namespace hankelmatch
