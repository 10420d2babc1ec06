// Weighted matchings of CSR graphs.
#include <algorithm>
#include <cmath>
#include <hankelmatch/csr_graph.hpp>
#include <hankelmatch/heavy_matching.hpp>
#include <hankelmatch/validate_csr.hpp>
#include <hankelmatch/weighted_matching.hpp>
#include <sstream>
#include <stdexcept>

#include "bindings.hpp"
#include "csr_arrays.hpp"

namespace hankelmatch::bindings {
namespace {

// Sums of up to 2^31 weights and prices must not overflow.
constexpr double kLargestWeight = 0x1p960;

// The graph is checked each time, without the GIL: nothing stops a caller from changing its arrays between
// calls.
template <class Index>
class CheckedGraph {
 public:
  CheckedGraph(std::int64_t n_rows, std::int64_t n_cols, const Array<Index>& indptr,
               const Array<Index>& indices, const Array<double>& weights)
      : edges_{graph_view<Index>(n_rows, n_cols, indptr, indices), view(weights)} {}

  const WeightedCsrGraph<Index>& check() const {
    validate_csr(edges_.graph);
    const auto n_edges = static_cast<std::size_t>(edges_.graph.n_edges());
    if (edges_.weights.size() < n_edges)
      throw std::invalid_argument("graph: one weight for each entry is needed");
    for (std::size_t i = 0; i < n_edges; ++i) {
      if (std::abs(edges_.weights[i]) <= kLargestWeight) continue;
      std::ostringstream message;
      message << "graph: entry " << i << " is ";
      std::isnan(edges_.weights[i]) ? message << "NaN" : message << edges_.weights[i];
      message << "; every entry must be a finite number of at most 2^960 in size";
      throw std::invalid_argument(message.str());
    }
    return edges_;
  }

 private:
  WeightedCsrGraph<Index> edges_;
};

template <class Index>
py::tuple maximum_weight(std::int64_t n_rows, std::int64_t n_cols, const Array<Index>& indptr,
                         const Array<Index>& indices, const Array<double>& weights,
                         bool maximum_cardinality) {
  const CheckedGraph<Index> graph(n_rows, n_cols, indptr, indices, weights);
  WeightedMatching<Index> result;
  {
    const py::gil_scoped_release release;
    result = maximum_weight_matching(graph.check(), maximum_cardinality, python_interrupt());
  }
  return py::make_tuple(to_array(std::move(result.matching.row_mate)),
                        to_array(std::move(result.matching.col_mate)), to_array(std::move(result.row_dual)),
                        to_array(std::move(result.col_dual)), result.cardinality_dual);
}

template <class Index>
py::tuple heavy(std::int64_t n_rows, std::int64_t n_cols, const Array<Index>& indptr,
                const Array<Index>& indices, const Array<double>& weights) {
  const CheckedGraph<Index> graph(n_rows, n_cols, indptr, indices, weights);
  Matching<Index> matching;
  {
    const py::gil_scoped_release release;
    matching = heavy_matching(graph.check(), python_interrupt());
  }
  return py::make_tuple(to_array(std::move(matching.row_mate)), to_array(std::move(matching.col_mate)));
}

template <class T>
std::vector<T> to_vector(const Array<T>& array) {
  return {array.data(), array.data() + array.size()};
}

template <class Index>
bool check_optimal(std::int64_t n_rows, std::int64_t n_cols, const Array<Index>& indptr,
                   const Array<Index>& indices, const Array<double>& weights, const Array<Index>& row_mate,
                   const Array<Index>& col_mate, const Array<double>& row_dual, const Array<double>& col_dual,
                   double cardinality_dual, double tolerance) {
  const CheckedGraph<Index> graph(n_rows, n_cols, indptr, indices, weights);
  WeightedMatching<Index> claim;
  claim.matching = to_matching(row_mate, col_mate);
  claim.row_dual = to_vector(row_dual);
  claim.col_dual = to_vector(col_dual);
  claim.cardinality_dual = cardinality_dual;
  const py::gil_scoped_release release;
  return is_optimal(graph.check(), claim, tolerance);
}

template <class Index>
void register_for_index(py::module_& m) {
  const auto n_rows = py::arg("n_rows");
  const auto n_cols = py::arg("n_cols");
  const auto indptr = py::arg("indptr").noconvert();
  const auto indices = py::arg("indices").noconvert();
  const auto weights = py::arg("weights").noconvert();
  m.def("maximum_weight_matching", &maximum_weight<Index>, n_rows, n_cols, indptr, indices, weights,
        py::arg("maximum_cardinality"));
  m.def("heavy_matching", &heavy<Index>, n_rows, n_cols, indptr, indices, weights);
  m.def("is_optimal_matching", &check_optimal<Index>, n_rows, n_cols, indptr, indices, weights,
        py::arg("row_mate").noconvert(), py::arg("col_mate").noconvert(), py::arg("row_dual").noconvert(),
        py::arg("col_dual").noconvert(), py::arg("cardinality_dual"), py::arg("tolerance"));
}

}  // namespace

void register_weighted_matching(py::module_& m) {
  register_for_index<std::int32_t>(m);
  register_for_index<std::int64_t>(m);
}

}  // namespace hankelmatch::bindings
