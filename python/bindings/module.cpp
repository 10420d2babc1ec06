#include "bindings.hpp"

PYBIND11_MODULE(_core, m, pybind11::mod_gil_not_used()) {
  m.doc() =
      "The compiled core of hankelmatch. Private: the public functions are those of the package itself.";
  hankelmatch::bindings::register_threads(m);
  hankelmatch::bindings::register_text(m);
  hankelmatch::bindings::register_tries(m);
  hankelmatch::bindings::register_graphs(m);
  hankelmatch::bindings::register_matching(m);
  hankelmatch::bindings::register_weighted_matching(m);
  hankelmatch::bindings::register_exchanges(m);
  hankelmatch::bindings::register_capacities(m);
  hankelmatch::bindings::register_probabilistic_automaton(m);
}
