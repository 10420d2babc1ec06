#include "bindings.hpp"

// Without the GIL it has never been run: a free-threaded Python keeps the GIL for it. Its classes and the
// calls that are in the core are of the whole process: other interpreters than the main one get an
// ImportError.
PYBIND11_MODULE(_core, m, pybind11::multiple_interpreters::not_supported()) {
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
