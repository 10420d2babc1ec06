// All matchers behind one name.
//
//     const Matching<int> matching = match(graph, "auto");
//     matching.row_mate[0];                              // the column of row 0, or kUnmatched
//     minimum_vertex_cover(graph, matching).size();      // as large as the matching, so this is maximum
#pragma once

#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/matching/depth_first.hpp>
#include <hankelmatch/matching/hopcroft_karp.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/matching/push_relabel.hpp>
#include <hankelmatch/portfolio/portfolio.hpp>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace hankelmatch {

/// A maximum matching by the method with this name; all find the same size. Throws invalid_argument for other
/// names. `initial`: see starting_matching.
template <class Index>
[[nodiscard]] Matching<Index> match(const CsrGraph<Index>& graph, std::string_view method,
                                    const Matching<Index>& initial = {},
                                    Interrupt& interrupt = no_interrupt()) {
  if (method == "auto") return match_automatically(graph, initial, interrupt);
  if (method == "augmenting-path") return augmenting_path(graph, {}, initial, interrupt);
  if (method == "hopcroft-karp") return hopcroft_karp(graph, initial, interrupt);
  if (method == "push-relabel") return push_relabel(graph, initial, interrupt);
  throw std::invalid_argument("method: it must be auto, augmenting-path, hopcroft-karp or push-relabel");
}

}  // namespace hankelmatch
