#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/strings/forward_backward.hpp>
#include <hankelmatch/strings/sample_tries.hpp>
#include <hankelmatch/strings/state_counts.hpp>
#include <hankelmatch/strings/state_sampler.hpp>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include "../reference_strings.hpp"

using namespace hankelmatch;

namespace {

/// A probabilistic automaton that owns its arrays.
struct Automaton {
  std::vector<double> initial;
  std::vector<double> final;
  std::vector<double> transitions;

  AutomatonView view() const { return {initial, final, transitions}; }
};

Automaton random_automaton(std::size_t n_states, std::size_t n_symbols, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(0.1, 1.0);
  Automaton out{std::vector<double>(n_states), std::vector<double>(n_states),
                std::vector<double>(n_symbols * n_states * n_states)};
  double sum = 0;
  for (double& w : out.initial) sum += w = uniform(random);
  for (double& w : out.initial) w /= sum;
  for (std::size_t i = 0; i < n_states; ++i) {
    sum = out.final[i] = uniform(random);
    for (std::size_t a = 0; a < n_symbols; ++a)
      for (std::size_t j = 0; j < n_states; ++j)
        sum += out.transitions[(a * n_states + i) * n_states + j] = uniform(random);
    out.final[i] /= sum;
    for (std::size_t a = 0; a < n_symbols; ++a)
      for (std::size_t j = 0; j < n_states; ++j) out.transitions[(a * n_states + i) * n_states + j] /= sum;
  }
  return out;
}

reference::Text random_sample(std::size_t n_strings, std::int32_t n_symbols, std::mt19937& random) {
  std::uniform_int_distribution<std::int32_t> symbol(0, n_symbols - 1);
  std::uniform_int_distribution<std::size_t> length(0, 7);
  reference::Text text;
  for (std::size_t s = 0; s < n_strings; ++s) {
    reference::String string(length(random));
    for (auto& a : string) a = symbol(random);
    text.add(string);
  }
  return text;
}

/// Vectors before each symbol and after the last one, not rescaled: the textbook's recursion.
std::vector<std::vector<double>> forward_vectors(const Automaton& automaton,
                                                 std::span<const std::int32_t> string) {
  const std::size_t n = automaton.initial.size();
  std::vector<std::vector<double>> out{automaton.initial};
  for (const std::int32_t a : string) {
    std::vector<double> next(n, 0.0);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        next[j] += out.back()[i] * automaton.view().matrix(at(a))[i * n + j];
    out.push_back(next);
  }
  return out;
}

double dot(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

/// Expected counts string by string.
Expectations reference_counts(const Automaton& automaton, const CorpusView& sample,
                              const std::vector<double>& weights) {
  const std::size_t n = automaton.initial.size();
  Expectations out{0.0, std::vector<double>(n), std::vector<double>(n),
                   std::vector<double>(automaton.transitions.size())};
  for (std::size_t s = 0; s < sample.n_sequences(); ++s) {
    const auto string = sample.sequence(s);
    const auto forward = forward_vectors(automaton, string);
    const double probability = dot(forward.back(), automaton.final);
    const double share = weights[s] / probability;
    out.log_likelihood += weights[s] * std::log(probability);
    std::vector<double> backward = automaton.final;
    for (std::size_t i = 0; i < n; ++i) out.final[i] += share * forward.back()[i] * backward[i];
    for (std::size_t t = string.size(); t-- > 0;) {
      std::vector<double> before(n, 0.0);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          const std::size_t k = (at(string[t]) * n + i) * n + j;
          out.transitions[k] += share * forward[t][i] * automaton.transitions[k] * backward[j];
          before[i] += automaton.transitions[k] * backward[j];
        }
      }
      backward = before;
    }
    for (std::size_t i = 0; i < n; ++i) out.initial[i] += share * automaton.initial[i] * backward[i];
  }
  return out;
}

void check_close(const std::vector<double>& found, const std::vector<double>& expected, double tolerance) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t k = 0; k < found.size(); ++k)
    CHECK(found[k] == doctest::Approx(expected[k]).epsilon(tolerance));
}

void check_close(const Expectations& found, const Expectations& expected, double tolerance) {
  CHECK(found.log_likelihood == doctest::Approx(expected.log_likelihood).epsilon(tolerance));
  check_close(found.initial, expected.initial, tolerance);
  check_close(found.final, expected.final, tolerance);
  check_close(found.transitions, expected.transitions, tolerance);
}

}  // namespace

TEST_CASE("a sample's tries hold its distinct strings, however it is cut") {
  std::mt19937 random(1);
  Interrupt interrupt;
  const auto text = random_sample(200, 3, random);
  for (const std::size_t most_nodes : {std::size_t{1}, std::size_t{40}, std::size_t{100000}}) {
    const SampleTries sample = make_sample_tries(text.view(), most_nodes, interrupt);
    CHECK(sample.rank.size() == 200);
    CHECK((most_nodes < 100000 || sample.tries.size() == 1));
    for (std::size_t k = 0; k < 200; ++k) {
      const std::size_t r = sample.rank[k];
      CHECK(sample.offsets[r + 1] - sample.offsets[r] == text.view().sequence(k).size());
    }
    for (const SampleTrie& trie : sample.tries) {
      CHECK((trie.n_nodes() <= most_nodes || trie.node.size() == 1));
      for (const auto& group : trie.groups) {
        for (std::int32_t v = group.begin; v < group.end; ++v) CHECK(trie.parent[at(v)] < v);
      }
    }
  }
}

TEST_CASE("passes over tries give what the textbook's recursion gives string by string") {
  std::mt19937 random(2);
  Interrupt interrupt;
  for (const std::size_t n_states : {std::size_t{1}, std::size_t{5}, std::size_t{8}, std::size_t{19}}) {
    const Automaton automaton = random_automaton(n_states, 3, random);
    const auto text = random_sample(150, 3, random);
    const SampleTries sample = make_sample_tries(text.view(), 60, interrupt);
    std::vector<double> weights(150, 1.0);
    weights[7] = 2.5;
    weights[9] = 0.0;
    std::vector<double> distinct(sample.n_distinct(), 0.0);
    for (std::size_t k = 0; k < 150; ++k) distinct[sample.rank[k]] += weights[k];

    const auto expected = reference_counts(automaton, text.view(), weights);
    check_close(expected_counts(sample, distinct, automaton.view(), interrupt), expected, 1e-9);
    check_close(expected_counts(sample, distinct, automaton.view(), interrupt, Precision::kSingle), expected,
                1e-5);

    const auto logs = log_probabilities(sample, automaton.view(), interrupt);
    const auto prefix_logs = prefix_log_probabilities(sample, automaton.view(), interrupt);
    for (std::size_t k = 0; k < 150; ++k) {
      const std::size_t r = sample.rank[k];
      const auto forward = forward_vectors(automaton, text.view().sequence(k));
      CHECK(std::exp(logs[r]) == doctest::Approx(dot(forward.back(), automaton.final)));
      for (std::size_t t = 1; t < forward.size(); ++t) {
        double sum = 0;
        for (const double x : forward[t]) sum += x;
        CHECK(std::exp(prefix_logs[sample.offsets[r] + r + t - 1]) == doctest::Approx(sum));
      }
      CHECK(prefix_logs[sample.offsets[r + 1] + r] == logs[r]);
    }
  }
}

TEST_CASE("single precision gives way where numbers get too small for it") {
  // Two states that never meet; the strings are all but impossible for the one that begins most of them.
  Interrupt interrupt;
  const Automaton automaton{{1 - 1e-30, 1e-30}, {0.5, 0.5}, {0.5, 0, 0, 0.25, 1e-40, 0, 0, 0.25}};
  reference::Text text;
  text.add({0, 0});
  text.add({1, 1, 1, 1});
  text.add(reference::String(2000, 0));
  const SampleTries sample = make_sample_tries(text.view(), 4, interrupt);
  for (const double weight : {1.0, 1e20, 1e-20}) {
    const std::vector<double> weights(sample.n_distinct(), weight);
    const auto expected = expected_counts(sample, weights, automaton.view(), interrupt);
    const auto found = expected_counts(sample, weights, automaton.view(), interrupt, Precision::kSingle);
    CHECK(std::isfinite(expected.log_likelihood));
    check_close(found, expected, 1e-4);
    CHECK(found.transitions[7] == doctest::Approx(4 * weight));
    CHECK(expected.log_likelihood / weight ==
          doctest::Approx(2004 * std::log(0.5) + std::log(1e-30) + 4 * std::log(0.25) + std::log(0.5)));
  }
}

TEST_CASE("impossible paths do no harm, however well they explain the rest") {
  // State 1 is never reached, and would make the long string 2^1999 times likelier.
  Interrupt interrupt;
  const double low = 1e-3;
  const Automaton automaton{{1, 0}, {1 - low, 0.1}, {low, 0, 0, 0.9}};
  reference::Text text;
  text.add(reference::String(2000, 0));
  const SampleTries sample = make_sample_tries(text.view(), 100, interrupt);
  const std::vector<double> weights{1.0};
  for (const auto precision : {Precision::kSingle, Precision::kDouble}) {
    const auto found = expected_counts(sample, weights, automaton.view(), interrupt, precision);
    CHECK(found.transitions[0] == doctest::Approx(2000));
    CHECK(found.transitions[3] == 0);
    CHECK(found.initial[0] == doctest::Approx(1));
    CHECK(found.log_likelihood == doctest::Approx(2000 * std::log(low) + std::log(1 - low)));
  }
}

TEST_CASE("an empty sample and an interrupt") {
  Interrupt never;
  std::mt19937 random(3);
  const Automaton automaton = random_automaton(3, 2, random);
  const reference::Text nothing;
  const SampleTries empty = make_sample_tries(nothing.view(), 10, never);
  CHECK(log_probabilities(empty, automaton.view(), never).empty());
  CHECK(expected_counts(empty, {}, automaton.view(), never).log_likelihood == 0.0);

  struct Stopped : std::exception {};
  Interrupt stop([] { throw Stopped{}; });
  const auto text = random_sample(50, 2, random);
  const SampleTries sample = make_sample_tries(text.view(), 10, never);
  const std::vector<double> weights(sample.n_distinct(), 1.0);
  CHECK_THROWS_AS(make_sample_tries(text.view(), 10, stop), Stopped);
  CHECK_THROWS_AS(static_cast<void>(log_probabilities(sample, automaton.view(), stop)), Stopped);
  CHECK_THROWS_AS(static_cast<void>(expected_counts(sample, weights, automaton.view(), stop)), Stopped);
}

TEST_CASE_TEMPLATE("a sampler's paths are those of its strings", Counts, FreeStateCounts,
                   HiddenMarkovStateCounts) {
  std::mt19937 random(4);
  Interrupt interrupt;
  const Automaton first = random_automaton(5, 3, random);
  const auto text = random_sample(80, 3, random);
  StateSampler<Counts> sampler(text.view(), first.view(), 0.25F, 9, interrupt);
  for (int sweep = 0; sweep < 30; ++sweep) {
    sampler.sweep();
    if (sweep == 10) sampler.set_concentration(0.05F);
  }
  Automaton uses{std::vector<double>(5), std::vector<double>(5), std::vector<double>(75)};
  sampler.add_uses(uses.initial, uses.final, uses.transitions);
  const auto sum = [](const std::vector<double>& values, std::size_t begin, std::size_t end) {
    double total = 0;
    for (std::size_t k = begin; k < end; ++k) total += values[k];
    return total;
  };
  CHECK(sum(uses.initial, 0, 5) == 80);
  CHECK(sum(uses.final, 0, 5) == 80);
  for (std::size_t a = 0; a < 3; ++a) {
    double times = 0;
    for (const auto b : text.view().symbols) times += at(b) == a ? 1 : 0;
    CHECK(sum(uses.transitions, a * 25, (a + 1) * 25) == times);
  }
}
