// What a minimum vertex cover tells of the maximum matchings of a prefix-suffix graph.
#pragma once

#include <cstddef>
#include <hankelmatch/at.hpp>
#include <hankelmatch/bitset.hpp>
#include <hankelmatch/hankel_matching.hpp>

namespace hankelmatch::detail {

/// A minimum vertex cover of a prefix-suffix graph. No maximum matching has an edge with both ends in it.
struct HankelCover {
  Bitset rows;
  Bitset cols;

  template <class Id>
  HankelCover(const HankelMatching<Id>& maximum, std::size_t n_nodes) : rows(n_nodes), cols(n_nodes) {
    for (const Id row : maximum.cover_rows) rows.set(at(row));
    for (const Id col : maximum.cover_cols) cols.set(at(col));
  }
};

/// The short nodes that are not in a cover.
template <class Id>
Bitset short_nodes_outside(const Bitset& cover, Id n_short) {
  return Bitset::where(at(n_short), [&](std::size_t v) { return !cover.test(v); });
}

}  // namespace hankelmatch::detail
