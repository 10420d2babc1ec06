// The one check of arrays that come from outside, after which everything else trusts them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/threads.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

// Functions that are compiled for newer processors too, and what they have in common.
#if defined(__linux__) && defined(__x86_64__) && defined(__GNUC__)
#define HANKELMATCH_AVX2 __attribute__((target("avx2")))
#define HANKELMATCH_INLINE __attribute__((always_inline)) inline
#else
#define HANKELMATCH_INLINE inline
#endif

namespace hankelmatch {

namespace detail {

// All checks branch on nothing. Those that look at sign bits need only subtraction and "or", so that any
// compiler turns them into vector instructions.

/// Whether all values seen are at least 0 and below a bound: by their sign bits.
template <class Index>
class BelowBySigns {
 public:
  explicit BelowBySigns(Index bound) : last_(static_cast<Unsigned>(bound) - 1) {}
  HANKELMATCH_INLINE void see(Index value) {
    const auto v = static_cast<Unsigned>(value);
    signs_ |= v | (last_ - v);
  }
  bool holds() const { return static_cast<Index>(signs_) >= 0; }

 private:
  using Unsigned = std::make_unsigned_t<Index>;
  Unsigned last_;
  Unsigned signs_ = 0;
};

/// The same by the largest, as unsigned numbers: one operation for three, where the processor has it.
template <class Index>
class BelowByLargest {
 public:
  explicit BelowByLargest(Index bound) : bound_(static_cast<Unsigned>(bound)) {}
  HANKELMATCH_INLINE void see(Index value) { largest_ = std::max(largest_, static_cast<Unsigned>(value)); }
  bool holds() const { return largest_ < bound_; }

 private:
  using Unsigned = std::make_unsigned_t<Index>;
  Unsigned bound_;
  Unsigned largest_ = 0;
};

// Four parts in turns, since the processor fetches several streams ahead as fast as one: on arrays beyond the
// caches this takes three quarters of the time.
template <class Below, class Index>
HANKELMATCH_INLINE bool all_below_in_parts(const Index* values, std::size_t size, Index bound) {
  const std::size_t n_part = size / 4;
  Below one(bound);
  Below two(bound);
  Below three(bound);
  Below four(bound);
  for (std::size_t i = 0; i < n_part; ++i) {
    one.see(values[i]);
    two.see(values[n_part + i]);
    three.see(values[2 * n_part + i]);
    four.see(values[3 * n_part + i]);
  }
  for (std::size_t i = 4 * n_part; i < size; ++i) one.see(values[i]);
  return one.holds() && two.holds() && three.holds() && four.holds();
}

#ifdef HANKELMATCH_AVX2
template <class Index>
HANKELMATCH_AVX2 bool all_below_by_avx2(const Index* values, std::size_t size, Index bound) {
  using Below = std::conditional_t<sizeof(Index) == 4, BelowByLargest<Index>, BelowBySigns<Index>>;
  return all_below_in_parts<Below>(values, size, bound);
}
#endif

/// Whether all values are at least 0 and below the bound. Vectors of twice the width, where the processor has
/// them, take three fifths of the time (benchmarks.matching, long rows).
template <class Index>
bool all_below(std::span<const Index> values, Index bound) {
#ifdef HANKELMATCH_AVX2
  if (__builtin_cpu_supports("avx2")) return all_below_by_avx2(values.data(), values.size(), bound);
#endif
  return all_below_in_parts<BelowBySigns<Index>>(values.data(), values.size(), bound);
}

/// The same on several threads, from two million on: what takes less is over before a thread has started.
template <class Index>
bool all_below_at_once(std::span<const Index> values, Index bound) {
  const std::size_t n_workers = workers_for(values.size() >> 4);
  if (n_workers == 1) return all_below(values, bound);
  std::atomic<bool> ok = true;
  run_workers(n_workers, [&](std::size_t w) {
    const std::size_t begin = values.size() * w / n_workers;
    const std::size_t end = values.size() * (w + 1) / n_workers;
    if (!all_below(values.subspan(begin, end - begin), bound)) ok = false;
  });
  return ok;
}

/// Whether no value is negative or less than the one before. Where none is negative, differences are exact.
template <class Index>
bool never_falls(std::span<const Index> values) {
  using Unsigned = std::make_unsigned_t<Index>;
  const auto signs_of = [](std::span<const Index> some) {
    Unsigned signs = 0;
    for (std::size_t i = 1; i < some.size(); ++i) {
      const auto value = static_cast<Unsigned>(some[i]);
      signs |= value | (value - static_cast<Unsigned>(some[i - 1]));
    }
    return signs;
  };
  // Blocks of a fixed size, so that their loop is unrolled. Each begins with the last value of the one
  // before.
  constexpr std::size_t kTogether = 64;
  Unsigned signs = values.empty() ? 0 : static_cast<Unsigned>(values.front());
  std::size_t begin = 0;
  for (; values.size() - begin > kTogether; begin += kTogether)
    signs |= signs_of(values.subspan(begin).template first<kTogether + 1>());
  signs |= signs_of(values.subspan(begin));
  return static_cast<Index>(signs) >= 0;
}

}  // namespace detail

/// Throws invalid_argument, naming what is wrong, unless the graph keeps the promises of CsrGraph. One pass
/// over both arrays, a fraction of any matching.
template <class Index>
void validate_csr(const CsrGraph<Index>& graph) {
  if (graph.n_rows < 0 || graph.n_cols < 0) throw std::invalid_argument("shape: it must not be negative");
  if (std::cmp_not_equal(graph.indptr.size(), at(graph.n_rows) + 1)) {
    throw std::invalid_argument("indptr: its length must be the number of rows plus one");
  }
  if (graph.indptr.front() != 0) throw std::invalid_argument("indptr: it must start with 0");
  if (!detail::never_falls(graph.indptr)) throw std::invalid_argument("indptr: it must never decrease");
  if (std::cmp_greater(graph.indptr.back(), graph.indices.size())) {
    throw std::invalid_argument("indptr: it ends beyond the end of indices");
  }
  const auto used = graph.indices.first(at(graph.indptr.back()));
  if (!used.empty() && !(graph.n_cols > 0 && detail::all_below_at_once(used, graph.n_cols))) {
    throw std::invalid_argument(
        "indices: every one must be at least 0 and less than the number of columns, " +
        std::to_string(graph.n_cols));
  }
}

/// Whether the columns of every row of a valid graph ascend, without repeats. Falls are counted over the
/// whole array, then those between two rows are: no branch for an entry.
template <class Index>
bool is_canonical(const CsrGraph<Index>& graph) {
  const std::span<const Index> cols = graph.indices.first(at(graph.n_edges()));
  Index n_falls = 0;
  for (std::size_t i = 1; i < cols.size(); ++i) n_falls += static_cast<Index>(cols[i] <= cols[i - 1]);
  Index n_between_rows = 0;
  for (std::size_t row = 1; row < graph.indptr.size(); ++row) {
    const std::size_t begin = at(graph.indptr[row]);
    if (begin == at(graph.indptr[row - 1]) || begin == cols.size()) continue;
    n_between_rows += static_cast<Index>(cols[begin] <= cols[begin - 1]);
  }
  return n_falls == n_between_rows;
}

}  // namespace hankelmatch

#undef HANKELMATCH_INLINE
#ifdef HANKELMATCH_AVX2
#undef HANKELMATCH_AVX2
#endif
