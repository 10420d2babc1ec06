// Products of small dense matrices, in single or double precision, for rows that lie anywhere in memory.
//
// A matrix product of a few dozen to a few hundred columns is what a pass over the states of an automaton
// costs. Rows are padded with zeros to whole vectors of 32 bytes, so that no loop has a remainder. On x86-64
// the loops exist twice, for any processor and for those with AVX2 and FMA; the first call finds out which.
// Example:
//
//   const PackedMatrix<float> matrix(weights, n, n);   // n x n, row by row
//   add_products<float>({in, width}, {out, width}, n_rows, matrix);   // out[r] += in[r] * matrix
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <hankelmatch/base/index.hpp>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

// With sanitizers there is one target and nothing forced inline, which would take minutes to compile.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GNUC__)
#define HANKELMATCH_TWO_TARGETS 0
#define HANKELMATCH_ALWAYS_INLINE inline
#define HANKELMATCH_INLINE_LAMBDA
#else
#if defined(__x86_64__)
#define HANKELMATCH_TWO_TARGETS 1
#else
#define HANKELMATCH_TWO_TARGETS 0
#endif
#define HANKELMATCH_ALWAYS_INLINE [[gnu::always_inline]] inline
#define HANKELMATCH_INLINE_LAMBDA __attribute__((always_inline))
#endif

namespace hankelmatch {

/// Numbers in a vector of 32 bytes.
template <class Real>
inline constexpr std::size_t kLanes = 32 / sizeof(Real);

/// `n` numbers with the padding: the least multiple of eight, whole vectors in either precision.
constexpr std::size_t padded(std::size_t n) { return (n + 7) / 8 * 8; }

/// Rows of `stride` numbers each, in a row or, with `index`, in any order.
template <class Real>
struct Rows {
  Real* first;
  std::size_t stride;
  const std::int32_t* index = nullptr;

  HANKELMATCH_ALWAYS_INLINE Real* operator[](std::size_t r) const {
    return first + stride * (index == nullptr ? r : static_cast<std::size_t>(index[r]));
  }
};

namespace detail {

/// How many vectors of the columns that are left are computed at once: three or two, one only if alone.
constexpr std::size_t panel_vectors(std::size_t n_left) { return n_left == 4 ? 2 : n_left < 3 ? n_left : 3; }

}  // namespace detail

/// A matrix as panels of two or three vectors of columns, each panel row by row: the order in which products
/// read it.
template <class Real>
class PackedMatrix {
 public:
  /// Packs `values`, row by row; with `transposed`, packs the transpose of what is given.
  PackedMatrix(std::span<const double> values, std::size_t n_rows, std::size_t n_columns,
               bool transposed = false)
      : depth_(transposed ? n_columns : n_rows), width_(padded(transposed ? n_rows : n_columns)) {
    const std::size_t n_used = transposed ? n_rows : n_columns;
    values_.assign(depth_ * width_, Real{0});
    for (std::size_t begin = 0; begin < width_;) {
      const std::size_t size = detail::panel_vectors((width_ - begin) / kLanes<Real>) * kLanes<Real>;
      Real* const panel = values_.data() + begin * depth_;
      for (std::size_t k = 0; k < depth_; ++k)
        for (std::size_t j = begin; j < std::min(begin + size, n_used); ++j)
          panel[k * size + j - begin] =
              static_cast<Real>(transposed ? values[j * n_columns + k] : values[k * n_columns + j]);
      begin += size;
    }
  }

  std::size_t depth() const { return depth_; }
  /// Columns with the padding.
  std::size_t width() const { return width_; }
  /// The panel whose first column is `column`.
  const Real* panel(std::size_t column) const { return values_.data() + column * depth_; }

 private:
  std::size_t depth_;
  std::size_t width_;
  std::vector<Real> values_;
};

namespace detail {

inline constexpr std::size_t kTileRows = 4;  // with three vectors a row, twelve sums stay in 16 registers

/// Calls visit(0), visit(1), ..., visit(N - 1), each a constant of its own type.
template <std::size_t N, class Visit>
HANKELMATCH_ALWAYS_INLINE void unrolled(const Visit& visit) {
  [&]<std::size_t... I>(std::index_sequence<I...>) HANKELMATCH_INLINE_LAMBDA {
    (visit(std::integral_constant<std::size_t, I>{}), ...);
  }(std::make_index_sequence<N>{});
}

/// R rows of V vectors of sums. Loops over them are unrolled here, for GCC keeps an array in registers only
/// if all its indices are constants from the beginning.
template <class Real, std::size_t R, std::size_t V>
struct Tile {
#if defined(__GNUC__)
  using Vector __attribute__((vector_size(32))) = Real;
#else
  using Vector = std::array<Real, kLanes<Real>>;
#endif
  Vector sums[R][V];

  HANKELMATCH_ALWAYS_INLINE void clear() {
    unrolled<R * V>([&](auto i) HANKELMATCH_INLINE_LAMBDA { sums[i / V][i % V] = Vector{}; });
  }

  /// Adds x(r) * row to row r of the tile.
  template <class Factor>
  HANKELMATCH_ALWAYS_INLINE void add(const Factor& x, const Real* row) {
    Vector loaded[V];
    unrolled<V>([&](auto v) HANKELMATCH_INLINE_LAMBDA {
      std::memcpy(&loaded[v], row + v * kLanes<Real>, sizeof(Vector));
    });
    unrolled<R * V>([&](auto i) HANKELMATCH_INLINE_LAMBDA {
      constexpr std::size_t r = i / V, v = i % V;
#if defined(__GNUC__)
      sums[r][v] += x(r) * loaded[v];
#else
      for (std::size_t lane = 0; lane < kLanes<Real>; ++lane) sums[r][v][lane] += x(r) * loaded[v][lane];
#endif
    });
  }

  /// Copies the tile into rows, or adds it to them; these may be of higher precision.
  template <bool kAdd, class Sum>
  HANKELMATCH_ALWAYS_INLINE void move_to(const Rows<Sum>& rows, std::size_t first, std::size_t column) const {
    unrolled<R * V>([&](auto i) HANKELMATCH_INLINE_LAMBDA {
      Sum* const out = rows[first + i / V] + column + i % V * kLanes<Real>;
#if defined(__GNUC__)
      constexpr std::size_t kWide = 32 / sizeof(Sum);
      using Part __attribute__((vector_size(kWide * sizeof(Real)))) = Real;
      using Wide __attribute__((vector_size(32))) = Sum;
      Part parts[kLanes<Real> / kWide];
      std::memcpy(&parts, &sums[i / V][i % V], sizeof parts);
      unrolled<kLanes<Real> / kWide>([&](auto part) HANKELMATCH_INLINE_LAMBDA {
        Wide values = __builtin_convertvector(parts[part], Wide);
        if constexpr (kAdd) {
          Wide before;
          std::memcpy(&before, out + part * kWide, sizeof before);
          values += before;
        }
        std::memcpy(out + part * kWide, &values, sizeof values);
      });
#else
      for (std::size_t lane = 0; lane < kLanes<Real>; ++lane)
        out[lane] = (kAdd ? out[lane] : Sum{0}) + static_cast<Sum>(sums[i / V][i % V][lane]);
#endif
    });
  }
};

template <class Real, bool kAdd, std::size_t R, std::size_t V>
HANKELMATCH_ALWAYS_INLINE void multiply_rows(const Rows<const Real>& in, const Rows<Real>& out,
                                             std::size_t r0, std::size_t column,
                                             const PackedMatrix<Real>& matrix) {
  std::array<const Real*, R> from;
  unrolled<R>([&](auto r) HANKELMATCH_INLINE_LAMBDA { from[r] = in[r0 + r]; });
  Tile<Real, R, V> tile;
  tile.clear();
  const Real* panel = matrix.panel(column);
  for (std::size_t k = 0; k < matrix.depth(); ++k, panel += V * kLanes<Real>)
    tile.add([&](std::size_t r) HANKELMATCH_INLINE_LAMBDA { return from[r][k]; }, panel);
  tile.template move_to<kAdd>(out, r0, column);
}

template <class Real, bool kAdd, std::size_t V>
HANKELMATCH_ALWAYS_INLINE void multiply_panel(const Rows<const Real>& in, const Rows<Real>& out,
                                              std::size_t n_rows, std::size_t column,
                                              const PackedMatrix<Real>& matrix) {
  static_assert(kTileRows == 4);
  std::size_t r = 0;
  for (; r + 4 <= n_rows; r += 4) multiply_rows<Real, kAdd, 4, V>(in, out, r, column, matrix);
  if (r + 2 <= n_rows) {
    multiply_rows<Real, kAdd, 2, V>(in, out, r, column, matrix);
    r += 2;
  }
  if (r < n_rows) multiply_rows<Real, kAdd, 1, V>(in, out, r, column, matrix);
}

template <class Real, bool kAdd>
HANKELMATCH_ALWAYS_INLINE void multiply_here(const Rows<const Real>& in, const Rows<Real>& out,
                                             std::size_t n_rows, const PackedMatrix<Real>& matrix) {
  for (std::size_t column = 0; column < matrix.width();) {
    const std::size_t n_vectors = panel_vectors((matrix.width() - column) / kLanes<Real>);
    switch (n_vectors) {
      case 1:
        multiply_panel<Real, kAdd, 1>(in, out, n_rows, column, matrix);
        break;
      case 2:
        multiply_panel<Real, kAdd, 2>(in, out, n_rows, column, matrix);
        break;
      default:
        multiply_panel<Real, kAdd, 3>(in, out, n_rows, column, matrix);
    }
    column += n_vectors * kLanes<Real>;
  }
}

template <class Real, std::size_t V>
HANKELMATCH_ALWAYS_INLINE void add_outer_panel(const Rows<const Real>& left, const Rows<const Real>& right,
                                               std::size_t n, std::size_t width, std::size_t column,
                                               double* out) {
  static_assert(kLanes<Real> % kTileRows == 0);
  for (std::size_t i = 0; i < width; i += kTileRows) {
    Tile<Real, kTileRows, V> tile;
    tile.clear();
    for (std::size_t v = 0; v < n; ++v) {
      const Real* const factors = left[v] + i;
      tile.add([&](std::size_t r) HANKELMATCH_INLINE_LAMBDA { return factors[r]; }, right[v] + column);
    }
    tile.template move_to<true>(Rows<double>{out, width}, i, column);
  }
}

template <class Real>
HANKELMATCH_ALWAYS_INLINE void add_outer_here(const Rows<const Real>& left, const Rows<const Real>& right,
                                              std::size_t n, std::size_t width, double* out) {
  for (std::size_t column = 0; column < width;) {
    const std::size_t n_vectors = panel_vectors((width - column) / kLanes<Real>);
    switch (n_vectors) {
      case 1:
        add_outer_panel<Real, 1>(left, right, n, width, column, out);
        break;
      case 2:
        add_outer_panel<Real, 2>(left, right, n, width, column, out);
        break;
      default:
        add_outer_panel<Real, 3>(left, right, n, width, column, out);
    }
    column += n_vectors * kLanes<Real>;
  }
}

/// The sum of the entries; in lanes, which the compiler must not reorder by itself.
template <class Real, class Entry>
HANKELMATCH_ALWAYS_INLINE double sum_in_lanes(std::size_t width, const Entry& entry) {
  std::array<Real, kLanes<Real>> sums{};
  for (std::size_t i = 0; i < width; i += kLanes<Real>)
    for (std::size_t lane = 0; lane < kLanes<Real>; ++lane) sums[lane] += entry(i + lane);
  double sum = 0;
  for (const Real lane : sums) sum += static_cast<double>(lane);
  return sum;
}

template <class Real>
HANKELMATCH_ALWAYS_INLINE void normalize_here(const Rows<Real>& rows, std::size_t n, std::size_t width,
                                              Real least, double* sums) {
  for (std::size_t r = 0; r < n; ++r) {
    Real* const row = rows[r];
    sums[r] = sum_in_lanes<Real>(width, [&](std::size_t i) { return row[i]; });
    const auto inverse = static_cast<Real>(sums[r] > 0 ? 1 / sums[r] : 0.0);
    for (std::size_t i = 0; i < width; ++i) {
      const Real scaled = row[i] * inverse;
      row[i] = scaled >= least ? scaled : Real{0};
    }
  }
}

template <class Real>
HANKELMATCH_ALWAYS_INLINE void scale_here(const Rows<Real>& rows, const Rows<const Real>& supports,
                                          std::size_t n, std::size_t width, const double* factors) {
  for (std::size_t r = 0; r < n; ++r) {
    Real* const row = rows[r];
    const Real* const support = supports[r];
    const auto factor = static_cast<Real>(factors[r]);
    for (std::size_t i = 0; i < width; ++i) row[i] = support[i] > 0 ? row[i] * factor : Real{0};
  }
}

#if HANKELMATCH_TWO_TARGETS
template <class Real>
[[gnu::target("avx2,fma")]] void normalize_avx2(const Rows<Real>& rows, std::size_t n, std::size_t width,
                                                Real least, double* sums) {
  normalize_here(rows, n, width, least, sums);
}
template <class Real>
[[gnu::target("avx2,fma")]] void scale_avx2(const Rows<Real>& rows, const Rows<const Real>& supports,
                                            std::size_t n, std::size_t width, const double* factors) {
  scale_here(rows, supports, n, width, factors);
}
template <class Real, bool kAdd>
[[gnu::target("avx2,fma")]] void multiply_avx2(const Rows<const Real>& in, const Rows<Real>& out,
                                               std::size_t n_rows, const PackedMatrix<Real>& matrix) {
  multiply_here<Real, kAdd>(in, out, n_rows, matrix);
}
template <class Real>
[[gnu::target("avx2,fma")]] void add_outer_avx2(const Rows<const Real>& left, const Rows<const Real>& right,
                                                std::size_t n, std::size_t width, double* out) {
  add_outer_here(left, right, n, width, out);
}
inline bool has_avx2() {
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return has;
}
#endif

template <class Real, bool kAdd>
void multiply(const Rows<const Real>& in, const Rows<Real>& out, std::size_t n_rows,
              const PackedMatrix<Real>& matrix) {
#if HANKELMATCH_TWO_TARGETS
  if (has_avx2()) return multiply_avx2<Real, kAdd>(in, out, n_rows, matrix);
#endif
  multiply_here<Real, kAdd>(in, out, n_rows, matrix);
}

}  // namespace detail

/// out[r] = in[r] * matrix for every row r: `in` has matrix.depth() entries a row, `out` matrix.width().
/// No row of `out` may be one of `in` or stand twice.
template <class Real>
void set_products(const Rows<const Real>& in, const Rows<Real>& out, std::size_t n_rows,
                  const PackedMatrix<Real>& matrix) {
  detail::multiply<Real, false>(in, out, n_rows, matrix);
}

/// The same, added to what `out` has.
template <class Real>
void add_products(const Rows<const Real>& in, const Rows<Real>& out, std::size_t n_rows,
                  const PackedMatrix<Real>& matrix) {
  detail::multiply<Real, true>(in, out, n_rows, matrix);
}

/// out += sum over the n rows v of the outer product of left[v] and right[v]: rows of `width` entries, a
/// multiple of eight; `out` is width x width. Each tile of `out` is summed up in the precision of the rows
/// before it is added, so give a few hundred rows at most in single precision.
template <class Real>
void add_outer_products(const Rows<const Real>& left, const Rows<const Real>& right, std::size_t n,
                        std::size_t width, double* out) {
#if HANKELMATCH_TWO_TARGETS
  if (detail::has_avx2()) return detail::add_outer_avx2(left, right, n, width, out);
#endif
  detail::add_outer_here(left, right, n, width, out);
}

/// The inner product of two rows of `width` entries, a multiple of eight.
template <class Real>
double inner_product(const Real* x, const Real* y, std::size_t width) {
  return detail::sum_in_lanes<Real>(width, [&](std::size_t i) { return x[i] * y[i]; });
}

/// Divides each row by its sum, which goes into `sums`; what is then below `least` becomes 0. Rows of sum 0
/// become 0.
template <class Real>
void normalize_rows(const Rows<Real>& rows, std::size_t n, std::size_t width, Real least, double* sums) {
#if HANKELMATCH_TWO_TARGETS
  if (detail::has_avx2()) return detail::normalize_avx2(rows, n, width, least, sums);
#endif
  detail::normalize_here(rows, n, width, least, sums);
}

/// Multiplies row r by factors[r], and sets it to 0 where supports[r] is 0, even infinite entries.
template <class Real>
void scale_rows(const Rows<Real>& rows, const Rows<const Real>& supports, std::size_t n, std::size_t width,
                const double* factors) {
#if HANKELMATCH_TWO_TARGETS
  if (detail::has_avx2()) return detail::scale_avx2(rows, supports, n, width, factors);
#endif
  detail::scale_here(rows, supports, n, width, factors);
}

}  // namespace hankelmatch
