// Products of small dense matrices in double precision, for rows that lie anywhere in memory.
//
// A matrix product of a few dozen to a few hundred columns is what a pass over the states of an automaton
// costs. Rows are padded with zeros to a multiple of kLanes, so that no loop has a remainder. On x86-64 the
// loops exist twice, for any processor and for those with AVX2 and FMA; the first call finds out which.
// Example:
//
//   const PackedMatrix matrix(weights, n, n);        // n x n, row by row
//   add_products({in.data(), n_rows}, {out.data(), n_rows}, matrix);   // out[r] += in[r] * matrix
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <hankelmatch/base/index.hpp>
#include <span>
#include <vector>

#if defined(__GNUC__) && defined(__x86_64__)
#define HANKELMATCH_TWO_TARGETS 1
#else
#define HANKELMATCH_TWO_TARGETS 0
#endif
#if defined(__GNUC__)
#define HANKELMATCH_ALWAYS_INLINE [[gnu::always_inline]] inline
#else
#define HANKELMATCH_ALWAYS_INLINE inline
#endif

namespace hankelmatch {

/// Columns that are computed at once.
inline constexpr std::size_t kLanes = 8;

/// The least multiple of kLanes that is at least `n`.
constexpr std::size_t padded(std::size_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

/// A matrix as panels of kLanes columns, each panel row by row: the order in which products read it.
class PackedMatrix {
 public:
  /// Packs `values`, row by row; with `transposed`, packs the transpose of what is given.
  PackedMatrix(std::span<const double> values, std::size_t n_rows, std::size_t n_columns,
               bool transposed = false)
      : depth_(transposed ? n_columns : n_rows), width_(padded(transposed ? n_rows : n_columns)) {
    values_.assign(depth_ * width_, 0.0);
    for (std::size_t i = 0; i < n_rows; ++i) {
      for (std::size_t j = 0; j < n_columns; ++j) {
        const std::size_t row = transposed ? j : i;
        const std::size_t column = transposed ? i : j;
        values_[column / kLanes * depth_ * kLanes + row * kLanes + column % kLanes] =
            values[i * n_columns + j];
      }
    }
  }

  std::size_t depth() const { return depth_; }
  /// Columns with the padding.
  std::size_t width() const { return width_; }
  const double* panel(std::size_t p) const { return values_.data() + p * depth_ * kLanes; }

 private:
  std::size_t depth_;
  std::size_t width_;
  std::vector<double> values_;
};

namespace detail {

inline constexpr std::size_t kTileRows = 4;  // with two vectors of four a row, eight sums stay in registers

/// R x kLanes sums in registers.
template <std::size_t R>
struct Tile {
#if defined(__GNUC__)
  using Vector __attribute__((vector_size(32))) = double;
#else
  using Vector = std::array<double, 4>;
#endif
  static constexpr std::size_t kParts = kLanes / 4;
  Vector sums[R][kParts];

  HANKELMATCH_ALWAYS_INLINE void clear() { std::memset(&sums, 0, sizeof sums); }

  /// Adds x[r] * row to row r of the tile.
  template <class Factor>
  HANKELMATCH_ALWAYS_INLINE void add(const Factor& x, const double* row) {
    for (std::size_t part = 0; part < kParts; ++part) {
      Vector loaded;
      std::memcpy(&loaded, row + 4 * part, sizeof loaded);
      for (std::size_t r = 0; r < R; ++r) {
#if defined(__GNUC__)
        sums[r][part] += x(r) * loaded;
#else
        for (std::size_t i = 0; i < 4; ++i) sums[r][part][i] += x(r) * loaded[i];
#endif
      }
    }
  }

  /// Adds row r of the tile to `row`.
  HANKELMATCH_ALWAYS_INLINE void add_to(double* row, std::size_t r) const {
    double values[kLanes];
    std::memcpy(values, sums[r], sizeof values);
    for (std::size_t i = 0; i < kLanes; ++i) row[i] += values[i];
  }
};

template <std::size_t R>
HANKELMATCH_ALWAYS_INLINE void add_row_products(const double* const* in, double* const* out,
                                                const PackedMatrix& matrix) {
  for (std::size_t p = 0; p < matrix.width() / kLanes; ++p) {
    const double* panel = matrix.panel(p);
    Tile<R> tile;
    tile.clear();
    for (std::size_t k = 0; k < matrix.depth(); ++k, panel += kLanes)
      tile.add([&](std::size_t r) { return in[r][k]; }, panel);
    for (std::size_t r = 0; r < R; ++r) tile.add_to(out[r] + p * kLanes, r);
  }
}

HANKELMATCH_ALWAYS_INLINE void add_products_here(const double* const* in, double* const* out,
                                                 std::size_t n_rows, const PackedMatrix& matrix) {
  std::size_t r = 0;
  for (; r + kTileRows <= n_rows; r += kTileRows) add_row_products<kTileRows>(in + r, out + r, matrix);
  static_assert(kTileRows == 4);
  switch (n_rows - r) {
    case 3:
      return add_row_products<3>(in + r, out + r, matrix);
    case 2:
      return add_row_products<2>(in + r, out + r, matrix);
    case 1:
      return add_row_products<1>(in + r, out + r, matrix);
    default:
      return;
  }
}

template <std::size_t R>
HANKELMATCH_ALWAYS_INLINE void add_outer_rows(const double* const* left, const double* const* right,
                                              std::size_t n, std::size_t i, std::size_t width, double* out) {
  for (std::size_t j = 0; j < width; j += kLanes) {
    Tile<R> tile;
    tile.clear();
    for (std::size_t v = 0; v < n; ++v) tile.add([&](std::size_t r) { return left[v][i + r]; }, right[v] + j);
    for (std::size_t r = 0; r < R; ++r) tile.add_to(out + (i + r) * width + j, r);
  }
}

HANKELMATCH_ALWAYS_INLINE void add_outer_here(const double* const* left, const double* const* right,
                                              std::size_t n, std::size_t width, double* out) {
  static_assert(kLanes % kTileRows == 0);
  for (std::size_t i = 0; i < width; i += kTileRows) add_outer_rows<kTileRows>(left, right, n, i, width, out);
}

#if HANKELMATCH_TWO_TARGETS
[[gnu::target("avx2,fma")]] inline void add_products_avx2(const double* const* in, double* const* out,
                                                          std::size_t n_rows, const PackedMatrix& matrix) {
  add_products_here(in, out, n_rows, matrix);
}
[[gnu::target("avx2,fma")]] inline void add_outer_avx2(const double* const* left, const double* const* right,
                                                       std::size_t n, std::size_t width, double* out) {
  add_outer_here(left, right, n, width, out);
}
inline bool has_avx2() {
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return has;
}
#endif

}  // namespace detail

/// out[r] += in[r] * matrix for every row r: `in` has matrix.depth() entries a row, `out` matrix.width().
/// No row of `out` may be one of `in` or stand twice.
inline void add_products(std::span<const double* const> in, std::span<double* const> out,
                         const PackedMatrix& matrix) {
#if HANKELMATCH_TWO_TARGETS
  if (detail::has_avx2()) return detail::add_products_avx2(in.data(), out.data(), in.size(), matrix);
#endif
  detail::add_products_here(in.data(), out.data(), in.size(), matrix);
}

/// out += sum over v of the outer product of left[v] and right[v]: rows of `width` entries, a multiple of
/// kLanes; `out` is width x width.
inline void add_outer_products(std::span<const double* const> left, std::span<const double* const> right,
                               std::size_t width, double* out) {
#if HANKELMATCH_TWO_TARGETS
  if (detail::has_avx2()) return detail::add_outer_avx2(left.data(), right.data(), left.size(), width, out);
#endif
  detail::add_outer_here(left.data(), right.data(), left.size(), width, out);
}

}  // namespace hankelmatch
