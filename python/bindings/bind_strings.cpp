// Tries of strings: substring counts, sets of given strings, lookups.
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/strings/substring_counts.hpp>
#include <hankelmatch/strings/trie.hpp>
#include <hankelmatch/strings/trie_of_strings.hpp>
#include <hankelmatch/text/corpus.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bindings.hpp"

namespace hankelmatch::bindings {
namespace {

CorpusView corpus_view(const Array<std::int32_t>& symbols, const Array<std::int64_t>& offsets) {
  const CorpusView corpus{view(symbols), view(offsets)};
  validate(corpus);
  return corpus;
}

template <class Id>
py::object share(Trie<Id>&& trie) {
  return hand_over(SharedTrie<Id>{std::make_shared<const Trie<Id>>(std::move(trie))});
}

py::tuple count(const Array<std::int32_t>& symbols, const Array<std::int64_t>& offsets,
                std::size_t max_length, bool wide_ids, std::int64_t min_count) {
  const CorpusView corpus = corpus_view(symbols, offsets);
  if (min_count < 1) throw std::invalid_argument("min_count: at least 1 is needed");
  AnySubstringCounts any = without_gil([&](Interrupt& interrupt) {
    return count_substrings(corpus, max_length, {min_count, wide_ids}, interrupt);
  });
  return std::visit(
      [](auto& found) -> py::tuple {
        return py::make_tuple(share(std::move(found.trie)), to_array(std::move(found.counts)));
      },
      any);
}

py::tuple string_set(const Array<std::int32_t>& symbols, const Array<std::int64_t>& offsets, bool reversed,
                     bool wide_ids) {
  const CorpusView strings = corpus_view(symbols, offsets);
  AnyStringSet any = without_gil(
      [&](Interrupt& interrupt) { return make_string_set(strings, reversed, wide_ids, interrupt); });
  return std::visit(
      [](auto& found) -> py::tuple {
        return py::make_tuple(share(std::move(found.trie)), to_array(std::move(found.nodes)));
      },
      any);
}

template <class Id>
py::array_t<Id> find(const SharedTrie<Id>& shared, const Array<std::int32_t>& symbols,
                     const Array<std::int64_t>& offsets) {
  const Trie<Id>& trie = *shared.trie;
  const CorpusView strings = corpus_view(symbols, offsets);
  return to_array(without_gil([&](Interrupt& interrupt) {
    std::vector<Id> nodes(strings.n_sequences());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      interrupt.poll();
      nodes[i] = trie.find(strings.sequence(i));
    }
    return nodes;
  }));
}

template <class Id>
py::tuple spell_nodes(const SharedTrie<Id>& shared, const Array<Id>& nodes, bool reversed) {
  const Trie<Id>& trie = *shared.trie;
  for (const Id node : view(nodes)) {
    if (node < 0 || static_cast<std::size_t>(node) >= trie.n_nodes())
      throw std::invalid_argument("nodes: " + std::to_string(node) + " is no node of the trie");
  }
  FlatStrings strings =
      without_gil([&](Interrupt& interrupt) { return spell(trie, view(nodes), reversed, interrupt); });
  return py::make_tuple(to_array(std::move(strings.symbols)), to_array(std::move(strings.offsets)));
}

template <class Id>
py::array_t<Id> windows(const SharedTrie<Id>& shared, const Array<std::int32_t>& symbols,
                        const Array<std::int64_t>& offsets) {
  const Trie<Id>& trie = *shared.trie;
  if (!trie.has_suffix_links())
    throw std::invalid_argument("trie: trailing windows need a trie closed under substrings");
  const CorpusView corpus = corpus_view(symbols, offsets);
  return to_array(
      without_gil([&](Interrupt& interrupt) { return trailing_windows(trie, corpus, interrupt); }));
}

template <class Id>
void register_trie(py::module_& m, const char* name) {
  using T = Trie<Id>;
  using Shared = SharedTrie<Id>;
  const auto array = [](auto member) {
    return
        [member](py::object self) { return view_of(self.cast<const Shared&>().trie.get()->*member, self); };
  };
  py::class_<Shared>(m, name)
      .def_property_readonly("n_nodes", [](const Shared& shared) { return shared.trie->n_nodes(); })
      .def_property_readonly("level_begin", array(&T::level_begin))
      .def_property_readonly("symbol", array(&T::symbol))
      .def_property_readonly("parent", array(&T::parent))
      .def_property_readonly("child_begin", array(&T::child_begin))
      .def_property_readonly("suffix", array(&T::suffix))
      .def("find", &find<Id>, py::arg("symbols").noconvert(), py::arg("offsets").noconvert())
      .def("spell", &spell_nodes<Id>, py::arg("nodes").noconvert(), py::arg("reversed") = false);
  m.def("trailing_windows", &windows<Id>, py::arg("trie"), py::arg("symbols").noconvert(),
        py::arg("offsets").noconvert());
}

}  // namespace

void register_tries(py::module_& m) {
  register_trie<std::int32_t>(m, "Trie32");
  register_trie<std::int64_t>(m, "Trie64");
  m.def("count_substrings", &count, py::arg("symbols").noconvert(), py::arg("offsets").noconvert(),
        py::arg("max_length"), py::arg("wide_ids") = false, py::arg("min_count") = 1);
  m.def("string_set", &string_set, py::arg("symbols").noconvert(), py::arg("offsets").noconvert(),
        py::arg("reversed") = false, py::arg("wide_ids") = false);
}

}  // namespace hankelmatch::bindings
