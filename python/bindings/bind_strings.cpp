// Tries of strings: substring counts, sets of given strings, lookups.
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/strings/substring_counts.hpp>
#include <hankelmatch/strings/trie.hpp>
#include <hankelmatch/strings/trie_of_strings.hpp>
#include <hankelmatch/text/corpus.hpp>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bindings.hpp"
#include "corpus_arrays.hpp"

namespace hankelmatch::bindings {
namespace {

template <class Id>
py::object share(Trie<Id>&& trie) {
  return hand_over(SharedTrie<Id>{std::make_shared<const Trie<Id>>(std::move(trie))});
}

py::tuple count(const Array<std::int32_t>& symbols, const Array<std::int64_t>& offsets,
                std::size_t max_length, bool wide_ids, std::int64_t min_count) {
  CorpusArrays corpus(symbols, offsets);
  if (min_count < 1) throw std::invalid_argument("min_count: at least 1 is needed");
  AnySubstringCounts any = without_gil([&](Interrupt& interrupt) {
    return count_substrings(corpus.checked(interrupt), max_length, {min_count, wide_ids}, interrupt);
  });
  return std::visit(
      [](auto& found) -> py::tuple {
        return py::make_tuple(share(std::move(found.trie)), to_array(std::move(found.counts)));
      },
      any);
}

py::tuple string_set(const Array<std::int32_t>& symbols, const Array<std::int64_t>& offsets, bool reversed,
                     bool wide_ids) {
  CorpusArrays strings(symbols, offsets);
  AnyStringSet any = without_gil([&](Interrupt& interrupt) {
    return make_string_set(strings.checked(interrupt), reversed, wide_ids, interrupt);
  });
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
  CorpusArrays arrays(symbols, offsets);
  return to_array(without_gil([&](Interrupt& interrupt) {
    const CorpusView strings = arrays.checked(interrupt);
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
  const std::vector<Id> wanted(nodes.data(), nodes.data() + nodes.size());  // which nothing else changes
  for (const Id node : wanted) {
    if (node < 0 || static_cast<std::size_t>(node) >= trie.n_nodes())
      throw std::invalid_argument("nodes: " + std::to_string(node) + " is no node of the trie");
  }
  FlatStrings strings = without_gil(
      [&](Interrupt& interrupt) { return spell(trie, std::span<const Id>(wanted), reversed, interrupt); });
  return py::make_tuple(to_array(std::move(strings.symbols)), to_array(std::move(strings.offsets)));
}

template <class Id>
py::array_t<Id> windows(const SharedTrie<Id>& shared, const Array<std::int32_t>& symbols,
                        const Array<std::int64_t>& offsets) {
  const Trie<Id>& trie = *shared.trie;
  if (!trie.has_suffix_links())
    throw std::invalid_argument("trie: trailing windows need a trie closed under substrings");
  CorpusArrays corpus(symbols, offsets);
  return to_array(without_gil(
      [&](Interrupt& interrupt) { return trailing_windows(trie, corpus.checked(interrupt), interrupt); }));
}

template <class Id>
void register_trie(py::module_& m, const char* name) {
  using T = Trie<Id>;
  using Shared = SharedTrie<Id>;
  const auto array = [](auto member) {
    return
        [member](py::object self) { return view_of(self.cast<const Shared&>().trie.get()->*member, self); };
  };
  make_class<Shared>(m, name)
      .def_property_readonly("n_nodes", [](const Shared& shared) { return to_int(shared.trie->n_nodes()); })
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
