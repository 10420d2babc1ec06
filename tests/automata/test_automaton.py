"""Weighted automata: values, states, precision, and arguments that are refused."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hankelmatch.automata.automaton import WeightedAutomaton
from hankelmatch.automata.recovery import learn_automaton
from hankelmatch.sequences.alphabet import Alphabet
from hankelmatch.sequences.strings import Strings
from hypothesis import given, settings
from hypothesis import strategies as st

from .. import reference
from .examples import SMALL, sparse_blocks


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 5),
    st.integers(1, 4),
    st.integers(0, 999),
    st.lists(st.text("abcde", max_size=6), max_size=8),
)
def test_every_way_to_a_value_agrees(n_states, n_symbols, seed, strings):
    wa = reference.random_automaton(n_states, n_symbols, seed)
    known = set(wa.alphabet.labels)
    expected = [reference.automaton_value(wa, x) if set(x) <= known else 0.0 for x in strings]
    np.testing.assert_allclose([wa(x) for x in strings], expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(wa.values_of(strings), expected, rtol=1e-12, atol=1e-12)
    other_ids = Strings.from_sequences(strings, Alphabet("edcbax"))
    np.testing.assert_allclose(wa.values_of(other_ids), expected, rtol=1e-12, atol=1e-12)


def test_unknown_symbols_have_value_zero():
    wa = WeightedAutomaton(**SMALL)
    assert wa([0, 7]) == 0.0
    assert wa("01") == 0.0  # characters, not numbers
    np.testing.assert_array_equal(wa.values_of([[0], [7, 0], [0, 7]]), [1.0, 0.0, 0.0])


def test_constructors_agree():
    matrices = np.array(SMALL["transitions"])
    by_label = WeightedAutomaton([1, 0], [0, 1], {"a": matrices[0], "b": matrices[1]})
    by_array = WeightedAutomaton([1, 0], [0, 1], matrices, Alphabet("ab"))
    by_list = WeightedAutomaton([1, 0], [0, 1], [m.tolist() for m in matrices], Alphabet("ab"))
    reordered = WeightedAutomaton([1, 0], [0, 1], {"b": matrices[1], "a": matrices[0]}, Alphabet("ab"))
    for wa in (by_label, by_array, by_list, reordered):
        assert wa("aba") == 2.0
        assert wa.alphabet.labels == ("a", "b")
        assert wa.dtype == np.float64
    assert WeightedAutomaton(**SMALL).alphabet.labels == (0, 1)


def test_next_values_and_batches():
    wa = reference.random_automaton(4, 3, seed=1)
    states = np.random.default_rng(0).standard_normal((6, 4))
    expected = np.stack([states @ wa.transitions[a] @ wa.final for a in range(3)], axis=1)
    np.testing.assert_allclose(wa.next_values(states), expected)
    symbols = np.array([2, 0, -1, 0, 1, 2])
    rows = [states[i] @ wa.transitions[a] if a >= 0 else np.zeros(4) for i, a in enumerate(symbols)]
    np.testing.assert_allclose(wa.apply_each(states, symbols), rows)
    assert wa.apply_each(states[:0], symbols[:0]).shape == (0, 4)


@pytest.mark.parametrize("form", [np.ndarray.tolist, tuple, np.asmatrix, np.ma.masked_array])
@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_states_and_symbols_in_any_form(form):
    wa = reference.random_automaton(4, 3, seed=1)
    states, symbols = np.eye(4)[:2], np.array([2, -1])
    given = form(states)
    assert wa.apply(given, 1).tolist() == wa.apply(states, 1).tolist()
    assert wa.apply_each(given, symbols.tolist()).tolist() == wa.apply_each(states, symbols).tolist()
    assert wa.next_values(given).tolist() == wa.next_values(states).tolist()
    assert wa.apply(states[0].astype(bool), 1).tolist() == wa.apply(states, 1)[0].tolist()


def test_ids_of_no_symbol():
    wa = WeightedAutomaton([1.0], [1.0], {"a": [[0.5]], "b": [[0.25]]})
    states = np.ones((1, 1))
    assert wa.apply(states, wa.alphabet.get("z")).tolist() == [[0.0]]
    assert wa.apply_each(states, np.array([-1])).tolist() == [[0.0]]
    for symbol in (-2, 2):
        with pytest.raises(ValueError, match=f"symbol: a whole number from -1 to 1 is needed, not {symbol}"):
            wa.apply(states, symbol)
        with pytest.raises(ValueError, match=f"symbols: whole numbers from -1 to 1 are needed, not {symbol}"):
            wa.apply_each(states, np.array([symbol]))


def test_zero_states_and_zero_symbols():
    empty = WeightedAutomaton([], [], np.zeros((2, 0, 0)), Alphabet("ab"))
    assert empty("ab") == 0.0
    np.testing.assert_array_equal(empty.values_of(["", "a"]), [0.0, 0.0])
    no_symbols = WeightedAutomaton([2.0], [3.0], [], Alphabet(""))
    assert (no_symbols(""), no_symbols("a")) == (6.0, 0.0)


def test_float32_is_kept_and_close():
    exact = learn_automaton(sparse_blocks())
    rounded = exact.astype(np.float32)
    assert rounded.dtype == rounded.transitions.dtype == np.float32
    assert exact.dtype == np.float64
    strings = reference.all_strings(range(3), 3)
    np.testing.assert_allclose(rounded.values_of(strings), exact.values_of(strings), atol=1e-2)
    assert learn_automaton(sparse_blocks(), dtype=np.float32).dtype == np.float32


def test_longer_floats_are_rounded_to_float64():
    wide = np.array([1.0, 0.0], np.longdouble)
    assert WeightedAutomaton(wide, wide, SMALL["transitions"]).dtype == np.float64


@pytest.mark.parametrize("name", ["initial", "final", "transitions"])
def test_what_float32_cannot_hold_is_refused(name):
    values = {"initial": [1.0], "final": [1.0], "transitions": [[[1.0]]]}
    values[name] = (1e300 * np.array(values[name])).tolist()
    with pytest.raises(ValueError, match=f"{name}: an entry is NaN or infinite in float32.*or use float64"):
        WeightedAutomaton(**values).astype(np.float32)


def test_arrays_cannot_be_written():
    wa = WeightedAutomaton(**SMALL)
    for array in (wa.initial, wa.final, wa.transitions[0], wa.transitions.dense):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 2.0


@pytest.mark.parametrize("twin_of", [copy.copy, copy.deepcopy, lambda wa: pickle.loads(pickle.dumps(wa))])
def test_copies_are_read_only_too(twin_of):
    wa = WeightedAutomaton(**SMALL, alphabet=Alphabet("ab"))
    twin = twin_of(wa)
    arrays = (twin.initial, twin.final, twin.transitions.dense, twin.transitions.left, twin.transitions.rows)
    assert not any(array.flags.writeable for array in arrays)
    assert twin("aab") == wa("aab")


def test_the_callers_arrays_are_its_own():
    given = {name: np.array(values) for name, values in SMALL.items()}
    wa = WeightedAutomaton(**given)
    for array in given.values():
        array[...] = 7.0
    np.testing.assert_array_equal(wa.initial, SMALL["initial"])
    np.testing.assert_array_equal(wa.final, SMALL["final"])
    np.testing.assert_array_equal(wa.transitions[0], SMALL["transitions"][0])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"initial": [1.0, np.nan]}, "initial: an entry is NaN"),
        ({"final": [1.0, 0.0, 0.0]}, r"final has shape \(3,\)"),
        ({"transitions": [np.eye(3)]}, r"symbol 0 has shape \(3, 3\); \(2, 2\)"),
        ({"transitions": [np.full((2, 2), np.inf)]}, "transitions: an entry is NaN or infinite"),
        ({"initial": np.array([1.0, np.finfo(np.longdouble).max])}, "initial: an entry is NaN or infinite"),
        ({"initial": [1j, 0.0]}, "initial: real numbers are needed, not dtype complex128"),
        ({"final": ["a", "b"]}, "final: real numbers are needed"),
        ({"transitions": [np.eye(2) * 1j]}, "transitions: real numbers are needed"),
        ({"n_sequences": "many"}, "n_sequences: None or a finite number above 0 is needed, not 'many'"),
        ({"transitions": [np.eye(2)], "alphabet": Alphabet("ab")}, "1 matrices for 2 symbols"),
        ({"transitions": {"a": np.eye(2)}, "alphabet": Alphabet("ab")}, r"missing: \['b'\]"),
        ({"transitions": {"z": np.eye(2)}, "alphabet": Alphabet("")}, r"not in the alphabet: \['z'\]"),
    ],
)
def test_constructor_errors(change, message):
    with pytest.raises(ValueError, match=message):
        WeightedAutomaton(**{**SMALL, **change})


@pytest.mark.parametrize(
    ("initial", "final"), [([1.0], [1.0]), ([1.0, 0.0], [1.0]), ([[1.0, 0.0]], [1.0, 0.0])]
)
def test_weights_beside_the_transitions_of_other_automata(initial, final):
    transitions = WeightedAutomaton(**SMALL).transitions
    assert WeightedAutomaton([1.0, 0.0], [0.0, 2.0], transitions)([0]) == 2.0
    with pytest.raises(ValueError, match=r"initial: shape .*one weight for each of 2 states"):
        WeightedAutomaton(initial, final, transitions)


def test_other_errors():
    wa = WeightedAutomaton(**SMALL)
    for n_states in (0, 1.5, 3):
        with pytest.raises(ValueError, match=f"a whole number from 1 to 2 is needed, not {n_states}"):
            wa.truncate(n_states)
    with pytest.raises(ValueError, match=r"dtype: .*int32.* given; float32 or float64"):
        wa.astype(np.int32)
