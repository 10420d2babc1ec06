// What is made of an optimal matching by exchanges of edges: the next best ones, and those of similar graphs.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/exchange/ranked_matchings.hpp>
#include <hankelmatch/exchange/rematch.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/graph/validate_csr.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/weighted/certificate.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "csr_arrays.hpp"

namespace hankelmatch::bindings {
namespace {

template <class Index>
WeightedMatching<Index> to_weighted(const Array<Index>& row_mate, const Array<Index>& col_mate,
                                    const Array<double>& row_dual, const Array<double>& col_dual,
                                    double cardinality_dual) {
  return {to_matching(row_mate, col_mate), to_vector(row_dual), to_vector(col_dual), cardinality_dual};
}

// Checked whole, so that nothing that was changed meanwhile is used as an index.
template <class Index>
void require_fit(const CsrGraph<Index>& graph, const WeightedMatching<Index>& claim) {
  if (std::cmp_not_equal(claim.row_dual.size(), graph.n_rows) ||
      std::cmp_not_equal(claim.col_dual.size(), graph.n_cols) ||
      std::cmp_not_equal(claim.matching.row_mate.size(), graph.n_rows))
    throw std::invalid_argument("initial: one mate and dual for each row and column of the graph is needed");
}

template <class Index>
py::tuple rematch_arrays(std::int64_t n_rows, std::int64_t n_cols, const Array<Index>& indptr,
                         const Array<Index>& indices, const Array<double>& weights,
                         const Array<Index>& row_mate, const Array<Index>& col_mate,
                         const Array<double>& row_dual, const Array<double>& col_dual,
                         double cardinality_dual, bool maximum_cardinality, double price) {
  WeightedGraphArrays<Index> arrays(n_rows, n_cols, indptr, indices, weights);
  auto result = to_weighted(row_mate, col_mate, row_dual, col_dual, cardinality_dual);
  result = without_gil([&](Interrupt& interrupt) {
    const auto edges = arrays.checked(interrupt);
    require_fit(edges.graph, result);
    return rematch(edges, result, maximum_cardinality, price, interrupt);
  });
  return py::make_tuple(to_array(std::move(result.matching.row_mate)),
                        to_array(std::move(result.matching.col_mate)), to_array(std::move(result.row_dual)),
                        to_array(std::move(result.col_dual)), result.cardinality_dual);
}

// The ranking with copies of its graph's arrays, which nothing else changes.
template <class Index>
class OwnedRanking {
 public:
  OwnedRanking(std::int64_t n_rows, std::int64_t n_cols, const Array<Index>& indptr,
               const Array<Index>& indices, const Array<double>& weights, const Array<Index>& row_mate,
               const Array<Index>& col_mate, const Array<double>& row_dual, const Array<double>& col_dual,
               double cardinality_dual)
      : indptr_(to_vector(indptr)), indices_(to_vector(indices)), weights_(to_vector(weights)) {
    require_shape<Index>(n_rows, n_cols);
    const CsrGraph<Index> graph{static_cast<Index>(n_rows), static_cast<Index>(n_cols), indptr_, indices_};
    validate_csr(graph);
    if (std::cmp_less(weights_.size(), graph.n_edges()))
      throw std::invalid_argument("graph: one weight for each entry is needed");
    const auto first = to_weighted(row_mate, col_mate, row_dual, col_dual, cardinality_dual);
    require_fit(graph, first);
    if (!is_valid(graph, first.matching))
      throw std::invalid_argument("matching: it is not one of this graph");
    ranking_ = std::make_unique<RankedMatchings<Index>>(WeightedCsrGraph<Index>{graph, weights_}, first);
  }

  // One thread at a time: the package calls it from a generator.
  py::array_t<Index> next() {
    Mates<Index> row_mate = without_gil([&](Interrupt& interrupt) { return ranking_->next(interrupt); });
    if (row_mate.empty()) throw py::stop_iteration();
    return to_array(std::move(row_mate));
  }

 private:
  std::vector<Index> indptr_;
  std::vector<Index> indices_;
  std::vector<double> weights_;
  std::unique_ptr<RankedMatchings<Index>> ranking_;
};

template <class Index>
void register_exchanges_for_index(py::module_& m, const std::string& bits) {
  const auto n_rows = py::arg("n_rows");
  const auto n_cols = py::arg("n_cols");
  const auto indptr = py::arg("indptr").noconvert();
  const auto indices = py::arg("indices").noconvert();
  const auto weights = py::arg("weights").noconvert();
  const auto row_mate = py::arg("row_mate").noconvert();
  const auto col_mate = py::arg("col_mate").noconvert();
  const auto row_dual = py::arg("row_dual").noconvert();
  const auto col_dual = py::arg("col_dual").noconvert();
  const auto cardinality_dual = py::arg("cardinality_dual");
  m.def("rematch", &rematch_arrays<Index>, n_rows, n_cols, indptr, indices, weights, row_mate, col_mate,
        row_dual, col_dual, cardinality_dual, py::arg("maximum_cardinality"), py::arg("price"));
  using Ranking = OwnedRanking<Index>;
  auto cls = make_class<Ranking>(m, ("RankedMatchings" + bits).c_str());
  def_constructor<Ranking, std::int64_t, std::int64_t, const Array<Index>&, const Array<Index>&,
                  const Array<double>&, const Array<Index>&, const Array<Index>&, const Array<double>&,
                  const Array<double>&, double>(cls, n_rows, n_cols, indptr, indices, weights, row_mate,
                                                col_mate, row_dual, col_dual, cardinality_dual);
  cls.def("__iter__", [](py::object self) { return self; }).def("__next__", &Ranking::next);
}

}  // namespace

void register_exchanges(py::module_& m) {
  register_exchanges_for_index<std::int32_t>(m, "32");
  register_exchanges_for_index<std::int64_t>(m, "64");
}

}  // namespace hankelmatch::bindings
