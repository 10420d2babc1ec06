// libFuzzer: takes any bytes as the arrays of a CSR graph. It is refused, or all matchers agree on it.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/graph/validate_csr.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/matching/vertex_cover.hpp>
#include <hankelmatch/portfolio/match.hpp>
#include <stdexcept>
#include <vector>

using namespace hankelmatch;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  using Id = std::int32_t;
  const auto n_rows = static_cast<Id>(data[0] % 32U);
  const auto n_cols = static_cast<Id>(data[1] % 32U);
  std::vector<Id> numbers;  // a last one of 255 makes the rest signed and far away
  for (std::size_t i = 2; i + 1 < size; ++i)
    numbers.push_back(data[size - 1] == 255 ? (static_cast<Id>(data[i]) - 128) * 16777216 : data[i]);
  const std::size_t n_indptr = std::min(numbers.size(), static_cast<std::size_t>(n_rows) + 1);
  std::vector<Id> indptr(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(n_indptr));
  const std::vector<Id> indices(numbers.begin() + static_cast<std::ptrdiff_t>(n_indptr), numbers.end());
  if (data[size - 1] % 2 == 1 && !indptr.empty()) {  // rising pointers, which chance seldom makes
    indptr[0] = 0;
    for (std::size_t i = 1; i < indptr.size(); ++i) indptr[i] = indptr[i - 1] + (indptr[i] & 7);
  }
  const CsrGraph<Id> graph{n_rows, n_cols, indptr, indices};
  try {
    validate_csr(graph);
  } catch (const std::invalid_argument&) {
    return 0;
  }
  const Matching<Id> first = match(graph, "auto");
  for (const char* method : {"augmenting-path", "hopcroft-karp", "push-relabel"}) {
    const Matching<Id> other = match(graph, method);
    if (other.size != first.size || !is_valid(graph, other)) std::abort();
  }
  const VertexCover<Id> cover = minimum_vertex_cover(graph, first);
  if (at(first.size) != cover.rows.size() + cover.cols.size()) std::abort();
  return 0;
}
