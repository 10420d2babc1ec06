"""Functions that can only be asked: recovered from their answers alone, each string asked for once."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hankelmatch import (
    Alphabet,
    Basis,
    BlackBox,
    Corpus,
    SequenceFunction,
    complete_basis,
    hankel_blocks,
    learn_automaton,
    matching_basis,
    reduce_basis,
)
from hankelmatch._utils.progress import Progress
from hankelmatch.hankel.black_box import all_strings, products
from hankelmatch.sequences.strings import Strings
from hypothesis import given
from hypothesis import strategies as st

from .. import reference


class Hidden:
    """A callable that counts what it is asked."""

    def __init__(self, function):
        self.function = function
        self.asked = []
        self.sizes = []

    def __call__(self, strings):
        assert isinstance(strings, list)
        assert all(isinstance(x, tuple) for x in strings)
        self.asked += strings
        self.sizes.append(len(strings))
        return self.function(strings)


@pytest.mark.parametrize("seed", range(50))
def test_hidden_automata_are_recovered_from_queries_alone(seed):
    n_states, n_symbols = 1 + seed % 10, 1 + seed % 4
    n_states = 2 if n_symbols == 1 else n_states
    target = reference.random_automaton(n_states, n_symbols, seed)
    hidden = Hidden(target.values_of)
    box = BlackBox(hidden, target.alphabet)
    candidates = matching_basis(box.sample(60, max_length=6, seed=seed), empty_first=True)
    blocks = hankel_blocks(box, reduce_basis(box, candidates))
    learned = learn_automaton(blocks)
    assert learned.n_states == n_states
    strings = reference.all_strings(target.alphabet.labels, 6)
    np.testing.assert_allclose(learned.values_of(strings), target.values_of(strings), rtol=0, atol=1e-8)
    assert len(hidden.asked) == len(set(hidden.asked)) == box.n_queries == blocks.n_queries
    n_prefixes, n_suffixes = candidates.shape
    assert box.n_queries <= n_prefixes * n_suffixes * (n_symbols + 1)


@pytest.mark.parametrize("seed", range(10))
def test_completing_needs_no_sample_and_few_queries(seed):
    target = reference.random_automaton(6, 3, seed)
    box = BlackBox(target)
    complete = complete_basis(box, Basis([], []))
    n = complete.numeric_rank
    assert n == 6
    assert complete.shape == (6, 6)
    assert box.n_queries <= (6 + 6 * 3) ** 2
    learned = learn_automaton(hankel_blocks(box, complete))
    strings = reference.all_strings("abc", 6)
    np.testing.assert_allclose(learned.values_of(strings), target.values_of(strings), rtol=0, atol=1e-8)


def test_a_callable_is_completed_and_reduced_by_name_of_its_alphabet():
    target = reference.random_automaton(3, 2, 5)
    complete = complete_basis(target.values_of, ([], []), alphabet="ab")
    reduced = reduce_basis(target.values_of, complete, alphabet="ab")
    assert reduced.shape == complete.shape == (3, 3)
    assert complete.steps[-1].residual < 1e-12
    with pytest.raises(ValueError, match="known_length: a callable has a value for every string"):
        complete_basis(target.values_of, ([], []), known_length=3, alphabet="ab")


strings_of = st.lists(st.text("abc", max_size=4), max_size=6, unique=True)


@pytest.mark.slow
@given(strings_of, strings_of, st.integers(1, 9))
def test_blocks_of_a_callable_equal_those_of_its_values(prefixes, suffixes, batch_size):
    def value(x):
        return len(x) + 10.0 * x.count("a") - 3.0 * (x[:1] == ("b",))

    hidden = Hidden(lambda strings: np.array([[value(x)] for x in strings]))
    box = BlackBox(hidden, "abc", batch_size=batch_size)
    ours = hankel_blocks(box, (prefixes, suffixes))
    expected = [[value((*p, *s)) for s in suffixes] for p in prefixes]
    assert np.array_equal(ours.H.toarray(), np.reshape(expected, ours.H.shape))
    assert ours.h_prefix.tolist() == [value(tuple(p)) for p in prefixes]
    assert ours.h_suffix.tolist() == [value(tuple(s)) for s in suffixes]
    for a in range(3):
        expected = [[value((*p, "abc"[a], *s)) for s in suffixes] for p in prefixes]
        assert np.array_equal(ours.H_sigma[a].toarray(), np.reshape(expected, ours.H.shape))
    assert len(hidden.asked) == len(set(hidden.asked)) == ours.n_queries
    assert max(hidden.sizes, default=0) <= batch_size
    if "" in prefixes and "" in suffixes:
        assert ours.n_queries <= len(prefixes) * len(suffixes) * 4


def test_nothing_is_asked_twice():
    hidden = Hidden(lambda strings: [0.5 ** len(x) for x in strings])
    box = BlackBox(hidden, ["a", ("b", 1)])
    assert box([("b", 1)]) == 0.5
    assert box.values_of([["a"], [("b", 1)], ["a"], []]).tolist() == [0.5, 0.5, 0.5, 1.0]
    assert hidden.asked == [(("b", 1),), ("a",), ()]
    assert box.n_queries == 3
    other_ids = Corpus.from_sequences([[("b", 1), "a"], ["a"]], Alphabet([("b", 1), "a"]))
    assert box.values_of(other_ids).tolist() == [0.25, 0.5]
    assert box.n_queries == 4


def test_functions_of_one_string_and_objects_with_values():
    box = BlackBox(lambda string: np.array([len(string)]), "ab", batched=False)
    assert box.values_of(["", "ab"]).tolist() == [0.0, 2.0]
    target = reference.random_automaton(2, 2, 0)
    box = BlackBox(target)
    assert box.alphabet == target.alphabet
    assert box("ab") == pytest.approx(target("ab"))
    blocks = hankel_blocks(target, (["", "a"], ["", "b"]))
    assert learn_automaton(blocks)("abba") == pytest.approx(target("abba"))
    assert blocks.n_queries == 8  # of 12 entries: a, b, ab and the like stand in two blocks


def test_the_function_may_do_with_its_list_as_it_likes():
    def emptying(strings):
        return [len(strings.pop(0)) for _ in range(len(strings))]

    assert BlackBox(emptying, "ab").values_of(["", "ab"]).tolist() == [0.0, 2.0]


@pytest.mark.parametrize("answer", [[1.0, 2.0], [], 10**400, "a", None])
def test_answers_that_are_no_number_are_refused_with_the_argument(answer):
    with pytest.raises(ValueError, match=r"^function: "):
        BlackBox(lambda string: answer, "ab", batched=False).values_of(["a"])
    with pytest.raises(ValueError, match=r"^function: "):
        BlackBox(lambda strings: [answer for _ in strings], "ab").values_of(["a"])


@pytest.mark.slow
def test_samples_are_distinct_and_repeat_by_seed():
    box = BlackBox(lambda strings: [1.0 + len(x) for x in strings], "ab")
    sample = box.sample(40, 8, seed=3)
    assert len(sample) == 40
    assert sample.max_length <= 8
    assert list(sample.items()) == list(box.sample(40, 8, seed=3).items())
    assert list(sample.items()) != list(box.sample(40, 8, seed=4).items())
    assert len(box.sample(1000, 3)) == 15
    assert len(box.sample(10, 3)) == 10
    assert [x for x, _ in BlackBox(len, "a", batched=False).sample(3, 10**6).items()]
    assert dict(box.restricted_to(["a", "ab", "a"]).items()) == {("a",): 2.0, ("a", "b"): 3.0}


@given(strings_of, strings_of)
def test_products(left, right):
    alphabet = Alphabet("abc")
    found = products(Strings.from_sequences(left, alphabet), Strings.from_sequences(right, alphabet))
    assert list(found) == [tuple(p + s) for p in left for s in right]


def test_all_strings():
    assert list(all_strings(Alphabet("ab"), 3)) == reference.all_strings("ab", 3)
    assert list(all_strings(Alphabet("ab"), 0)) == [()]


def test_progress_is_refused():
    progress = Progress(io.StringIO())
    hankel_blocks(lambda strings: np.ones(len(strings)), ([""], [""]), "ab", progress=progress)
    assert progress.report["queries"]["queries"] == 3
    assert "3 in all" in progress._lines.getvalue()


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda strings: [1.0], r"function: it returned shape \(1,\) for a list of 9 strings"),
        (lambda strings: 1.0, r"function: it returned shape \(\)"),
        (lambda strings: np.ones((len(strings), 2)), r"function: it returned shape \(9, 2\)"),
        (lambda strings: [np.nan] * len(strings), r"function: the value of string \('a', 'c'\) is nan"),
        (lambda strings: [1j] * len(strings), "function: real numbers are needed, not dtype complex"),
        (lambda strings: ["x"] * len(strings), "function: real numbers are needed, not dtype <U1, as 'x'"),
    ],
)
def test_answers_that_are_none_are_refused(answer, message):
    with pytest.raises(ValueError, match=message):
        hankel_blocks(answer, (["a", "ab", "b"], ["c", "cb", "a"]), "abc")


def test_what_cannot_be_asked_is_refused():
    with pytest.raises(TypeError, match="function: a callable is needed, not int"):
        BlackBox(3, "ab")
    with pytest.raises(TypeError, match="alphabet: an Alphabet or a list of labels is needed"):
        hankel_blocks(lambda strings: strings, ([""], [""]))
    with pytest.raises(TypeError, match="alphabet: an Alphabet or a list of labels is needed"):
        BlackBox(len, 3)
    with pytest.raises(ValueError, match="strings: string 0 has a symbol that is not in the alphabet"):
        hankel_blocks(lambda strings: np.ones(len(strings)), (["z"], [""]), "ab")
    with pytest.raises(ValueError, match="alphabet: it is not that of the black box"):
        hankel_blocks(BlackBox(lambda strings: np.ones(len(strings)), "ab"), ([""], [""]), "abc")
    with pytest.raises(TypeError, match="graph: a callable has none"):
        hankel_blocks(lambda strings: np.ones(len(strings)), ([""], [""]), "ab", graph=3)
    for name, value in (("n_strings", 0), ("max_length", -1)):
        arguments = {"n_strings": 2, "max_length": 2, name: value}
        with pytest.raises(ValueError, match=f"{name}: a whole number"):
            BlackBox(lambda strings: np.ones(len(strings)), "ab").sample(**arguments)
    assert not isinstance(SequenceFunction.from_dict({"a": 1.0}), BlackBox)
    with pytest.raises(TypeError, match=r"f: a SequenceFunction is needed.* take BlackBox"):
        matching_basis(lambda strings: np.ones(len(strings)))


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1.0, 1e200, 1e300])
@pytest.mark.parametrize("tol", [1e-10, 1e-17, 0])
def test_completion_ends_whatever_the_scale_and_the_tolerance(scale, tol):
    def function(strings):
        return [scale * (0.5 ** len(x) + 0.3 ** len(x)) for x in strings]

    basis = complete_basis(function, ([""], [""]), tol, alphabet="a")
    assert basis.numeric_rank == 2
    assert reduce_basis(function, basis, alphabet="a").shape == (2, 2)
