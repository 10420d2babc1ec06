// Prefix-suffix graphs: their edges, their matchings, the Hankel blocks of a basis.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/graph/prefix_suffix_graph.hpp>
#include <hankelmatch/hankel/hankel_blocks.hpp>
#include <hankelmatch/hankel/hankel_matching.hpp>
#include <hankelmatch/hankel/heaviest_hankel_matching.hpp>
#include <hankelmatch/hankel/heavy_hankel_matching.hpp>
#include <hankelmatch/hankel/paper_matching.hpp>
#include <hankelmatch/hankel/split_graph.hpp>
#include <hankelmatch/matching/depth_first.hpp>
#include <hankelmatch/matching/hopcroft_karp.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/strings/trie.hpp>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"

namespace hankelmatch::bindings {
namespace {

/// A graph with the arrays that its view looks at.
template <class Id>
class OwnedGraph {
 public:
  /// For a support closed under substrings: all nodes of one trie.
  explicit OwnedGraph(const SharedTrie<Id>& trie) : prefixes_(trie.trie) {
    if (!prefixes_->has_suffix_links())
      throw std::invalid_argument("trie: it is not closed under substrings");
    split_ = without_gil(
        [&](Interrupt& interrupt) { return std::make_unique<SplitGraph<Id>>(*prefixes_, interrupt); });
  }

  /// For any other support: `strings` are ascending nodes of `prefixes`, `string_suffix` the nodes of the
  /// same strings in the trie of reversed strings.
  OwnedGraph(const SharedTrie<Id>& prefixes, const SharedTrie<Id>& suffixes, const Array<Id>& strings,
             const Array<Id>& string_suffix)
      : prefixes_(prefixes.trie),
        suffixes_(suffixes.trie),
        strings_(strings.data(), strings.data() + strings.size()),
        string_suffix_(string_suffix.data(), string_suffix.data() + string_suffix.size()) {
    if (strings_.size() != string_suffix_.size() || strings_.empty())
      throw std::invalid_argument(
          "string_suffix: one suffix for each of at least one support string is needed");
    check_nodes(strings_, *prefixes_);
    check_nodes(string_suffix_, *suffixes_);
  }

  PrefixSuffixGraph<Id> graph() const {
    if (!suffixes_) return {prefixes_.get(), prefixes_->suffix, {}, {}, {}};
    return {prefixes_.get(), suffixes_->parent, strings_, string_suffix_, suffixes_->symbol};
  }

  /// Throws invalid_argument unless the support is closed under substrings.
  const SplitGraph<Id>& split() const {
    if (!split_) throw std::invalid_argument("graph: its support is not closed under substrings");
    return *split_;
  }

 private:
  static void check_nodes(const std::vector<Id>& nodes, const Trie<Id>& trie) {
    for (const Id node : nodes) {
      if (node < 0 || static_cast<std::size_t>(node) >= trie.n_nodes())
        throw std::invalid_argument("strings: a node that the trie does not have");
    }
  }

  std::shared_ptr<const Trie<Id>> prefixes_;
  std::shared_ptr<const Trie<Id>> suffixes_;
  std::unique_ptr<SplitGraph<Id>> split_;
  std::vector<Id> strings_;
  std::vector<Id> string_suffix_;
};

template <class Index>
py::tuple csr_tuple(CsrMatrix<Index>&& matrix) {
  return py::make_tuple(to_array(std::move(matrix.indptr)), to_array(std::move(matrix.indices)),
                        to_array(std::move(matrix.data)));
}

template <class Id>
void check_values(const PrefixSuffixGraph<Id>& graph, const Array<double>& values) {
  if (static_cast<std::size_t>(values.size()) != graph.n_strings())
    throw std::invalid_argument("values: one for each support string is needed");
}

/// `values`: one for each support string, or empty for the pattern alone.
template <class Index, class Id>
py::tuple edges(const OwnedGraph<Id>& owned, const Array<double>& values) {
  const PrefixSuffixGraph<Id> graph = owned.graph();
  if (values.size() > 0) check_values(graph, values);
  return csr_tuple(without_gil([&](Interrupt& interrupt) {
    if (std::cmp_greater(count_edges(graph), std::numeric_limits<Index>::max()))
      throw std::length_error("edges: they are too many for the index type");
    return to_csr<Index>(graph, view(values), interrupt);
  }));
}

template <class Index>
py::tuple mates(Matching<Index>&& matching) {
  return py::make_tuple(to_array(std::move(matching.row_mate)), to_array(std::move(matching.col_mate)));
}

/// `indptr` and `indices` are those of edges(), and are not checked again. `order`: all prefixes in the order
/// of the search, or none for the usual order. Without shifted pairs, only searches for augmenting paths.
template <class Index, class Id>
py::tuple match_paper(const OwnedGraph<Id>& owned, const Array<Index>& indptr, const Array<Index>& indices,
                      const Array<Index>& order, bool shifted_pairs) {
  const PrefixSuffixGraph<Id> graph = owned.graph();
  const auto is_prefix = [&](Index p) { return p >= 0 && static_cast<std::size_t>(p) < graph.n_prefixes(); };
  if (!std::ranges::all_of(view(order), is_prefix))
    throw std::invalid_argument("order: a prefix that the graph does not have");
  const CsrGraph<Index> csr{static_cast<Index>(graph.n_prefixes()), static_cast<Index>(graph.n_suffixes()),
                            view(indptr), view(indices)};
  return mates(without_gil([&](Interrupt& interrupt) {
    return shifted_pairs ? paper_matching(graph, csr, view(order), interrupt)
                         : augmenting_path(csr, view(order), {}, interrupt);
  }));
}

/// By a method for any graph, without a list of edges; for a support closed under substrings.
template <class Id>
py::tuple match_implicit(const OwnedGraph<Id>& owned, const std::string& method) {
  const SplitGraph<Id>& split = owned.split();
  const bool by_paths = method == "augmenting-path";
  if (!by_paths && method != "hopcroft-karp")
    throw std::invalid_argument("method: " + method + " is unknown");
  return mates(without_gil([&](Interrupt& interrupt) {
    const auto edges = split.edges();
    return by_paths ? augmenting_path(edges, last_row_first(edges.n_rows), {}, interrupt)
                    : hopcroft_karp(edges, {}, interrupt);
  }));
}

/// The mates of rows and columns, the rows and columns of a vertex cover, and the number of edges looked at.
template <class Id, class Search>
py::tuple hankel_tuple(const OwnedGraph<Id>& owned, const Search& search) {
  const SplitGraph<Id>& split = owned.split();
  HankelMatching<Id> found = without_gil([&](Interrupt& interrupt) { return search(split, interrupt); });
  return py::make_tuple(to_array(std::move(found.matching.row_mate)),
                        to_array(std::move(found.matching.col_mate)), to_array(std::move(found.cover_rows)),
                        to_array(std::move(found.cover_cols)), found.n_edges_seen);
}

template <class Id>
py::tuple match_hankel(const OwnedGraph<Id>& owned) {
  return hankel_tuple(owned, [](const SplitGraph<Id>& split, Interrupt& interrupt) {
    return hankel_matching(split, interrupt);
  });
}

/// A matching that prefers values large in size; `values`: one for each string.
template <class Id>
py::tuple match_heavy(const OwnedGraph<Id>& owned, const Array<double>& values) {
  check_values(owned.graph(), values);
  return hankel_tuple(owned, [&](const SplitGraph<Id>& split, Interrupt& interrupt) {
    return heavy_hankel_matching(split, view(values), interrupt);
  });
}

/// The matching with the greatest sum of weights; `weights`: one for each string.
template <class Id>
py::tuple match_heaviest(const OwnedGraph<Id>& owned, const Array<double>& weights) {
  check_values(owned.graph(), weights);
  return hankel_tuple(owned, [&](const SplitGraph<Id>& split, Interrupt& interrupt) {
    return heaviest_hankel_matching(split, view(weights), interrupt);
  });
}

template <class Index>
void check_places(std::span<const Index> places, std::size_t n_places, const char* message) {
  const auto is_place = [&](Index i) { return i == -1 || (i >= 0 && std::cmp_less(i, n_places)); };
  if (!std::ranges::all_of(places, is_place)) throw std::invalid_argument(message);
}

template <class Index, class Id>
py::dict blocks(const OwnedGraph<Id>& owned, const Array<double>& values, const Array<Index>& row_of,
                const Array<Index>& col_of, std::size_t n_rows, std::size_t n_cols, std::size_t n_symbols) {
  const PrefixSuffixGraph<Id> graph = owned.graph();
  check_values(graph, values);
  if (static_cast<std::size_t>(row_of.size()) != graph.n_prefixes() ||
      static_cast<std::size_t>(col_of.size()) != graph.n_suffixes())
    throw std::invalid_argument("row_of, col_of: their lengths are not those of the graph");
  check_places(view(row_of), n_rows, "row_of: -1 or a row of the block is needed for each prefix");
  check_places(view(col_of), n_cols, "col_of: -1 or a column of the block is needed for each suffix");
  HankelBlocks<Index> out = without_gil([&](Interrupt& interrupt) {
    return hankel_blocks<Index>(graph, view(values), {view(row_of), view(col_of), n_rows, n_cols}, n_symbols,
                                interrupt);
  });
  py::dict result;
  result["h"] = csr_tuple(std::move(out.h));
  result["h_prefix"] = to_array(std::move(out.h_prefix));
  result["h_suffix"] = to_array(std::move(out.h_suffix));
  result["symbol_begin"] = to_array(std::move(out.symbol_begin));
  result["transition_rows"] = to_array(std::move(out.transition_rows));
  result["transitions"] = csr_tuple(std::move(out.transitions));
  return result;
}

template <class Id>
void register_graph(py::module_& m, const char* name) {
  using G = OwnedGraph<Id>;
  const auto add_for_index = [](auto& cls, auto index, const char* edges_name) {
    using Index = decltype(index);
    cls.def(edges_name, &edges<Index, Id>, py::arg("values").noconvert())
        .def("match_paper", &match_paper<Index, Id>, py::arg("indptr").noconvert(),
             py::arg("indices").noconvert(), py::arg("order").noconvert(), py::arg("shifted_pairs"))
        .def("hankel_blocks", &blocks<Index, Id>, py::arg("values").noconvert(),
             py::arg("row_of").noconvert(), py::arg("col_of").noconvert(), py::arg("n_rows"),
             py::arg("n_cols"), py::arg("n_symbols"));
  };
  auto cls = make_class<G>(m, name);
  def_constructor<G, const SharedTrie<Id>&>(cls, py::arg("trie"));
  def_constructor<G, const SharedTrie<Id>&, const SharedTrie<Id>&, const Array<Id>&, const Array<Id>&>(
      cls, py::arg("prefixes"), py::arg("suffixes"), py::arg("strings").noconvert(),
      py::arg("string_suffix").noconvert());
  cls.def_property_readonly("n_prefixes", [](const G& g) { return to_int(g.graph().n_prefixes()); })
      .def_property_readonly("n_suffixes", [](const G& g) { return to_int(g.graph().n_suffixes()); })
      .def_property_readonly("is_closed", [](const G& g) { return g.graph().closed(); })
      .def_property_readonly("n_bytes", [](const G& g) { return to_int(g.split().n_bytes()); })
      .def("match_hankel", &match_hankel<Id>)
      .def("match_implicit", &match_implicit<Id>, py::arg("method"))
      .def("match_heavy", &match_heavy<Id>, py::arg("values").noconvert())
      .def("match_heaviest", &match_heaviest<Id>, py::arg("weights").noconvert())
      .def_property_readonly("n_edges", [](const G& g) { return to_int(at(count_edges(g.graph()))); });
  add_for_index(cls, std::int32_t{}, "edges32");
  add_for_index(cls, std::int64_t{}, "edges64");
}

}  // namespace

void register_graphs(py::module_& m) {
  register_graph<std::int32_t>(m, "PrefixSuffixGraph32");
  register_graph<std::int64_t>(m, "PrefixSuffixGraph64");
}

}  // namespace hankelmatch::bindings
