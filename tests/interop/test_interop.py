"""Bridges to other packages, as far as they can be tested without those: reading, and complaints.

`test_splearn.py` has the round trips, for an environment with the real package.
"""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from hankelmatch import (
    Alphabet,
    Basis,
    Corpus,
    HankelBlocks,
    SequenceFunction,
    WeightedAutomaton,
    hankel_blocks,
    learn_automaton,
)
from hankelmatch.interop import splearn as interop

VALUES = {"": 0.5, "a": 0.25, "ab": 0.125, "b": 0.0625, "ba": 0.03125}


@pytest.fixture
def blocks():
    f = SequenceFunction.from_dict(VALUES)
    return hankel_blocks(f, Basis(["", "a"], ["", "b"]))


@pytest.fixture
def no_splearn(monkeypatch):
    for name in ("splearn", "splearn.hankel", "splearn.automaton", "splearn.datasets.data_sample"):
        monkeypatch.setitem(sys.modules, name, None)


def like_theirs(blocks, n_words=None):
    """What of their Hankel is read; with counts where there is a number of words."""
    matrices = [matrix.toarray() * (n_words or 1) for matrix in (blocks.H, *blocks.H_sigma)]
    return SimpleNamespace(
        lhankel=matrices, nbL=len(matrices) - 1, nbEx=n_words or -1, build_from_sample=n_words is not None
    )


def test_a_sample_is_read_as_that_package_reads_it():
    letters = np.array([[2.0, -1.0, 0.0], [-1.0, -1.0, -1.0], [1.0, 1.0, -1.0]])
    corpus = interop.from_sample(letters)
    assert list(corpus) == [(2, 0), (), (1, 1)]
    assert corpus.alphabet == Alphabet([0, 1, 2])
    assert list(interop.from_sample(letters, Alphabet("abcd"))) == [("c", "a"), (), ("b", "b")]
    assert list(interop.from_sample(np.zeros((2, 0)))) == [(), ()]


@pytest.mark.parametrize(
    ("sample", "complaint"),
    [
        ([1.0, 2.0], "a word a row"),
        ([["a"]], "a word a row"),
        ([[0.5]], "no whole number"),
        ([[np.nan]], "no whole number"),
        ([[2.0**40]], "no whole number"),
        ([[3.0]], "letter 3 is not one of the 2"),
    ],
)
def test_bad_samples_are_refused(sample, complaint):
    with np.errstate(invalid="ignore"), pytest.raises(ValueError, match=rf"^sample: .*{complaint}"):
        interop.from_sample(sample, Alphabet("ab"))


def test_counts_are_divided_by_the_number_of_words():
    sample = SimpleNamespace(fact={(): 6, (0,): 3, (1, 0): 1}, pref={}, nbL=2, nbEx=2)
    f = interop.counts_from(sample)
    assert dict(f.items()) == {(): 3.0, (0,): 1.5, (1, 0): 0.5}
    assert f.n_sequences == 2
    assert interop.counts_from(sample, alphabet=Alphabet("xy"))("yx") == 0.5
    with pytest.raises(ValueError, match=r"^sample: its dictionary 'pref' is empty"):
        interop.counts_from(sample, "prefix")
    with pytest.raises(ValueError, match=r"^version: 'substring' is unknown; choose one of classic"):
        interop.counts_from(sample, "substring")


def test_lists_have_the_empty_string_first():
    basis = Basis(["ab", "b", ""], ["", "a"])
    assert interop.to_lists(basis) == ([(), (1,), (0, 1)], [(), (0,)])
    assert interop.to_lists(basis, Alphabet("cba"))[0] == [(), (1,), (2, 1)]
    with pytest.raises(ValueError, match=r"^basis: a symbol of its prefixes is not in the alphabet"):
        interop.to_lists(basis, Alphabet("a"))
    with pytest.raises(ValueError, match=r"^basis.suffixes: the empty string is missing"):
        interop.to_lists(Basis([""], ["a"]))


@pytest.mark.parametrize("n_words", [None, 8])
def test_blocks_are_read(blocks, n_words):
    read = interop.from_hankel(like_theirs(blocks, n_words), blocks.basis, blocks.alphabet)
    assert read.n_sequences == n_words
    for a, b in zip([read.H, *read.H_sigma], [blocks.H, *blocks.H_sigma], strict=True):
        assert np.array_equal(a.toarray(), b.toarray())
    assert np.array_equal(read.h_prefix, blocks.h_prefix)
    assert np.array_equal(read.h_suffix, blocks.h_suffix)
    strings = [*VALUES, "bb", "abab"]
    assert np.allclose(learn_automaton(read).values_of(strings), learn_automaton(blocks).values_of(strings))


def test_blocks_that_do_not_fit_are_refused(blocks):
    theirs = like_theirs(blocks)
    with pytest.raises(ValueError, match=r"^basis: it is \(1, 2\), but H is \(2, 2\)"):
        interop.from_hankel(theirs, ([""], ["", "b"]))
    with pytest.raises(ValueError, match=r"2 matrices"):
        interop.from_hankel(theirs, blocks.basis, Alphabet("abc"))
    with pytest.raises(ValueError, match="there is no empty string among the prefixes"):
        interop.from_hankel(theirs, Basis(["b", "a"], ["", "b"]))
    with pytest.raises(ValueError, match=r"^hankel: it has a matrix for the empty string alone"):
        interop.from_hankel(SimpleNamespace(**{**vars(theirs), "lhankel": theirs.lhankel[:1]}), blocks.basis)


def test_blocks_without_a_basis_have_the_empty_string_first():
    H, H_a = [[1.0, 0.5], [0.25, 0.125]], [[0.5, 0.25], [0.125, 0.0625]]
    odd = HankelBlocks.from_matrices(H, [H_a], h_prefix=[0.25, 1.0])
    with pytest.raises(ValueError, match=r"^blocks: without a basis the first row and column of H must be"):
        interop.to_hankel(odd)


def test_blocks_without_the_empty_string_are_refused():
    f = SequenceFunction.from_dict(VALUES)
    for basis, side in ((Basis(["a"], ["", "b"]), "prefixes"), (Basis(["", "a"], ["b"]), "suffixes")):
        with pytest.raises(ValueError, match=rf"^blocks.basis.{side}: the empty string is missing"):
            interop.to_hankel(hankel_blocks(f, basis))


def test_automata_without_states_are_refused():
    empty = WeightedAutomaton([], [], np.zeros((2, 0, 0)))
    with pytest.raises(ValueError, match=r"^automaton: one state and one symbol at least"):
        interop.to_automaton(empty)


@pytest.mark.usefixtures("no_splearn")
def test_what_is_missing_is_refused_with_the_remedy(blocks):
    one = WeightedAutomaton([1.0], [1.0], [[[0.5]]])
    for make in (
        lambda: interop.to_sample(Corpus.from_sequences(["ab"])),
        lambda: interop.to_hankel(blocks),
        lambda: interop.to_automaton(one),
    ):
        with pytest.raises(ImportError, match=r"needs splearn: pip install 'hankelmatch\[splearn\]'"):
            make()


def test_a_numpy_that_it_cannot_work_with_is_refused(monkeypatch):
    for name in ("splearn", "splearn.automaton"):
        monkeypatch.setitem(sys.modules, name, SimpleNamespace(Automaton=None))
    if hasattr(np, "float_"):
        monkeypatch.delattr(np, "float_")
    with pytest.raises(ImportError, match=r"set numpy\.float_ = numpy\.float64 first"):
        interop.to_automaton(WeightedAutomaton([1.0], [1.0], [[[0.5]]]))
