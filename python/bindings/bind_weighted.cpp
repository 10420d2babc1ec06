// Weighted matchings of CSR graphs.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <hankelmatch/assignment/dense_assignment.hpp>
#include <hankelmatch/assignment/full_assignment.hpp>
#include <hankelmatch/assignment/starting_prices.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/memory.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/graph/validate_csr.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/weighted/certificate.hpp>
#include <hankelmatch/weighted/greedy_heavy.hpp>
#include <hankelmatch/weighted/heaviest_matching.hpp>
#include <hankelmatch/weighted/match_weighted.hpp>
#include <limits>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "csr_arrays.hpp"
#include "steady_array.hpp"

namespace hankelmatch::bindings {
namespace {

// Sums of up to 2^31 weights and prices must not overflow.
constexpr double kLargestWeight = 0x1p960;

// What must be known of weights. Subtraction and "or" of bit patterns, which are in the order of the sizes,
// are all that it needs: any compiler turns them into vector instructions.
class WeightCheck {
 public:
  explicit WeightCheck(std::span<const double> weights) {
    for (const double weight : weights) {
      const std::uint64_t size = std::bit_cast<std::uint64_t>(weight) & ~kSign;
      unfit_ |= std::bit_cast<std::uint64_t>(kLargestWeight) - size;
      zeros_ |= size - 1;
    }
  }
  bool all_fit() const { return (unfit_ & kSign) == 0; }  // none is NaN or too large
  bool any_zero() const { return (zeros_ & kSign) != 0; }

 private:
  static constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

  std::uint64_t unfit_ = 0;
  std::uint64_t zeros_ = 0;
};

template <class Index>
class CheckedGraph {
 public:
  CheckedGraph(std::int64_t n_rows, std::int64_t n_cols, const Array<Index>& indptr,
               const Array<Index>& indices, const Array<double>& weights)
      : arrays_(n_rows, n_cols, indptr, indices, weights) {}

  WeightedCsrGraph<Index> check(Interrupt& interrupt) {
    const WeightedCsrGraph<Index> edges = arrays_.checked(interrupt);
    const std::span<const double> used = edges.weights.first(edges.n_edges());
    if (WeightCheck(used).all_fit()) return edges;
    const auto unfit = std::ranges::find_if(used, [](double w) { return !(std::abs(w) <= kLargestWeight); });
    std::ostringstream message;
    message << "graph: entry " << unfit - used.begin() << " is ";
    std::isnan(*unfit) ? message << "NaN" : message << *unfit;
    message << "; every entry must be a finite number of at most 2^960 in size";
    throw std::invalid_argument(message.str());
  }

 private:
  WeightedGraphArrays<Index> arrays_;
};

template <class Index>
py::tuple maximum_weight(std::int64_t n_rows, std::int64_t n_cols, const Array<Index>& indptr,
                         const Array<Index>& indices, const Array<double>& weights,
                         bool maximum_cardinality) {
  CheckedGraph<Index> graph(n_rows, n_cols, indptr, indices, weights);
  WeightedMatching<Index> result = without_gil([&](Interrupt& interrupt) {
    return maximum_weight_matching(graph.check(interrupt), maximum_cardinality, interrupt);
  });
  return py::make_tuple(to_array(std::move(result.matching.row_mate)),
                        to_array(std::move(result.matching.col_mate)), to_array(std::move(result.row_dual)),
                        to_array(std::move(result.col_dual)), result.cardinality_dual);
}

// The arrays of a caller's CSR matrix as they are, for all that a call needs of them at once: for a small
// matrix each call takes longer than its matching.
template <class Index>
class GivenGraph {
 public:
  GivenGraph(std::int64_t n_rows, std::int64_t n_cols, const Array<Index>& indptr,
             const Array<Index>& indices, const Array<double>& weights)
      : arrays_(n_rows, n_cols, indptr, indices), weights_(weights) {}

  // Whether they are lists of lengths and for a shape that may be right.
  static bool may_be(std::int64_t n_rows, std::int64_t n_cols, const Array<Index>& indptr,
                     const Array<Index>& indices, const Array<double>& weights) {
    return std::max(n_rows, n_cols) <= std::numeric_limits<Index>::max() && indptr.ndim() == 1 &&
           indices.ndim() == 1 && weights.ndim() == 1 && weights.size() >= indices.size();
  }

  // Without the GIL. False if columns of a row repeat or do not ascend, or a weight is NaN or too large.
  // Throws invalid_argument if the arrays contradict each other.
  bool read(Interrupt& interrupt) {
    edges_ = {arrays_.checked(interrupt), weights_.view(interrupt)};
    edges_.weights = edges_.weights.first(edges_.n_edges());
    const WeightCheck check(edges_.weights);
    has_zeros_ = check.any_zero();
    return check.all_fit() && is_canonical(edges_.graph);
  }

  const WeightedCsrGraph<Index>& edges() const { return edges_; }
  bool has_zeros() const { return has_zeros_; }

  // The heaviest or lightest matching, with duals of what was maximized.
  WeightedMatching<Index> match(bool maximum_cardinality, bool minimize, Interrupt& interrupt) {
    WeightedMatching<Index> result;
    const bool as_it_is = minimize && maximum_cardinality && is_square_and_full();
    if (as_it_is && detail::cheapest_of_dense(edges_.weights, edges_.graph.n_rows, interrupt, result))
      return result;
    return maximum_weight_matching(maximized(minimize), maximum_cardinality, interrupt);
  }

 private:
  // Whether the weights, row after row, are a matrix: no columns repeat.
  bool is_square_and_full() const {
    const std::size_t n = at(edges_.graph.n_rows);
    return n > 0 && edges_.graph.n_rows == edges_.graph.n_cols && edges_.n_edges() == n * n;
  }

  WeightedCsrGraph<Index> maximized(bool minimize) {
    if (!minimize) return edges_;
    negated_ = Buffer<double>(edges_.weights.size());
    std::ranges::transform(edges_.weights, negated_.span().begin(), std::negate<>{});
    return {edges_.graph, negated_.span()};
  }

  GraphArrays<Index> arrays_;
  SteadyArray<double> weights_;
  WeightedCsrGraph<Index> edges_;
  bool has_zeros_ = false;
  Buffer<double> negated_;
};

// The pairs of a matching of all rows or all columns, by row, in scipy's types: there are fewer than 2^31
// columns.
template <class Index>
py::tuple full_pairs(const Matching<Index>& matching) {
  const auto size = static_cast<std::size_t>(matching.size);
  if (size < std::min(matching.row_mate.size(), matching.col_mate.size()))
    throw std::invalid_argument("no full matching exists");
  // Arrays that own their memory: scipy's indexing asks numpy to make views of them writeable.
  py::array_t<std::int64_t> rows(matching.size);
  py::array_t<std::int32_t> cols(matching.size);
  std::int64_t* next_row = rows.mutable_data();
  std::int32_t* next_col = cols.mutable_data();
  for (std::size_t row = 0; row < matching.row_mate.size(); ++row) {
    if (matching.row_mate[row] == kUnmatched) continue;
    *next_row++ = static_cast<std::int64_t>(row);
    *next_col++ = static_cast<std::int32_t>(matching.row_mate[row]);
  }
  return py::make_tuple(std::move(rows), std::move(cols));
}

// None, and nothing done, if the entries are not clean or 0, or the arrays not what they should be.
template <class Index>
py::object full(std::int64_t n_rows, std::int64_t n_cols, const Array<Index>& indptr,
                const Array<Index>& indices, const Array<double>& weights, bool maximize) {
  if (n_cols > std::numeric_limits<std::int32_t>::max() ||
      !GivenGraph<Index>::may_be(n_rows, n_cols, indptr, indices, weights))
    return py::none();
  GivenGraph<Index> given(n_rows, n_cols, indptr, indices, weights);
  Matching<Index> matching;
  const bool clean = without_gil([&](Interrupt& interrupt) {
    if (!given.read(interrupt) || given.has_zeros()) return false;
    matching = given.match(true, !maximize, interrupt).matching;
    return true;
  });
  if (!clean) return py::none();
  return full_pairs(matching);
}

// Whether no row has repeats and all are sorted: flags of the caller's matrix may be out of date.
template <class Index>
bool check_canonical(std::int64_t n_rows, std::int64_t n_cols, const Array<Index>& indptr,
                     const Array<Index>& indices) {
  GraphArrays<Index> arrays(n_rows, n_cols, indptr, indices);
  return without_gil([&](Interrupt& interrupt) { return is_canonical(arrays.checked(interrupt)); });
}

// The place of a column in a row that ascends, or `end`: short rows are read from their beginning.
template <class Index>
std::size_t find_column(std::span<const Index> cols, std::size_t begin, std::size_t end, Index col) {
  constexpr std::size_t kShort = 16;
  if (end - begin > kShort) {
    const auto row = cols.subspan(begin, end - begin);
    begin += static_cast<std::size_t>(std::ranges::lower_bound(row, col) - row.begin());
    return begin < end && cols[begin] == col ? begin : end;
  }
  while (begin < end && cols[begin] != col) ++begin;
  return begin;
}

// The weights of a matching's pairs, by row; rows ascend. Only what is read is checked, when it is read:
// another thread may change it at any time.
template <class Index>
std::vector<double> weights_of_pairs(std::span<const Index> indptr, std::span<const Index> indices,
                                     std::span<const double> weights, std::span<const Index> row_mate,
                                     Interrupt& interrupt) {
  const std::size_t n_edges = std::min(indices.size(), weights.size());
  std::vector<double> found(row_mate.size());
  std::size_t n_found = 0;
  for (std::size_t row = 0; row < row_mate.size(); ++row) {
    if (row_mate[row] == kUnmatched) continue;
    interrupt.poll();
    const std::size_t end = std::min(at(indptr[row + 1]), n_edges);
    const std::size_t begin = std::min(at(indptr[row]), end);
    const std::size_t place = find_column(indices, begin, end, row_mate[row]);
    if (place == end) throw std::invalid_argument("row_mate: a pair is no edge of the graph");
    found[n_found++] = weights[place];
  }
  found.resize(n_found);
  return found;
}

template <class Index>
py::array pair_weights(std::int64_t n_rows, std::int64_t /*n_cols*/, const Array<Index>& indptr,
                       const Array<Index>& indices, const Array<double>& weights,
                       const Array<Index>& row_mate) {
  if (row_mate.size() != n_rows || indptr.size() != n_rows + 1)
    throw std::invalid_argument("row_mate: one column for each row is needed");
  return to_array(without_gil([pointers = view(indptr), cols = view(indices), entries = view(weights),
                               mates = view(row_mate)](Interrupt& interrupt) {
    return weights_of_pairs(pointers, cols, entries, mates, interrupt);
  }));
}

template <class Index>
void negate_duals(WeightedMatching<Index>& matching) {
  for (std::vector<double>* duals : {&matching.row_dual, &matching.col_dual})
    for (double& dual : *duals) dual = -dual;
  matching.cardinality_dual = -matching.cardinality_dual;
}

// Mates, duals of the weights' own sign, and the weights of the pairs. None as for `full`; zeros are edges.
template <class Index>
py::object heaviest_of_given(std::int64_t n_rows, std::int64_t n_cols, const Array<Index>& indptr,
                             const Array<Index>& indices, const Array<double>& weights,
                             bool maximum_cardinality, bool minimize) {
  if (!GivenGraph<Index>::may_be(n_rows, n_cols, indptr, indices, weights)) return py::none();
  GivenGraph<Index> given(n_rows, n_cols, indptr, indices, weights);
  WeightedMatching<Index> result;
  std::vector<double> of_pairs;
  const bool clean = without_gil([&](Interrupt& interrupt) {
    if (!given.read(interrupt)) return false;
    result = given.match(maximum_cardinality, minimize, interrupt);
    if (minimize) negate_duals(result);
    const WeightedCsrGraph<Index>& edges = given.edges();
    of_pairs = weights_of_pairs(edges.graph.indptr, edges.graph.indices, edges.weights,
                                std::span<const Index>(result.matching.row_mate), interrupt);
    return true;
  });
  if (!clean) return py::none();
  return py::make_tuple(to_array(std::move(result.matching.row_mate)),
                        to_array(std::move(result.matching.col_mate)), to_array(std::move(result.row_dual)),
                        to_array(std::move(result.col_dual)), result.cardinality_dual,
                        to_array(std::move(of_pairs)));
}

template <class Index>
py::tuple heavy(std::int64_t n_rows, std::int64_t n_cols, const Array<Index>& indptr,
                const Array<Index>& indices, const Array<double>& weights) {
  CheckedGraph<Index> graph(n_rows, n_cols, indptr, indices, weights);
  Matching<Index> matching =
      without_gil([&](Interrupt& interrupt) { return heavy_matching(graph.check(interrupt), interrupt); });
  return py::make_tuple(to_array(std::move(matching.row_mate)), to_array(std::move(matching.col_mate)));
}

// Mates; None as for heaviest_of_given.
template <class Index>
py::object heavy_of_given(std::int64_t n_rows, std::int64_t n_cols, const Array<Index>& indptr,
                          const Array<Index>& indices, const Array<double>& weights) {
  if (!GivenGraph<Index>::may_be(n_rows, n_cols, indptr, indices, weights)) return py::none();
  GivenGraph<Index> given(n_rows, n_cols, indptr, indices, weights);
  Matching<Index> matching;
  const bool clean = without_gil([&](Interrupt& interrupt) {
    if (!given.read(interrupt)) return false;
    matching = heavy_matching(given.edges(), interrupt);
    return true;
  });
  if (!clean) return py::none();
  return py::make_tuple(to_array(std::move(matching.row_mate)), to_array(std::move(matching.col_mate)));
}

Restarts restarts_by_name(std::string_view name) {
  if (name == "when searches are long") return Restarts::kWhenSearchesAreLong;
  if (name == "at once") return Restarts::kAtOnce;
  if (name == "never") return Restarts::kNever;
  throw std::invalid_argument("restarts: it must be when searches are long, at once or never");
}

// The column of each row in a cheapest assignment by the sparse method, costs being weights negated; None if
// some row must stay free. For tests of each way.
template <class Index>
py::object assign(std::int64_t n_rows, std::int64_t n_cols, const Array<Index>& indptr,
                  const Array<Index>& indices, const Array<double>& weights, std::string_view restarts) {
  const Restarts when = restarts_by_name(restarts);
  CheckedGraph<Index> graph(n_rows, n_cols, indptr, indices, weights);
  bool solved = false;
  std::vector<Index> cols = without_gil([&](Interrupt& interrupt) {
    const WeightedCsrGraph<Index> edges = graph.check(interrupt);
    FullAssignment<Index> assignment(edges.graph, edges.weights, n_rows == n_cols, interrupt, when);
    std::vector<Index> found;
    solved = n_rows <= n_cols && assignment.solve();
    for (Index row = 0; solved && row < edges.graph.n_rows; ++row) found.push_back(assignment.col_of(row));
    return found;
  });
  if (!solved) return py::none();
  return to_array(std::move(cols));
}

// The column of each row of a matrix with no more rows than columns.
py::array dense(const Array<double>& costs, std::string_view restarts) {
  const Restarts when = restarts_by_name(restarts);
  if (costs.ndim() != 2 || costs.shape(0) > costs.shape(1))
    throw std::invalid_argument("costs: a matrix with no more rows than columns is needed");
  if (costs.shape(1) > std::numeric_limits<std::int32_t>::max())
    throw std::invalid_argument("costs: fewer than 2^31 columns are needed");
  SteadyArray<double> array(costs);
  const auto n_rows = static_cast<std::int32_t>(costs.shape(0));
  const auto n_cols = static_cast<std::int32_t>(costs.shape(1));
  return to_array(without_gil([&](Interrupt& interrupt) {
    const std::span<const double> entries = array.view(interrupt);
    std::int64_t n_unfit = 0;  // without a branch for each
    for (const double cost : entries) n_unfit += !(cost > -std::numeric_limits<double>::infinity());
    if (n_unfit > 0) throw std::invalid_argument("matrix contains invalid numeric entries");
    DenseAssignment<std::int32_t> assignment(entries, n_rows, n_cols, interrupt, when);
    if (!assignment.solve()) throw std::invalid_argument("cost matrix is infeasible");
    std::vector<std::int64_t> cols(static_cast<std::size_t>(n_rows));
    for (std::int32_t row = 0; row < n_rows; ++row)
      cols[static_cast<std::size_t>(row)] = assignment.col_of(row);
    return cols;
  }));
}

template <class Index>
bool check_optimal(std::int64_t n_rows, std::int64_t n_cols, const Array<Index>& indptr,
                   const Array<Index>& indices, const Array<double>& weights, const Array<Index>& row_mate,
                   const Array<Index>& col_mate, const Array<double>& row_dual, const Array<double>& col_dual,
                   double cardinality_dual, double tolerance) {
  CheckedGraph<Index> graph(n_rows, n_cols, indptr, indices, weights);
  WeightedMatching<Index> claim;
  claim.matching = to_matching(row_mate, col_mate);
  claim.row_dual = to_vector(row_dual);
  claim.col_dual = to_vector(col_dual);
  claim.cardinality_dual = cardinality_dual;
  return without_gil(
      [&](Interrupt& interrupt) { return is_optimal(graph.check(interrupt), claim, tolerance); });
}

template <class Index>
void register_weighted_for_index(py::module_& m) {
  const auto n_rows = py::arg("n_rows");
  const auto n_cols = py::arg("n_cols");
  const auto indptr = py::arg("indptr").noconvert();
  const auto indices = py::arg("indices").noconvert();
  const auto weights = py::arg("weights").noconvert();
  m.def("maximum_weight_matching", &maximum_weight<Index>, n_rows, n_cols, indptr, indices, weights,
        py::arg("maximum_cardinality"));
  m.def("full_matching", &full<Index>, n_rows, n_cols, indptr, indices, weights, py::arg("maximize"));
  m.def("heaviest_of_given", &heaviest_of_given<Index>, n_rows, n_cols, indptr, indices, weights,
        py::arg("maximum_cardinality"), py::arg("minimize"));
  m.def("heavy_of_given", &heavy_of_given<Index>, n_rows, n_cols, indptr, indices, weights);
  m.def("is_canonical", &check_canonical<Index>, n_rows, n_cols, indptr, indices);
  m.def("pair_weights", &pair_weights<Index>, n_rows, n_cols, indptr, indices, weights,
        py::arg("row_mate").noconvert());
  m.def("assign", &assign<Index>, n_rows, n_cols, indptr, indices, weights, py::arg("restarts"));
  m.def("heavy_matching", &heavy<Index>, n_rows, n_cols, indptr, indices, weights);
  m.def("is_optimal_matching", &check_optimal<Index>, n_rows, n_cols, indptr, indices, weights,
        py::arg("row_mate").noconvert(), py::arg("col_mate").noconvert(), py::arg("row_dual").noconvert(),
        py::arg("col_dual").noconvert(), py::arg("cardinality_dual"), py::arg("tolerance"));
}

}  // namespace

void register_weighted_matching(py::module_& m) {
  register_weighted_for_index<std::int32_t>(m);
  register_weighted_for_index<std::int64_t>(m);
  m.def(
      "are_weights", [](const Array<double>& weights) { return WeightCheck(view(weights)).all_fit(); },
      py::arg("weights").noconvert());
  m.def("dense_assignment", &dense, py::arg("costs").noconvert(),
        py::arg("restarts") = "when searches are long");
}

}  // namespace hankelmatch::bindings
