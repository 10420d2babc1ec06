import numpy as np
import pytest
import scipy.sparse
from hankelmatch import (
    Basis,
    SequenceFunction,
    full_basis,
    length_basis,
    match,
    matching_basis,
    prefix_suffix_graph,
    random_cuts_basis,
    substring_expectations,
    top_norm_basis,
)
from hypothesis import given
from hypothesis import strategies as st

texts = st.lists(st.text("abc", max_size=9), min_size=1, max_size=6)
PAPER = dict.fromkeys(["", "aab", "b", "bb", "c", "ca", "cb"], 1.0)


def test_figure_1_is_the_papers_own_basis():
    basis = matching_basis(SequenceFunction.from_dict(PAPER), method="paper")
    assert set(basis.prefixes) == {(), ("a",), ("a", "a"), ("a", "a", "b"), ("c",)}
    assert set(basis.suffixes) == {(), ("b",), ("a", "b"), ("a", "a", "b"), ("a",)}


@given(texts)
def test_the_matching_basis_holds_the_matched_strings(sequences):
    graph = prefix_suffix_graph(substring_expectations(sequences, 4))
    matching = match(graph, method="heavy")
    basis = matching_basis(graph, matching=matching)
    assert basis.shape == (matching.size, matching.size) == (match(graph).size,) * 2
    assert basis == matching_basis(graph)
    prefixes = graph.prefixes
    assert set(basis.prefixes) == {prefixes[int(r)] for r in np.flatnonzero(matching.row_mate >= 0)}


@given(texts, st.integers(0, 5))
def test_length_basis(sequences, length):
    f = substring_expectations(sequences, 4)
    expected = {x for x, _ in f.items() if len(x) <= length}
    basis = length_basis(f, length)
    assert set(basis.prefixes) == set(basis.suffixes) == expected


@given(texts, st.integers(1, 30), st.integers(0, 3))
def test_random_cuts_have_the_size_asked_for_and_repeat_by_seed(sequences, size, seed):
    f = substring_expectations(sequences, 4)
    basis = random_cuts_basis(f, size, seed)
    assert basis.shape == (min(size, len(f)),) * 2
    assert set(basis.prefixes) <= {x for x, _ in f.items()}
    assert basis == random_cuts_basis(prefix_suffix_graph(f), size, seed)


@pytest.mark.slow
def test_random_cuts_draw_as_drawing_one_by_one_does():
    f = SequenceFunction.from_dict({"ab": 3.0, "c": 1.0})
    firsts = [random_cuts_basis(f, 1, seed).prefixes[0] for seed in range(4000)]
    # "ab" with probability 3/4 and one of 3 cuts, "c" with 1/4 and one of 2.
    expected = {(): 3 / 12 + 1 / 8, ("a",): 3 / 12, ("a", "b"): 3 / 12, ("c",): 1 / 8}
    for prefix, probability in expected.items():
        assert abs(firsts.count(prefix) / 4000 - probability) < 0.04


def test_random_cuts_are_the_same_at_every_scale():
    values = {"": 3.0, "a": 1.0, "ab": 2.0, "ba": 0.5, "b": 1.5}
    bases = [
        random_cuts_basis({x: v * scale for x, v in values.items()}, 3, seed=2) for scale in (1.0, 2.0**-1060)
    ]
    assert bases[0] == bases[1]


def test_top_norm_takes_the_largest_rows_and_columns():
    f = substring_expectations(["abcab", "ab"], 3)
    matrix = prefix_suffix_graph(f).to_csr(weighted=True).toarray()
    graph = prefix_suffix_graph(f)
    basis = top_norm_basis(f, 4)
    for axis, strings, chosen in ((1, graph.prefixes, basis.prefixes), (0, graph.suffixes, basis.suffixes)):
        norms = np.linalg.norm(matrix, axis=axis)
        places = {x: i for i, x in enumerate(strings)}
        found = [norms[places[x]] for x in chosen]
        assert found == sorted(norms, reverse=True)[:4]


@pytest.mark.parametrize("scale", [1e-290, 1e-170, 1e170, 1e290])
def test_top_norms_are_the_same_at_every_scale(scale):
    f = substring_expectations(["abcab", "bb", "bab"], 3)
    other = SequenceFunction.from_strings(f.strings(), f.values() * scale)
    assert top_norm_basis(other, 4) == top_norm_basis(f, 4)


def test_values_of_any_range_are_compared():
    tiny = SequenceFunction.from_dict({"": 1.0, "a": 1e-200, "b": 1e-190, "c": 1e-320})
    assert list(top_norm_basis(tiny, 4).prefixes) == [(), ("b",), ("a",), ("c",)]
    wide = SequenceFunction.from_dict({"": 1e300, "a": 1e-300, "bb": 5e-324})
    assert list(random_cuts_basis(wide, 1).prefixes) == [()]
    assert len(random_cuts_basis(wide, 9).prefixes) == 4


def test_the_full_basis_has_every_node():
    graph = prefix_suffix_graph(SequenceFunction.from_dict(PAPER))
    basis = full_basis(graph)
    assert (basis.prefixes, basis.suffixes) == (graph.prefixes, graph.suffixes)


def test_wrong_arguments_are_named():
    f = SequenceFunction.from_dict(PAPER)
    with pytest.raises(ValueError, match=r"prefixes.*given twice"):
        Basis(["a", ("a",)], [""])
    for length in (-1, 1.5, float("nan"), True):
        with pytest.raises(ValueError, match="length: a whole number from 0 is needed"):
            length_basis(f, length)
    for make in (random_cuts_basis, top_norm_basis):
        for size in (0, 1.5, "2"):
            with pytest.raises(ValueError, match="size: a whole number from 1 is needed"):
                make(f, size)
    for seed in (-1, 0.5):
        with pytest.raises(ValueError, match=f"seed: a whole number from 0 .*is needed, not {seed}"):
            random_cuts_basis(f, 2, seed)


def test_a_method_beside_a_matching_is_refused():
    graph = prefix_suffix_graph({"ab": 1.0})
    with pytest.raises(ValueError, match="method: 'paper' given beside a matching"):
        matching_basis(graph, "paper", matching=match(graph))


def test_a_matching_of_another_graph_is_refused():
    graph = prefix_suffix_graph(SequenceFunction.from_dict(PAPER))
    other = match(prefix_suffix_graph(SequenceFunction.from_dict({"ab": 1.0})))
    with pytest.raises(ValueError, match=r"matching: it is of a \(3, 3\) matrix, but the graph is \(9, 9\)"):
        matching_basis(graph, matching=other)


def test_bases_compare_by_their_strings():
    assert Basis(["", "a"], [""]) == Basis([(), ("a",)], [()])
    assert Basis(["", "a"], [""]) != Basis(["a", ""], [""])


@pytest.mark.parametrize("matrix", [np.eye(2), scipy.sparse.csr_array(np.eye(2))], ids=["dense", "sparse"])
def test_for_a_matrix_the_shortest_road_is_named(matrix):
    with pytest.raises(TypeError, match=r"rows, cols = match\(H\)\.pairs\(\)"):
        matching_basis(matrix)
