// Edges within capacities.
#include <cstddef>
#include <cstdint>
#include <hankelmatch/exchange/capacities_by_size.hpp>
#include <hankelmatch/exchange/capacities_by_weight.hpp>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "csr_arrays.hpp"

namespace hankelmatch::bindings {
namespace {

py::tuple to_arrays(const std::vector<CountedWeight>& duals) {
  std::vector<std::int64_t> counts(duals.size());
  std::vector<double> weights(duals.size());
  for (std::size_t i = 0; i < duals.size(); ++i) {
    counts[i] = duals[i].count;
    weights[i] = duals[i].weight;
  }
  return py::make_tuple(to_array(std::move(counts)), to_array(std::move(weights)));
}

template <class Index>
py::array largest(std::int64_t n_rows, std::int64_t n_cols, const Array<Index>& indptr,
                  const Array<Index>& indices, const Array<Index>& row_capacities,
                  const Array<Index>& col_capacities) {
  GraphArrays<Index> arrays(n_rows, n_cols, indptr, indices);
  return to_array(without_gil([&](Interrupt& interrupt) {
    return largest_within_capacities(arrays.checked(interrupt), view(row_capacities), view(col_capacities),
                                     interrupt);
  }));
}

template <class Index>
py::tuple within_capacities(std::int64_t n_rows, std::int64_t n_cols, const Array<Index>& indptr,
                            const Array<Index>& indices, const Array<double>& weights,
                            const Array<Index>& row_capacities, const Array<Index>& col_capacities,
                            bool maximum_size) {
  WeightedGraphArrays<Index> arrays(n_rows, n_cols, indptr, indices, weights);
  auto found = without_gil([&](Interrupt& interrupt) {
    return match_within_capacities(arrays.checked(interrupt), view(row_capacities), view(col_capacities),
                                   maximum_size, interrupt);
  });
  return py::make_tuple(to_array(std::move(found.chosen)), to_arrays(found.row_dual),
                        to_arrays(found.col_dual));
}

template <class Index>
void register_capacities_for_index(py::module_& m) {
  m.def("largest_within_capacities", &largest<Index>, py::arg("n_rows"), py::arg("n_cols"),
        py::arg("indptr").noconvert(), py::arg("indices").noconvert(), py::arg("row_capacities").noconvert(),
        py::arg("col_capacities").noconvert());
  m.def("match_within_capacities", &within_capacities<Index>, py::arg("n_rows"), py::arg("n_cols"),
        py::arg("indptr").noconvert(), py::arg("indices").noconvert(), py::arg("weights").noconvert(),
        py::arg("row_capacities").noconvert(), py::arg("col_capacities").noconvert(),
        py::arg("maximum_size"));
}

}  // namespace

void register_capacities(py::module_& m) {
  register_capacities_for_index<std::int32_t>(m);
  register_capacities_for_index<std::int64_t>(m);
}

}  // namespace hankelmatch::bindings
