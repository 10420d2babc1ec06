"""Files of automata: exact to the bit, and refused where they are damaged."""

from __future__ import annotations

import numpy as np
import pytest
from hankelmatch._utils.files import save_arrays
from hankelmatch.automata.automaton import WeightedAutomaton
from hankelmatch.automata.recovery import learn_automaton

from .. import reference
from .examples import SMALL, sparse_blocks


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


def test_numpy_numbers_are_saved_too(tmp_path):
    WeightedAutomaton(**SMALL, n_sequences=np.int64(7)).save(tmp_path / "automaton.npz")
    assert WeightedAutomaton.load(tmp_path / "automaton.npz").n_sequences == 7


def test_a_sum_of_weights_beyond_int64_is_kept(tmp_path):
    saved = WeightedAutomaton(**SMALL, n_sequences=10**290)
    saved.save(tmp_path / "automaton.npz")
    assert WeightedAutomaton.load(tmp_path / "automaton.npz").n_sequences == saved.n_sequences == 1e290


def test_saved_file_needs_no_pickle(tmp_path):
    path = tmp_path / "automaton.npz"
    WeightedAutomaton([1.0], [1.0], {"\ud800\n,": [[0.5]], -1: [[0.1]]}).save(path)
    with np.load(path, allow_pickle=False) as archive:
        assert {array.dtype.kind for array in archive.values()} <= set("iuf")
    assert WeightedAutomaton.load(path).alphabet.labels == ("\ud800\n,", -1)


def test_saving_onto_a_device_or_nowhere_is_refused(tmp_path):
    with pytest.raises(ValueError, match="not a regular file"):
        WeightedAutomaton(**SMALL).save("/dev/null")
    with pytest.raises(FileNotFoundError, match=r"there is no folder '.*absent'; make it first"):
        WeightedAutomaton(**SMALL).save(tmp_path / "absent" / "automaton.npz")


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
