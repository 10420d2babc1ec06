#include <algorithm>
#include <cstdint>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/graph/transpose.hpp>
#include <hankelmatch/graph/validate_csr.hpp>
#include <hankelmatch/matching/dulmage_mendelsohn.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/matching/vertex_cover.hpp>
#include <hankelmatch/portfolio/match.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "csr_arrays.hpp"
#include "steady_array.hpp"

namespace hankelmatch::bindings {
namespace {

template <class Index>
void require_valid(const CsrGraph<Index>& graph, const Matching<Index>& matching, Interrupt& interrupt) {
  if (!is_valid(graph, matching, interrupt))
    throw std::invalid_argument("matching: it is not one of this graph (any more)");
}

template <class Index>
py::tuple match_arrays(std::int64_t n_rows, std::int64_t n_cols, const Array<Index>& indptr,
                       const Array<Index>& indices, const std::string& method,
                       const std::optional<Array<Index>>& row_mate,
                       const std::optional<Array<Index>>& col_mate) {
  GraphArrays<Index> arrays(n_rows, n_cols, indptr, indices);
  Matching<Index> matching;
  if (row_mate && col_mate) matching = to_matching(*row_mate, *col_mate);
  matching = without_gil(
      [&](Interrupt& interrupt) { return match(arrays.checked(interrupt), method, matching, interrupt); });
  return py::make_tuple(matching.size, to_array(std::move(matching.row_mate)),
                        to_array(std::move(matching.col_mate)));
}

template <class Index>
py::tuple transpose_arrays(std::int64_t n_rows, std::int64_t n_cols, const Array<Index>& indptr,
                           const Array<Index>& indices) {
  GraphArrays<Index> arrays(n_rows, n_cols, indptr, indices);
  CsrMatrix<Index> result =
      without_gil([&](Interrupt& interrupt) { return transpose(arrays.checked(interrupt), interrupt); });
  return py::make_tuple(to_array(std::move(result.indptr)), to_array(std::move(result.indices)));
}

/// From the row and the column of each edge. Columns are checked with the graph that is made.
template <class Index>
py::tuple csr_of_coordinates_arrays(std::int64_t n_rows, std::int64_t n_cols, const Array<Index>& rows,
                                    const Array<Index>& cols) {
  SteadyArray<Index> row_of(rows);
  SteadyArray<Index> col_of(cols);
  require_shape<Index>(n_rows, n_cols);
  CsrMatrix<Index> result = without_gil([&](Interrupt& interrupt) {
    const auto some_rows = row_of.view(interrupt);
    const auto is_row = [&](Index row) { return row >= 0 && std::cmp_less(row, n_rows); };
    if (!std::ranges::all_of(some_rows, is_row))
      throw std::invalid_argument("row: every one must be at least 0 and less than the number of rows");
    auto made = csr_of_coordinates(static_cast<Index>(n_rows), static_cast<Index>(n_cols), some_rows,
                                   col_of.view(interrupt), interrupt);
    validate_csr(made.view());
    return made;
  });
  return py::make_tuple(to_array(std::move(result.indptr)), to_array(std::move(result.indices)));
}

/// A function of a graph and a matching as Python calls it: with their arrays.
template <class Index, class Test>
auto test_of_arrays(const Test& test) {
  return [test](std::int64_t n_rows, std::int64_t n_cols, const Array<Index>& indptr,
                const Array<Index>& indices, const Array<Index>& row_mate,
                const Array<Index>& col_mate) -> bool {
    GraphArrays<Index> arrays(n_rows, n_cols, indptr, indices);
    const Matching<Index> matching = to_matching(row_mate, col_mate);
    return without_gil(
        [&](Interrupt& interrupt) { return test(arrays.checked(interrupt), matching, interrupt); });
  };
}

template <class Index>
py::tuple minimum_vertex_cover_arrays(std::int64_t n_rows, std::int64_t n_cols, const Array<Index>& indptr,
                                      const Array<Index>& indices, const Array<Index>& row_mate,
                                      const Array<Index>& col_mate) {
  GraphArrays<Index> arrays(n_rows, n_cols, indptr, indices);
  const Matching<Index> matching = to_matching(row_mate, col_mate);
  VertexCover<Index> cover = without_gil([&](Interrupt& interrupt) {
    const CsrGraph<Index> graph = arrays.checked(interrupt);
    require_valid(graph, matching, interrupt);
    return minimum_vertex_cover(graph, matching, interrupt);
  });
  return py::make_tuple(to_array(std::move(cover.rows)), to_array(std::move(cover.cols)));
}

template <class Index>
py::tuple dulmage_mendelsohn_arrays(std::int64_t n_rows, std::int64_t n_cols, const Array<Index>& indptr,
                                    const Array<Index>& indices, const Array<Index>& row_mate,
                                    const Array<Index>& col_mate) {
  GraphArrays<Index> arrays(n_rows, n_cols, indptr, indices);
  const Matching<Index> matching = to_matching(row_mate, col_mate);
  DulmageMendelsohn<Index> dm = without_gil([&](Interrupt& interrupt) {
    const CsrGraph<Index> graph = arrays.checked(interrupt);
    require_valid(graph, matching, interrupt);
    return dulmage_mendelsohn(graph, matching, interrupt);
  });
  return py::make_tuple(to_array(std::move(dm.row_order)), to_array(std::move(dm.col_order)),
                        to_array(std::vector<Index>(dm.row_parts.begin(), dm.row_parts.end())),
                        to_array(std::vector<Index>(dm.col_parts.begin(), dm.col_parts.end())),
                        to_array(std::move(dm.row_blocks)), to_array(std::move(dm.col_blocks)));
}

template <class Index>
void register_matching_for_index(py::module_& m) {
  const auto n_rows = py::arg("n_rows");
  const auto n_cols = py::arg("n_cols");
  const auto indptr = py::arg("indptr").noconvert();
  const auto indices = py::arg("indices").noconvert();
  const auto row_mate = py::arg("row_mate").noconvert();
  const auto col_mate = py::arg("col_mate").noconvert();
  m.def("transpose", &transpose_arrays<Index>, n_rows, n_cols, indptr, indices);
  m.def("csr_of_coordinates", &csr_of_coordinates_arrays<Index>, n_rows, n_cols, py::arg("rows").noconvert(),
        py::arg("cols").noconvert());
  m.def("match", &match_arrays<Index>, n_rows, n_cols, indptr, indices, py::arg("method"), row_mate,
        col_mate);
  using Graph = CsrGraph<Index>;
  const auto is_valid_test = [](const Graph& graph, const Matching<Index>& matching, Interrupt& interrupt) {
    return is_valid(graph, matching, interrupt);
  };
  const auto is_maximum_test = [](const Graph& graph, const Matching<Index>& matching, Interrupt& interrupt) {
    return is_valid(graph, matching, interrupt) && is_maximum(graph, matching, interrupt);
  };
  m.def("is_valid_matching", test_of_arrays<Index>(is_valid_test), n_rows, n_cols, indptr, indices, row_mate,
        col_mate);
  m.def("is_maximum_matching", test_of_arrays<Index>(is_maximum_test), n_rows, n_cols, indptr, indices,
        row_mate, col_mate);
  m.def("dulmage_mendelsohn", &dulmage_mendelsohn_arrays<Index>, n_rows, n_cols, indptr, indices, row_mate,
        col_mate);
  m.def("minimum_vertex_cover", &minimum_vertex_cover_arrays<Index>, n_rows, n_cols, indptr, indices,
        row_mate, col_mate);
}

}  // namespace

void register_matching(py::module_& m) {
  register_matching_for_index<std::int32_t>(m);
  register_matching_for_index<std::int64_t>(m);
}

}  // namespace hankelmatch::bindings
