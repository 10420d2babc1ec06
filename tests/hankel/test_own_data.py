"""Every stage entered with plain Python and numpy; what is of a wrong class is refused by argument."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from hankelmatch import (
    Alphabet,
    Basis,
    HankelBlocks,
    LanguageModel,
    PrefixSuffixGraph,
    SequenceFunction,
    SpectralLearner,
    complete_basis,
    full_basis,
    hankel_blocks,
    learn_automaton,
    length_basis,
    matching_basis,
    prefix_probabilities,
    prefix_suffix_graph,
    random_cuts_basis,
    reduce_basis,
    string_probabilities,
    substring_expectations,
    top_norm_basis,
)
from hypothesis import given
from hypothesis import strategies as st

from .. import reference

VALUES = {"": 0.5, "aab": 0.1, "b": 0.2, "bb": 0.04, "c": 0.05, "ca": 0.06, "cb": 0.05}
F = SequenceFunction.from_dict(VALUES)
PAIR = (list(VALUES), np.array(list(VALUES.values())))
BLOCKS = hankel_blocks(F, matching_basis(F))

texts = st.lists(st.text("abc", max_size=7), min_size=1, max_size=6)


# ------------------------------------------------------------------------------------------- plain values


@pytest.mark.parametrize("given_f", [VALUES, PAIR, F])
@pytest.mark.parametrize(
    "stage",
    [
        matching_basis,
        full_basis,
        lambda f: length_basis(f, 1),
        lambda f: random_cuts_basis(f, 3),
        lambda f: top_norm_basis(f, 3),
        lambda f: complete_basis(f, ([""], [""])),
        lambda f: reduce_basis(f, (["", "a", "c"], ["", "b", "aab"])),
    ],
)
def test_every_stage_takes_plain_values(stage, given_f):
    assert stage(given_f) == stage(F)


@pytest.mark.parametrize("given_f", [VALUES, PAIR])
def test_blocks_and_graphs_of_plain_values(given_f):
    assert prefix_suffix_graph(given_f).shape == (9, 9)
    blocks = hankel_blocks(given_f, (["", "a"], ["", "ab"]))
    assert blocks.H.toarray().tolist() == [[0.5, 0.0], [0.0, 0.1]]
    wider = hankel_blocks(given_f, ([""], [""]), Alphabet("abcd"))
    assert len(wider.H_sigma) == 4
    assert len(hankel_blocks(given_f, ([""], [""]), "cbad").H_sigma) == 4


def test_strings_and_values_as_arrays():
    strings = np.array([[3, 1], [1, 1], [3, 3]])
    f = SequenceFunction.from_strings(strings, np.array([1, 2, 3], np.int8))
    assert f((3, 3)) == 3.0
    assert f.values_of(strings).tolist() == [1.0, 2.0, 3.0]
    assert SequenceFunction.from_strings([np.array([1]), [2]], [Fraction(1, 4), 10**30])((1,)) == 0.25


def test_symbols_may_be_anything_hashable():
    strings = [((0, 1), frozenset("x")), ((0, 1),), ()]
    f = SequenceFunction.from_dict(dict.fromkeys(strings, 1.0))
    automaton = learn_automaton(hankel_blocks(f, matching_basis(f)))
    assert automaton(strings[0]) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ("x", "values: real numbers are needed, not dtype <U1, as 'x'"),
        (1j, "values: real numbers are needed, not dtype complex128"),
        (np.complex64(1), "values: real numbers are needed, not dtype complex64"),
        (None, "values: real numbers are needed, not dtype object, as None"),
        ([1.0], r"values: one for each of the 1 strings is needed, not shape \(1, 1\)"),
        (np.inf, r"values: that of string \('a',\) is inf, not a finite number"),
    ],
)
def test_values_that_are_no_real_numbers(values, message):
    with pytest.raises(ValueError, match=message):
        SequenceFunction.from_dict({"a": values})


def test_values_that_are_masked_or_ragged():
    with pytest.raises(ValueError, match="values: values are masked"):
        SequenceFunction.from_strings(["a", "b"], np.ma.masked_invalid([1.0, np.nan]))
    with pytest.raises(ValueError, match="values: real numbers are needed, in rows of one length"):
        SequenceFunction.from_strings(["a", "b"], [[1.0], [1.0, 2.0]])


# -------------------------------------------------------------------------------------------------- bases


def test_the_empty_string_first():
    basis = Basis([(1, 2), (), (1,)], [(2,)], empty_first=True)
    assert list(basis.prefixes) == [(), (1, 2), (1,)]
    assert list(basis.suffixes) == [(), (2,)]
    assert Basis([], [], empty_first=True) == Basis([()], [()])
    lacking = {"ab": 1.0, "cd": 1.0}
    plain, led = matching_basis(lacking), matching_basis(lacking, empty_first=True)
    assert led == plain.with_empty_first()
    assert led.prefixes[0] == led.suffixes[0] == ()
    assert set(led.prefixes) == {*plain.prefixes, ()}


@given(texts)
def test_an_empty_string_in_front_keeps_the_others(sequences):
    f = substring_expectations(sequences, 3)
    basis = matching_basis(f)
    led = matching_basis(f, empty_first=True)
    for before, after in ((basis.prefixes, led.prefixes), (basis.suffixes, led.suffixes)):
        assert list(after) == [(), *(x for x in before if x)]
    assert hankel_blocks(f, led).H[0, 0] == f("")


# ---------------------------------------------------------------------------------- matrices of one's own


def dense(blocks):
    return [matrix.toarray() for matrix in (blocks.H, *blocks.H_sigma)]


@pytest.mark.parametrize(
    "form",
    [
        np.asarray,
        np.ndarray.tolist,
        scipy.sparse.csr_array,
        scipy.sparse.csc_matrix,
        scipy.sparse.coo_array,
        lambda m: scipy.sparse.csr_array(m.astype(np.float32)),
    ],
)
@pytest.mark.parametrize("by_label", [True, False])
def test_blocks_of_ones_own_matrices(form, by_label):
    H, *sigma = dense(BLOCKS)
    sigma = [form(matrix) for matrix in sigma]
    given_sigma = dict(zip("abc", sigma, strict=True)) if by_label else sigma
    alphabet = None if by_label else Alphabet("abc")
    own = HankelBlocks.from_matrices(
        form(H), given_sigma, BLOCKS.h_prefix, BLOCKS.h_suffix, alphabet=alphabet, basis=BLOCKS.basis
    )
    for ours, theirs in zip(dense(own), dense(BLOCKS), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-7)
    assert np.array_equal(own.H_sigma.rows, BLOCKS.H_sigma.rows)
    automaton = learn_automaton(own)
    for string, value in VALUES.items():
        assert automaton(string) == pytest.approx(value, abs=1e-7)


def test_the_vectors_are_found_in_the_matrix():
    basis = matching_basis(F, empty_first=True)
    blocks = hankel_blocks(F, basis)
    H, *sigma = dense(blocks)
    for own in (None, basis):
        taken = HankelBlocks.from_matrices(H, sigma, basis=own)
        assert np.array_equal(taken.h_prefix, blocks.h_prefix)
        assert np.array_equal(taken.h_suffix, blocks.h_suffix)
        assert taken.alphabet.labels == (0, 1, 2)
    turned = Basis(list(basis.prefixes)[::-1], list(basis.suffixes)[::-1])
    taken = HankelBlocks.from_matrices(H[::-1, ::-1], np.array([m[::-1, ::-1] for m in sigma]), basis=turned)
    assert np.array_equal(taken.h_prefix, blocks.h_prefix[::-1])
    columns = scipy.sparse.csr_array(blocks.h_prefix[:, None])
    assert np.array_equal(HankelBlocks.from_matrices(H, sigma, columns).h_prefix, blocks.h_prefix)


@pytest.mark.parametrize("seed", range(5))
def test_an_automaton_from_matrices_alone(seed):
    target = reference.random_automaton(4, 2, seed)
    basis = reference.all_strings("ab", 3)
    own = reference.blocks_by_hand(target, basis, basis, target.alphabet)
    learned = learn_automaton(HankelBlocks.from_matrices(own.H, list(own.H_sigma)))
    strings = reference.all_strings("ab", 5)
    ids = [[int(a == "b") for a in x] for x in strings]
    np.testing.assert_allclose(learned.values_of(ids), target.values_of(strings), atol=1e-9)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"H": np.eye(2) * 1j}, ValueError, "H: real numbers are needed, not dtype complex128"),
        (
            {"H": scipy.sparse.csr_array(np.eye(2) * 1j)},
            ValueError,
            "H: real numbers are needed, not dtype complex",
        ),
        ({"H": [1.0, 2.0]}, ValueError, "H: 2 dimensions are needed"),
        ({"H": [[1.0, np.nan], [0.0, 1.0]]}, ValueError, "H: an entry is NaN or infinite"),
        ({"H_sigma": 3}, TypeError, "H_sigma: a mapping or a sequence of matrices is needed, not 3"),
        ({"H_sigma": []}, ValueError, "H_sigma: 0 matrices"),
        ({"H_sigma": [np.eye(3)]}, ValueError, r"H_sigma\[0\]: it is \(3, 3\), but H is \(2, 2\)"),
        ({"H_sigma": {"a": [["x", "y"]]}}, ValueError, r"H_sigma\['a'\]: real numbers"),
        ({"alphabet": Alphabet("ab")}, ValueError, "H_sigma: 1 matrices for 2 symbols"),
        ({"alphabet": "a"}, TypeError, "alphabet: 'a' is of type str"),
        ({"H_sigma": {"a": np.eye(2)}, "alphabet": Alphabet("b")}, ValueError, "one matrix for each of the"),
        ({"h_prefix": [1.0]}, ValueError, r"h_prefix: shape \(1,\) given; \(2,\) is needed"),
        ({"h_suffix": ["a", "b"]}, ValueError, "h_suffix: real numbers are needed"),
        ({"basis": Basis(["a"], ["b"])}, ValueError, r"basis: it is \(1, 1\), but H is \(2, 2\)"),
        (
            {"basis": (["a", "b"], ["", "b"])},
            ValueError,
            "h_suffix: it is needed, since there is no empty",
        ),
        (
            {"basis": (["a", ""], ["a", "b"])},
            ValueError,
            "h_prefix: it is needed, since there is no empty",
        ),
        ({"basis": 3}, TypeError, "basis: a Basis or a pair"),
    ],
)
def test_matrices_that_do_not_fit_are_refused(changes, error, message):
    arguments = {"H": np.eye(2), "H_sigma": [np.eye(2)], **changes}
    with pytest.raises(error, match=message):
        HankelBlocks.from_matrices(**arguments)


# ------------------------------------------------------------------------------------------ wrong classes


def test_a_learner_takes_counts_of_ones_own():
    f = substring_expectations(["abab", "ba"], 3)
    own = SequenceFunction.from_dict(dict(f.items()), n_sequences=2)
    assert own.n_sequences == f.n_sequences == 2
    models = [SpectralLearner(3, 3).fit(counts).model_ for counts in (f, own)]
    assert models[0].bits_per_symbol(["abba"]) == models[1].bits_per_symbol(["abba"])
    with pytest.raises(ValueError, match=r"corpus: .* give n_sequences where it is made"):
        SpectralLearner(3, 3).fit(SequenceFunction.from_dict(dict(f.items())))


@pytest.mark.parametrize("n_sequences", [0, -1.5, np.nan, np.inf, True, "many"])
def test_a_number_of_sequences_is_above_zero(n_sequences):
    message = "^n_sequences: None or a finite number above 0 is needed"
    with pytest.raises(ValueError, match=message):
        SequenceFunction.from_dict(VALUES, n_sequences=n_sequences)
    with pytest.raises(ValueError, match=message):
        HankelBlocks.from_matrices([[1.0]], {"a": [[1.0]]}, [1.0], [1.0], n_sequences=n_sequences)


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: prefix_suffix_graph(3), "f"),
        (lambda: prefix_suffix_graph("ab"), "f"),
        (lambda: prefix_suffix_graph(["ab"]), "f"),
        (lambda: PrefixSuffixGraph(3), "function"),
        (lambda: matching_basis(None), "f"),
        (lambda: matching_basis(F, matching=3), "matching"),
        (lambda: full_basis(3), "f"),
        (lambda: length_basis(3, 1), "f"),
        (lambda: random_cuts_basis(3, 1), "f"),
        (lambda: top_norm_basis(3, 1), "f"),
        (lambda: hankel_blocks(3, Basis([""], [""])), "f"),
        (lambda: hankel_blocks(F, 3), "basis"),
        (lambda: hankel_blocks(F, ["a", "b"]), "basis"),
        (lambda: hankel_blocks(F, matching_basis(F), graph=3), "graph"),
        (lambda: reduce_basis(3, matching_basis(F)), "f"),
        (lambda: reduce_basis(F, 3), "basis"),
        (lambda: complete_basis(3, matching_basis(F)), "f"),
        (lambda: complete_basis(F, "ab"), "basis"),
        (lambda: learn_automaton(3), "blocks"),
        (lambda: learn_automaton(BLOCKS, svd=3), "svd"),
        (lambda: LanguageModel(3, 3), "automaton"),
        (lambda: Basis(3, [""]), "prefixes"),
        (lambda: Basis([""], 3), "suffixes"),
        (lambda: Basis("ab", [""]), "prefixes"),
        (lambda: SequenceFunction.from_dict(3), "values"),
        (lambda: SequenceFunction.from_strings(3, [1.0]), "strings"),
        (lambda: SequenceFunction.from_dict({"a": 1.0}, "a"), "alphabet"),
        (lambda: substring_expectations("ab", 2), "corpus"),
        (lambda: substring_expectations(3, 2), "corpus"),
        (lambda: string_probabilities(3), "corpus"),
        (lambda: prefix_probabilities([3]), "corpus"),
        (lambda: SpectralLearner(2, 2).fit(3), "corpus"),
        (lambda: SpectralLearner(2, 2).fit("ab"), "corpus"),
        (lambda: SpectralLearner(2, 2).fit(["ab"], 3), "dev"),
        (lambda: SpectralLearner(2, 2, basis=3).fit(["ab"]), "basis"),
        (lambda: SpectralLearner(2, 2).fit(["ab"]).score(3), "corpus"),
        (lambda: SpectralLearner(2, 2).fit(["ab"], progress=3), "progress"),
    ],
)
def test_what_is_of_a_wrong_class_is_refused_by_its_argument(call, argument):
    with pytest.raises((TypeError, ValueError), match=rf"^{argument}\b") as caught:
        call()
    assert isinstance(caught.value, TypeError) or argument == "basis"


# ------------------------------------------------------------------------------------------------ weights


@given(texts, st.data(), st.integers(0, 5), st.integers(1, 4))
def test_whole_weights_do_as_repeated_sequences_do(sequences, data, max_length, min_count):
    weights = data.draw(st.lists(st.integers(0, 4), min_size=len(sequences), max_size=len(sequences)))
    weights[0] += 1
    repeated = [x for x, w in zip(sequences, weights, strict=True) for _ in range(w)]
    pairs = [
        (
            substring_expectations(sequences, max_length, min_count, sample_weight=weights),
            substring_expectations(repeated, max_length, min_count),
        ),
        (string_probabilities(sequences, sample_weight=weights), string_probabilities(repeated)),
        (
            prefix_probabilities(sequences, max_length, sample_weight=np.array(weights)),
            prefix_probabilities(repeated, max_length),
        ),
    ]
    for ours, theirs in pairs:
        assert dict(ours.items()) == dict(theirs.items())
        assert ours.n_sequences == theirs.n_sequences == len(repeated)
        assert type(ours.n_sequences) is int
        assert set("".join(sequences)) == set(ours.alphabet.labels)
    assert pairs[0][0]._is_closed


def test_weights_that_are_fractions():
    f = substring_expectations(["ab", "b", "c"], 2, sample_weight=[0.5, 0.25, 0])
    assert f.n_sequences == 0.75
    assert dict(f.items()) == {
        (): pytest.approx((0.5 * 3 + 0.25 * 2) / 0.75),
        ("a",): pytest.approx(0.5 / 0.75),
        ("b",): 1.0,
        ("a", "b"): pytest.approx(0.5 / 0.75),
    }


def test_rounding_of_weights_keeps_what_is_frequent_closed_under_substrings():
    # "a" and "ab" occur at the same places, but the sum of "a", in another order, is below 2 by rounding.
    f = substring_expectations(["xab", "ab", "ab"], 2, 2, sample_weight=[0.7, 0.7, 0.6])
    strings = set(f.strings())
    assert all({x[1:], x[:-1]} <= strings for x in strings)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0], r"sample_weight: one for each of the 2 sequences is needed, not shape \(1,\)"),
        (1.0, r"sample_weight: one for each of the 2 sequences"),
        ([1.0, -1.0], "sample_weight: number 1 is -1.0; give finite numbers from 0"),
        ([np.nan, 1.0], "sample_weight: number 0 is nan"),
        ([0, 0], r"sample_weight: their sum is 0; it must be above 0 and at most 1e\+290"),
        ([1e308, 1e308], "sample_weight: their sum is inf"),
        ([4e307, 4e307], r"sample_weight: their sum is 8e\+307"),
        ([1j, 1], "sample_weight: real numbers are needed"),
        (["x", "y"], "sample_weight: real numbers are needed"),
    ],
)
def test_weights_that_are_none_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        substring_expectations(["ab", "b"], 2, sample_weight=weights)
    with pytest.raises(ValueError, match=message):
        SpectralLearner(2, 2).fit(["ab", "b"], sample_weight=weights)
    with pytest.raises(ValueError, match=message):
        SpectralLearner(2, 2).fit(["ab", "b"]).score(["ab", "b"], sample_weight=weights)


def test_a_learner_with_weights_is_that_of_repeated_sequences():
    rng = np.random.default_rng(0)
    sequences = ["".join(rng.choice(list("abc"), rng.integers(1, 9))) for _ in range(40)]
    weights = rng.integers(0, 4, len(sequences))
    repeated = [x for x, w in zip(sequences, weights, strict=True) for _ in range(w)]
    assert Counter(repeated)
    ours = SpectralLearner(3, 5).fit(sequences, sample_weight=weights)
    theirs = SpectralLearner(3, 5).fit(repeated)
    assert ours.score(sequences) == pytest.approx(theirs.score(sequences), abs=1e-6)
    assert ours.score(sequences, sample_weight=weights) == pytest.approx(theirs.score(repeated), abs=1e-6)
    assert ours.model_.n_sequences == len(repeated)


def test_held_out_sequences_keep_their_weights():
    rng = np.random.default_rng(1)
    sequences = ["".join(rng.choice(list("ab"), rng.integers(1, 9))) for _ in range(60)]
    weights = rng.random(60)
    learner = SpectralLearner(3, [2, 3, 4], refit=False, shrinkage=0, mixture=False).fit(
        sequences, sample_weight=weights
    )
    model = learner.model_
    train = SpectralLearner(
        3, learner.n_states_, contexts=model.contexts, mixing=model.mixing, floor=model.floor
    )
    order = np.random.default_rng(0).permutation(60)
    kept, held = np.sort(order[:54]), np.sort(order[54:])
    train.fit([sequences[i] for i in kept], sample_weight=weights[kept])
    bits = -train.score([sequences[i] for i in held], sample_weight=weights[held])
    assert learner.dev_bits_ == pytest.approx(bits, abs=1e-6)
    assert learner.function_.n_sequences == pytest.approx(weights[kept].sum())


def test_a_score_with_weights_is_a_weighted_mean():
    learner = SpectralLearner(2, 2).fit(["ab", "ba", "aab"])
    one, two = learner.score(["ab"]), learner.score(["aab"])
    mean = (2 * 3 * one + 4 * two) / (2 * 3 + 4)
    assert learner.score(["ab", "aab"], sample_weight=[2, 1]) == pytest.approx(mean)
    assert learner.score(["ab", "aab"], sample_weight=[1, 0]) == pytest.approx(one)
