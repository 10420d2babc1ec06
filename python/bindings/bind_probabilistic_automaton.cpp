// Probabilistic automata on a sample of strings: forward-backward passes and Gibbs sampling.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/threads.hpp>
#include <hankelmatch/strings/forward_backward.hpp>
#include <hankelmatch/strings/sample_tries.hpp>
#include <hankelmatch/strings/state_counts.hpp>
#include <hankelmatch/strings/state_sampler.hpp>
#include <hankelmatch/text/corpus.hpp>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include "bindings.hpp"
#include "corpus_arrays.hpp"

namespace hankelmatch::bindings {
namespace {

using Floats = Array<double>;

CorpusView checked_sample(CorpusArrays& arrays, Interrupt& interrupt) {
  const CorpusView sample = arrays.checked(interrupt);
  for (const std::int32_t a : sample.symbols)
    if (a < 0) throw std::invalid_argument("symbols: a sample must not have symbols below 0");
  return sample;
}

AutomatonView automaton_view(const Floats& initial, const Floats& final, const Floats& transitions,
                             std::size_t n_symbols) {
  const AutomatonView automaton{view(initial), view(final), view(transitions)};
  const std::size_t n = automaton.n_states();
  if (n == 0 || automaton.final.size() != n || automaton.transitions.size() % (n * n) != 0)
    throw std::invalid_argument("transitions: shapes (n,), (n,) and (n_symbols, n, n) are needed, n > 0");
  if (automaton.n_symbols() < n_symbols)
    throw std::invalid_argument("transitions: the sample has symbols that the automaton lacks");
  return automaton;
}

/// A sample as tries, for many passes.
class Sample {
 public:
  Sample(const Array<std::int32_t>& symbols, const Array<std::int64_t>& offsets, std::size_t trie_nodes) {
    CorpusArrays arrays(symbols, offsets);
    tries_ = without_gil([&](Interrupt& interrupt) {
      return make_sample_tries(checked_sample(arrays, interrupt), trie_nodes, interrupt);
    });
  }

  py::object n_nodes() const { return to_int(tries_.n_nodes()); }

  py::array_t<double> log_probabilities(const Floats& initial, const Floats& final,
                                        const Floats& transitions) const {
    const AutomatonView automaton = automaton_view(initial, final, transitions, tries_.n_symbols);
    return to_array(without_gil([&](Interrupt& interrupt) {
      const auto distinct = hankelmatch::log_probabilities(tries_, automaton, interrupt);
      std::vector<double> out;
      out.reserve(tries_.rank.size());
      for (const std::size_t r : tries_.rank) out.push_back(distinct[r]);
      return out;
    }));
  }

  py::array_t<double> prefix_log_probabilities(const Floats& initial, const Floats& final,
                                               const Floats& transitions) const {
    const AutomatonView automaton = automaton_view(initial, final, transitions, tries_.n_symbols);
    return to_array(without_gil([&](Interrupt& interrupt) {
      const auto distinct = hankelmatch::prefix_log_probabilities(tries_, automaton, interrupt);
      std::vector<double> out;
      for (const std::size_t r : tries_.rank) {
        const double* const begin = distinct.data() + tries_.offsets[r] + r;
        out.insert(out.end(), begin, begin + (tries_.offsets[r + 1] - tries_.offsets[r] + 1));
      }
      return out;
    }));
  }

  py::tuple expected_counts(const Floats& weights, const Floats& initial, const Floats& final,
                            const Floats& transitions, bool single) const {
    const AutomatonView automaton = automaton_view(initial, final, transitions, tries_.n_symbols);
    const auto given = view(weights);
    if (given.size() != tries_.rank.size())
      throw std::invalid_argument("weights: one for each string of the sample is needed");
    Expectations out = without_gil([&](Interrupt& interrupt) {
      std::vector<double> distinct(tries_.n_distinct(), 0.0);
      for (std::size_t k = 0; k < given.size(); ++k) distinct[tries_.rank[k]] += given[k];
      return hankelmatch::expected_counts(tries_, distinct, automaton, interrupt,
                                          single ? Precision::kSingle : Precision::kDouble);
    });
    return py::make_tuple(out.log_likelihood, to_array(std::move(out.initial)),
                          to_array(std::move(out.final)), to_array(std::move(out.transitions)));
  }

 private:
  SampleTries tries_;
};

/// Chains on one sample, each with a shape of its own.
class Chains {
 public:
  Chains(const Array<std::int32_t>& symbols, const Array<std::int64_t>& offsets) {
    CorpusArrays arrays(symbols, offsets);
    without_gil([&](Interrupt& interrupt) {
      const CorpusView sample = checked_sample(arrays, interrupt);
      symbols_.assign(sample.symbols.begin(), sample.symbols.end());
      offsets_.assign(sample.offsets.begin(), sample.offsets.end());
    });
    for (const std::int32_t a : symbols_) n_symbols_ = std::max(n_symbols_, at(a) + 1);
  }

  void add(const Floats& initial, const Floats& final, const Floats& transitions, double concentration,
           std::uint64_t seed, bool hidden_markov) {
    const AutomatonView first = automaton_view(initial, final, transitions, n_symbols_);
    const float c = checked_concentration(concentration);
    without_gil([&](Interrupt& interrupt) {
      const CorpusView sample{symbols_, offsets_};
      if (hidden_markov) {
        chains_.emplace_back(StateSampler<HiddenMarkovStateCounts>(sample, first, c, seed, interrupt));
      } else {
        chains_.emplace_back(StateSampler<FreeStateCounts>(sample, first, c, seed, interrupt));
      }
    });
  }

  void set_concentration(std::size_t chain, double concentration) {
    const float c = checked_concentration(concentration);
    std::visit([c](auto& sampler) { sampler.set_concentration(c); }, chains_[checked(chain)]);
  }

  void sweep(std::size_t n_sweeps) {
    without_gil([&](Interrupt& interrupt) {
      for (std::size_t s = 0; s < n_sweeps; ++s) {
        for_each_task(chains_.size(), std::min(chains_.size(), max_threads()), interrupt,
                      [&](std::size_t chain, std::size_t) {
                        std::visit([](auto& sampler) { sampler.sweep(); }, chains_[chain]);
                      });
      }
    });
  }

  py::tuple uses(std::size_t chain) const {
    return std::visit(
        [](const auto& sampler) {
          const std::size_t n = sampler.n_states();
          std::vector<double> initial(n);
          std::vector<double> final(n);
          std::vector<double> transitions(sampler.n_symbols() * n * n);
          sampler.add_uses(initial, final, transitions);
          return py::make_tuple(to_array(std::move(initial)), to_array(std::move(final)),
                                to_array(std::move(transitions)));
        },
        chains_[checked(chain)]);
  }

 private:
  using Chain = std::variant<StateSampler<FreeStateCounts>, StateSampler<HiddenMarkovStateCounts>>;

  static float checked_concentration(double concentration) {
    if (!(concentration > 0)) throw std::invalid_argument("concentration: a positive number is needed");
    return static_cast<float>(concentration);
  }
  std::size_t checked(std::size_t chain) const {
    if (chain >= chains_.size()) throw std::out_of_range("chain: there are not so many");
    return chain;
  }

  std::vector<std::int32_t> symbols_;
  std::vector<std::int64_t> offsets_;
  std::size_t n_symbols_ = 0;
  std::vector<Chain> chains_;
};

}  // namespace

void register_probabilistic_automaton(py::module_& m) {
  using Symbols = Array<std::int32_t>;
  using Offsets = Array<std::int64_t>;
  auto sample = make_class<Sample>(m, "Sample");
  def_constructor<Sample, const Symbols&, const Offsets&, std::size_t>(sample, py::arg("symbols").noconvert(),
                                                                       py::arg("offsets").noconvert(),
                                                                       py::arg("trie_nodes") = kTrieNodes);
  sample.def_property_readonly("n_nodes", &Sample::n_nodes)
      .def("log_probabilities", &Sample::log_probabilities, py::arg("initial").noconvert(),
           py::arg("final").noconvert(), py::arg("transitions").noconvert())
      .def("prefix_log_probabilities", &Sample::prefix_log_probabilities, py::arg("initial").noconvert(),
           py::arg("final").noconvert(), py::arg("transitions").noconvert())
      .def("expected_counts", &Sample::expected_counts, py::arg("weights").noconvert(),
           py::arg("initial").noconvert(), py::arg("final").noconvert(), py::arg("transitions").noconvert(),
           py::arg("single") = false);
  auto chains = make_class<Chains>(m, "StateChains");
  def_constructor<Chains, const Symbols&, const Offsets&>(chains, py::arg("symbols").noconvert(),
                                                          py::arg("offsets").noconvert());
  chains
      .def("add", &Chains::add, py::arg("initial").noconvert(), py::arg("final").noconvert(),
           py::arg("transitions").noconvert(), py::arg("concentration"), py::arg("seed"),
           py::arg("hidden_markov"))
      .def("set_concentration", &Chains::set_concentration, py::arg("chain"), py::arg("concentration"))
      .def("sweep", &Chains::sweep, py::arg("n_sweeps"))
      .def("uses", &Chains::uses, py::arg("chain"));
}

}  // namespace hankelmatch::bindings
