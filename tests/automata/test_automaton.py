"""Weighted automata and their recovery from Hankel blocks."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest
from hankelmatch._utils.files import save_arrays
from hankelmatch.automata._transitions import Transitions
from hankelmatch.automata.automaton import WeightedAutomaton
from hankelmatch.automata.recovery import learn_automaton
from hankelmatch.automata.svd import truncated_svd
from hankelmatch.counting.sequence_function import SequenceFunction
from hankelmatch.hankel.basis import Basis, length_basis
from hankelmatch.hankel.blocks import SymbolBlocks, hankel_blocks
from hankelmatch.sequences.alphabet import Alphabet
from hankelmatch.sequences.strings import Strings
from hypothesis import given, settings
from hypothesis import strategies as st

from .. import reference

FIGURE_1 = {(), tuple("aab"), tuple("b"), tuple("bb"), tuple("c"), tuple("ca"), tuple("cb")}
SMALL = {"initial": [1.0, 0.0], "final": [0.0, 1.0], "transitions": [[[1.0, 1.0], [0.0, 1.0]], np.eye(2)]}


def values_at_length(wa: WeightedAutomaton, length: int) -> np.ndarray:
    """Values of all strings of a length: states after every first half times weights of every second half."""
    states, weights = wa.initial[None], wa.final[:, None]
    for _ in range(length // 2):
        states = np.concatenate([states @ A for A in wa.transitions])
    for _ in range(length - length // 2):
        weights = np.concatenate([A @ weights for A in wa.transitions], axis=1)
    return states @ weights


def learn_exactly(wa: WeightedAutomaton, length: int, **options) -> WeightedAutomaton:
    """Learn from the exact values on all prefixes and suffixes up to a length."""
    basis = reference.all_strings(wa.alphabet.labels, length)
    blocks = reference.blocks_by_hand(wa, basis, basis, wa.alphabet)
    return learn_automaton(blocks, **options)


@pytest.mark.parametrize(
    ("n_states", "n_symbols", "length"),
    [(1, 2, 1), (2, 2, 2), (5, 2, 4), (8, 2, 4), (3, 3, 2), (8, 3, 3), (6, 4, 2), (8, 5, 2)],
)
@pytest.mark.parametrize("method", ["dense", "lanczos", "randomized"])
def test_exact_statistics_give_the_target_back(n_states, n_symbols, length, method):
    target = reference.random_automaton(n_states, n_symbols, seed=n_states)
    learned = learn_exactly(target, length, n_states=n_states, method=method)
    assert learned.n_states == n_states
    assert learned.alphabet == target.alphabet
    for t in range(11):
        assert np.abs(values_at_length(learned, t) - values_at_length(target, t)).max() <= 1e-8


@pytest.mark.parametrize(("n_states", "n_symbols", "length"), [(3, 2, 2), (5, 3, 2), (8, 2, 4), (8, 5, 2)])
def test_exact_from_every_complete_basis(n_states, n_symbols, length):
    """All strings up to a length, or as many of them as there are states, drawn at random; f as a whole."""
    target = reference.random_automaton(n_states, n_symbols, seed=n_symbols)
    strings = reference.all_strings(target.alphabet.labels, 2 * length + 1)
    f = SequenceFunction.from_strings(strings, target.values_of(strings), target.alphabet)
    short = reference.all_strings(target.alphabet.labels, length)
    rng = np.random.default_rng(0)
    drawn = [[short[i] for i in rng.choice(len(short), n_states, replace=False)] for _ in range(2)]
    for basis in (length_basis(f, length), Basis(*drawn)):
        learned = learn_automaton(hankel_blocks(f, basis))
        assert learned.n_states == n_states
        for t in range(11):
            assert np.abs(values_at_length(learned, t) - values_at_length(target, t)).max() <= 1e-8


def test_figure_1():
    basis = [
        [(), ("a",), ("a", "a"), ("a", "a", "b"), ("c",)],
        [(), ("b",), ("a", "b"), ("a", "a", "b"), ("a",)],
    ]
    blocks = reference.blocks_by_hand(lambda x: float(x in FIGURE_1), *basis, Alphabet("abc"))
    learned = learn_automaton(blocks)
    assert learned.n_states == 5
    for x in FIGURE_1:
        assert learned(x) == pytest.approx(1.0, abs=1e-9)


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


@pytest.mark.parametrize("n_rows", [1, 5, 40, 2000])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_few_rows_and_many_go_on_alike(n_rows, dtype):
    """Few have a matrix each at once, many go by groups of one symbol."""
    wa = reference.random_automaton(6, 3, seed=2).astype(dtype)
    rng = np.random.default_rng(1)
    states, symbols = rng.standard_normal((n_rows, 6)), rng.integers(0, 3, n_rows)
    assert wa._transitions.has_few_entries_for(symbols) == (n_rows < 2000)
    after = wa.apply_each(states.astype(dtype), symbols)
    assert after.dtype == wa.apply_each(states, symbols).dtype == dtype
    rows = np.stack([states[i] @ wa.transitions[a] for i, a in enumerate(symbols)])
    np.testing.assert_allclose(after, rows, rtol=1e-4, atol=1e-4)


def sparse_blocks(n_symbols: int = 30, seed: int = 0):
    """Blocks of a sparse function, in which some H_a have many rows, some few, some none."""
    rng = np.random.default_rng(seed)
    alphabet = Alphabet(range(n_symbols))
    f: dict = {}
    for _ in range(400):
        x = tuple(np.minimum(rng.geometric(0.3, rng.integers(0, 5)) - 1, n_symbols - 2).tolist())
        for i in range(len(x) + 1):
            for j in range(i, len(x) + 1):
                f[x[i:j]] = f.get(x[i:j], 0.0) + 1.0
    basis = sorted({x[: len(x) // 2] for x in f} | {x[len(x) // 2 :] for x in f}, key=lambda x: (len(x), x))
    return reference.blocks_by_hand(lambda x: f.get(x, 0.0), basis, basis, alphabet)


def test_dense_and_factored_transitions_agree():
    blocks = sparse_blocks()
    wa = learn_automaton(blocks)
    kept_dense = wa.transitions.dense_slot >= 0
    assert kept_dense.any()
    assert not kept_dense.all()
    U, d, V = truncated_svd(blocks.H)
    full = [np.diag(1 / d) @ U.T @ H_a.toarray() @ V for H_a in blocks.H_sigma]
    states = np.random.default_rng(0).standard_normal((5, wa.n_states))
    for a, expected in enumerate(full):
        np.testing.assert_allclose(wa.transitions[a], expected, atol=1e-10)
        np.testing.assert_allclose(wa.apply(states, a), states @ expected, atol=1e-9)
    W = np.stack([A @ wa.final for A in full], axis=1)
    np.testing.assert_allclose(wa.next_values(states), states @ W, atol=1e-9)
    assert wa.transitions.nbytes < np.stack(full).nbytes
    assert len(list(wa.transitions)) == len(wa.transitions[:]) == wa.n_symbols


@pytest.mark.parametrize("n", [1, 3, 10])
def test_truncating_equals_learning_with_fewer_states(n):
    blocks = sparse_blocks()
    svd = truncated_svd(blocks.H)
    large = learn_automaton(blocks, svd=svd)
    small = large.truncate(n)
    assert small.n_states == n
    for a in range(large.n_symbols):
        np.testing.assert_array_equal(small.transitions[a].shape, (n, n))
        np.testing.assert_allclose(small.transitions[a], large.transitions[a][:n, :n], atol=1e-10)
    learned = learn_automaton(blocks, n, svd=svd)
    strings = reference.all_strings(range(4), 4)
    np.testing.assert_allclose(small.values_of(strings), learned.values_of(strings), atol=1e-8)


@pytest.mark.parametrize("shrinkage", [0.0, 0.01, 3, np.float32(0.5)])
def test_shrinkage_is_ridge_regression_in_the_balanced_factorisation(shrinkage):
    blocks = sparse_blocks()
    svd = truncated_svd(blocks.H)
    root = np.sqrt(svd.singular_values)
    F, B = svd.U * root, svd.V * root
    solve = np.linalg.solve(F.T @ F + float(shrinkage) * np.eye(len(root)), F.T)
    right_inverse = B @ np.linalg.inv(B.T @ B)
    ridge = WeightedAutomaton(
        blocks.h_suffix @ right_inverse,
        solve @ blocks.h_prefix,
        [solve @ matrix.toarray() @ right_inverse for matrix in blocks.H_sigma],
        blocks.alphabet,
    )
    wa = learn_automaton(blocks, svd=svd, shrinkage=shrinkage)
    strings = reference.all_strings(range(4), 4)
    np.testing.assert_allclose(wa.values_of(strings), ridge.values_of(strings), rtol=1e-6, atol=1e-9)
    smaller = learn_automaton(blocks, 5, svd=svd, shrinkage=shrinkage)
    np.testing.assert_allclose(wa.truncate(5).values_of(strings), smaller.values_of(strings), atol=1e-9)


def test_large_alphabets_stay_small():
    """6,722 symbols with 500 states would take 13 GB as matrices."""
    rng = np.random.default_rng(0)
    n_symbols, n_prefixes, n = 6722, 4000, 500
    counts = np.minimum(rng.zipf(2.0, n_symbols), 400)
    rows = np.concatenate([np.sort(rng.choice(n_prefixes, c, replace=False)) for c in counts])
    matrix = reference.random_sparse((len(rows), 600), 0.003, rng)
    blocks = SymbolBlocks(np.append(0, np.cumsum(counts)), rows, matrix, n_prefixes)
    left, B = rng.standard_normal((n_prefixes, n)), rng.standard_normal((600, n))
    transitions = Transitions.from_hankel(blocks, left, B, np.float32)
    assert transitions.nbytes < 13e9 / 20
    a = int(np.argmin(np.abs(counts - 3)))
    part = slice(blocks.offsets[a], blocks.offsets[a + 1])
    expected = left[rows[part]].T @ (matrix[part] @ B)
    np.testing.assert_allclose(transitions[a], expected, rtol=1e-4, atol=1e-4)


def test_float32_is_kept_and_close():
    exact = learn_automaton(sparse_blocks())
    rounded = exact.astype(np.float32)
    assert rounded.dtype == rounded.transitions.dtype == np.float32
    assert exact.dtype == np.float64
    strings = reference.all_strings(range(3), 3)
    np.testing.assert_allclose(rounded.values_of(strings), exact.values_of(strings), atol=1e-2)
    assert learn_automaton(sparse_blocks(), dtype=np.float32).dtype == np.float32


def test_arrays_cannot_be_written():
    wa = WeightedAutomaton(**SMALL)
    for array in (wa.initial, wa.final, wa.transitions[0], wa.transitions.dense):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 2.0


def test_the_callers_arrays_are_its_own():
    given = {name: np.array(values) for name, values in SMALL.items()}
    wa = WeightedAutomaton(**given)
    for array in given.values():
        array[...] = 7.0
    np.testing.assert_array_equal(wa.initial, SMALL["initial"])
    np.testing.assert_array_equal(wa.final, SMALL["final"])
    np.testing.assert_array_equal(wa.transitions[0], SMALL["transitions"][0])


@pytest.mark.parametrize("dtype", [int, complex, np.float16, np.longdouble, "nonsense"])
def test_automata_are_learned_in_float32_or_float64_alone(dtype):
    with pytest.raises(ValueError, match=r"dtype: .* given; float32 or float64 can be used"):
        learn_automaton(sparse_blocks(), 2, dtype=dtype)


@pytest.mark.parametrize("name", ["initial", "final", "transitions"])
def test_what_float32_cannot_hold_is_refused(name):
    values = {"initial": [1.0], "final": [1.0], "transitions": [[[1.0]]]}
    values[name] = (1e300 * np.array(values[name])).tolist()
    with pytest.raises(ValueError, match=f"{name}: an entry is NaN or infinite in float32.*or use float64"):
        WeightedAutomaton(**values).astype(np.float32)


def test_learning_what_float32_cannot_hold_is_refused():
    f = SequenceFunction.from_dict({"": 1e-60, "a": 1.0, "aa": 1e60})
    with pytest.raises(ValueError, match="an entry is NaN or infinite in float32"):
        learn_automaton(hankel_blocks(f, length_basis(f, 0)), dtype=np.float32)


def test_longer_floats_are_rounded_to_float64():
    wide = np.array([1.0, 0.0], np.longdouble)
    assert WeightedAutomaton(wide, wide, SMALL["transitions"]).dtype == np.float64


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_save_and_load_exact_to_the_bit(tmp_path, dtype):
    saved = learn_automaton(sparse_blocks(), 7, dtype=dtype)
    saved.save(tmp_path / "automaton")
    loaded = WeightedAutomaton.load(tmp_path / "automaton")
    assert [p.name for p in tmp_path.iterdir()] == ["automaton"]
    assert loaded.alphabet == saved.alphabet
    assert loaded.dtype == dtype
    assert loaded.n_sequences == saved.n_sequences
    strings = reference.all_strings(range(3), 4)
    np.testing.assert_array_equal(loaded.values_of(strings), saved.values_of(strings))
    for name, array in saved._to_arrays()[1].items():
        np.testing.assert_array_equal(loaded._to_arrays()[1][name], array)


def test_saved_file_needs_no_pickle(tmp_path):
    path = tmp_path / "automaton.npz"
    WeightedAutomaton([1.0], [1.0], {"\ud800\n,": [[0.5]], -1: [[0.1]]}).save(path)
    with np.load(path, allow_pickle=False) as archive:
        assert {array.dtype.kind for array in archive.values()} <= set("iuf")
    assert WeightedAutomaton.load(path).alphabet.labels == ("\ud800\n,", -1)


@pytest.mark.parametrize("content", [b"", b"nonsense", b"PK\x03\x04broken", b"\x93NUMPY\x01\x00"])
def test_damaged_files_are_refused(tmp_path, content):
    path = tmp_path / "automaton.npz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="is damaged or is not a file saved by hankelmatch"):
        WeightedAutomaton.load(path)


def damaged(array: np.ndarray) -> list[np.ndarray | None]:
    """What may stand in a damaged file for an array; None: nothing."""
    out_of_range = np.full_like(array, 99 if array.dtype.kind == "i" else np.nan)
    return [None, array[:-1], array[None], array.astype(complex), out_of_range]


@pytest.mark.parametrize(
    "name", ["initial", "final", "dense", "dense_slot", "left", "offsets", "rows", "right"]
)
@pytest.mark.parametrize("damage", range(5))
def test_damaged_arrays_are_refused(tmp_path, name, damage):
    path = tmp_path / "automaton.npz"
    header, arrays = learn_automaton(sparse_blocks(), 7)._to_arrays()
    arrays[name] = damaged(arrays[name])[damage]
    if arrays[name] is None:
        del arrays[name]
    save_arrays(path, "weighted automaton", 1, header, arrays)
    with pytest.raises(ValueError, match=r"path: .*automaton.npz' is damaged"):
        WeightedAutomaton.load(path)


def test_matrices_that_no_symbol_has_are_refused(tmp_path):
    path = tmp_path / "automaton.npz"
    header, arrays = WeightedAutomaton(**SMALL)._to_arrays()
    arrays["dense"] = np.concatenate([arrays["dense"]] * 2)
    save_arrays(path, "weighted automaton", 1, header, arrays)
    with pytest.raises(ValueError, match=r"is damaged .* dense_slot must give each to one symbol"):
        WeightedAutomaton.load(path)


@pytest.mark.parametrize("change", [{"alphabet": "[]"}, {"alphabet": 3}, {"n_sequences": "x"}])
def test_damaged_headers_are_refused(tmp_path, change):
    path = tmp_path / "automaton.npz"
    header, arrays = learn_automaton(sparse_blocks(), 7)._to_arrays()
    save_arrays(path, "weighted automaton", 1, {**header, **change}, arrays)
    with pytest.raises(ValueError, match=r"path: .*automaton.npz' is damaged"):
        WeightedAutomaton.load(path)


def test_truncated_files_are_refused_and_old_files_survive_errors(tmp_path):
    path = tmp_path / "automaton.npz"
    WeightedAutomaton(**SMALL).save(path)
    whole = path.read_bytes()
    with pytest.raises(TypeError, match="can be saved"):
        WeightedAutomaton([1.0], [1.0], {("a", "tuple"): [[0.5]]}).save(path)
    assert path.read_bytes() == whole
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="is damaged"):
        WeightedAutomaton.load(path)
    assert [p.name for p in tmp_path.iterdir()] == ["automaton.npz"]


def test_saving_onto_a_device_or_nowhere_is_refused(tmp_path):
    with pytest.raises(ValueError, match="not a regular file"):
        WeightedAutomaton(**SMALL).save("/dev/null")
    with pytest.raises(FileNotFoundError, match=r"there is no folder '.*absent'; make it first"):
        WeightedAutomaton(**SMALL).save(tmp_path / "absent" / "automaton.npz")


def test_numpy_numbers_are_saved_too(tmp_path):
    WeightedAutomaton(**SMALL, n_sequences=np.int64(7)).save(tmp_path / "automaton.npz")
    assert WeightedAutomaton.load(tmp_path / "automaton.npz").n_sequences == 7


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


def test_other_errors():
    wa = WeightedAutomaton(**SMALL)
    for n_states in (0, 1.5, 3):
        with pytest.raises(ValueError, match=f"a whole number from 1 to 2 is needed, not {n_states}"):
            wa.truncate(n_states)
    with pytest.raises(ValueError, match=r"dtype: .*int32.* given; float32 or float64"):
        wa.astype(np.int32)
    with pytest.raises(ValueError, match="svd: of a"):
        learn_automaton(sparse_blocks(), svd=truncated_svd(np.eye(2)))
    f = SequenceFunction.from_dict({"ab": 1.0})
    with pytest.raises(ValueError, match="blocks: H is zero; give a basis"):
        learn_automaton(hankel_blocks(f, Basis(["zz"], ["yy"])))
    blocks = hankel_blocks(f, Basis([""], [""]))
    with pytest.raises(ValueError, match="method: 'dense' given beside an SVD"):
        learn_automaton(blocks, svd=truncated_svd(blocks.H), method="dense")
    for shrinkage in (-1.0, math.nan, math.inf, "auto", None, 10**400, np.longdouble("1e400")):
        with pytest.raises(ValueError, match="shrinkage: a finite number from 0 is needed, not "):
            learn_automaton(sparse_blocks(), shrinkage=shrinkage)
    with pytest.raises(TypeError, match="svd: what truncated_svd"):
        learn_automaton(sparse_blocks(), svd=(np.eye(2), np.ones(2), np.eye(2)))


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


@pytest.mark.parametrize("twin_of", [copy.copy, copy.deepcopy, lambda wa: pickle.loads(pickle.dumps(wa))])
def test_copies_are_read_only_too(twin_of):
    wa = WeightedAutomaton(**SMALL, alphabet=Alphabet("ab"))
    twin = twin_of(wa)
    arrays = (twin.initial, twin.final, twin.transitions.dense, twin.transitions.left, twin.transitions.rows)
    assert not any(array.flags.writeable for array in arrays)
    assert twin("aab") == wa("aab")


def test_zero_states_and_zero_symbols():
    empty = WeightedAutomaton([], [], np.zeros((2, 0, 0)), Alphabet("ab"))
    assert empty("ab") == 0.0
    np.testing.assert_array_equal(empty.values_of(["", "a"]), [0.0, 0.0])
    no_symbols = WeightedAutomaton([2.0], [3.0], [], Alphabet(""))
    assert (no_symbols(""), no_symbols("a")) == (6.0, 0.0)
