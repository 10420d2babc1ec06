import numpy as np
import pytest
from hankelmatch import (
    Basis,
    HankelBlocks,
    SequenceFunction,
    full_basis,
    hankel_blocks,
    matching_basis,
    prefix_suffix_graph,
    substring_expectations,
)
from hypothesis import given
from hypothesis import strategies as st

strings = st.text("abc", max_size=5)
functions = st.dictionaries(strings, st.floats(0.1, 9), min_size=1, max_size=12)
bases = st.builds(
    lambda p, s: Basis(sorted(p), sorted(s, reverse=True)),
    st.sets(strings, max_size=8),
    st.sets(strings, max_size=8),
)


def check_blocks(f, basis):
    blocks = hankel_blocks(f, basis)

    def expected(middle=()):
        entries = [[f((*p, *middle, *s)) for s in basis.suffixes] for p in basis.prefixes]
        return np.reshape(entries, basis.shape)

    np.testing.assert_array_equal(blocks.H.toarray(), expected())
    np.testing.assert_array_equal(blocks.h_prefix, [f(p) for p in basis.prefixes])
    np.testing.assert_array_equal(blocks.h_suffix, [f(s) for s in basis.suffixes])
    assert len(blocks.H_sigma) == len(f.alphabet)
    for label, block in zip(f.alphabet.labels, blocks.H_sigma, strict=True):
        np.testing.assert_array_equal(block.toarray(), expected((label,)))
        assert block.has_sorted_indices
        assert block.nnz == np.count_nonzero(block.toarray())


@pytest.mark.slow
@given(functions, bases)
def test_blocks_equal_the_definition_entry_by_entry(values, basis):
    check_blocks(SequenceFunction.from_dict(values), basis)


@pytest.mark.slow
@given(st.lists(st.text("ab", max_size=7), min_size=1, max_size=5), st.integers(0, 5))
def test_blocks_of_substrings_equal_the_definition(sequences, max_length):
    f = substring_expectations(sequences, max_length)
    check_blocks(f, matching_basis(f))
    check_blocks(f, full_basis(f))


def test_what_the_function_does_not_know_is_zero():
    f = SequenceFunction.from_dict({"ab": 2.0})
    blocks = hankel_blocks(f, Basis(["z", "a"], ["b", ("unheard", "of")]))
    assert blocks.H.toarray().tolist() == [[0, 0], [2, 0]]
    assert blocks.h_prefix.tolist() == [0, 0]


def test_the_graph_may_be_handed_over():
    f = substring_expectations(["abab"], 3)
    graph = prefix_suffix_graph(f)
    basis = matching_basis(graph)
    ours, theirs = hankel_blocks(f, basis, graph=graph), hankel_blocks(f, basis)
    assert (ours.H != theirs.H).nnz == 0


def test_the_graph_of_another_function_is_refused():
    f, other = substring_expectations(["abab"], 3), substring_expectations(["abba"], 3)
    with pytest.raises(ValueError, match="graph: it was made of another function"):
        hankel_blocks(f, matching_basis(f), graph=prefix_suffix_graph(other))


def test_blocks_are_compared_and_hashed_by_identity_and_show_their_sizes():
    f = SequenceFunction.from_dict({"ab": 2.0})
    blocks, others = (hankel_blocks(f, Basis(["", "a"], ["b"])) for _ in range(2))
    assert blocks != others
    assert len({blocks, others, blocks.H_sigma, others.H_sigma}) == 4
    assert repr(blocks) == "<HankelBlocks: 2 prefixes, 1 suffixes, 2 symbols, 1 entries>"


def test_a_block_may_be_changed():
    f = substring_expectations(["abab", "ba"], 3)
    blocks = hankel_blocks(f, matching_basis(f))
    before = blocks.H_sigma[0].toarray()
    own = blocks.H_sigma[0]
    own.data[:] = 0
    own.eliminate_zeros()
    np.testing.assert_array_equal(blocks.H_sigma[0].toarray(), before)


def test_what_is_empty_is_refused():
    nothing = np.zeros((0, 3))
    with pytest.raises(ValueError, match="h_suffix: it is needed, since there is no empty string"):
        HankelBlocks.from_matrices(nothing, {"a": nothing})
    with pytest.raises(ValueError, match="alphabet: it has no symbols"):
        hankel_blocks(lambda strings: [1.0] * len(strings), ([()], [()]), [])


def test_symbol_blocks_are_a_sequence():
    f = SequenceFunction.from_dict({"ab": 2.0})
    blocks = hankel_blocks(f, full_basis(f))
    assert [b.nnz for b in blocks.H_sigma[:2]] == [b.nnz for b in blocks.H_sigma]
    assert blocks.H_sigma[-1].shape == blocks.H.shape
