"""Round trips with the real scikit-splearn, both ways, on its own data.

It needs numpy below 2, so these tests have an environment of their own; CONTRIBUTING.md says how to make it,
and `.ci/run` does.
"""

from __future__ import annotations

import doctest
from pathlib import Path

import hankelmatch
import numpy as np
import pytest
from hankelmatch import (
    Alphabet,
    Basis,
    Corpus,
    HankelBlocks,
    WeightedAutomaton,
    hankel_blocks,
    learn_automaton,
    length_basis,
    matching_basis,
    prefix_probabilities,
    prefix_suffix_graph,
    read_spice,
    string_probabilities,
    substring_expectations,
)
from hankelmatch.interop import splearn as interop

from .. import reference

pytest.importorskip("splearn", reason="scikit-splearn is not installed: pip install 'hankelmatch[splearn]'")
if not hasattr(np, "float_"):
    pytest.skip("scikit-splearn cannot work with numpy 2", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("default")  # its own deprecations are not ours to fix

import splearn  # noqa: E402
from splearn.datasets.base import load_data_sample  # noqa: E402
from splearn.tests.datasets.get_dataset_path import get_dataset_path  # noqa: E402

SHIPPED = get_dataset_path("3.pautomac_light.train")
N_STRINGS = 1000


def random_words(n_letters: int, longest: int = 8) -> list[tuple[int, ...]]:
    rng = np.random.default_rng(0)
    return [
        tuple(rng.integers(0, n_letters, rng.integers(0, longest + 1)).tolist()) for _ in range(N_STRINGS)
    ]


def their_values(automaton, words) -> np.ndarray:
    return np.array([automaton.val(word) for word in words])


def assert_equal_values(automaton: WeightedAutomaton, theirs, *, rel: float, words=None) -> None:
    """On 1,000 strings, and not all of them zero."""
    words = random_words(theirs.nbL) if words is None else words
    labels = automaton.alphabet.labels
    ours = automaton.values_of([[labels[x] for x in word] for word in words])
    values = their_values(theirs, words)
    assert len(words) == N_STRINGS
    assert np.count_nonzero(values) > N_STRINGS / 2
    assert np.abs(ours - values).max() <= rel * np.abs(values).max()


@pytest.fixture(scope="module")
def sample():
    return load_data_sample(adr=SHIPPED)


@pytest.fixture(scope="module")
def corpus(sample) -> Corpus:
    return interop.from_sample(sample)


@pytest.fixture(scope="module")
def fitted():
    """A fitted estimator, and its sample with the dictionaries that the fit has filled, by version."""
    made = {}

    def fit(version, **options):
        key = (version, str(options))
        if key not in made:
            sample = load_data_sample(adr=SHIPPED)
            settings = {"lrows": 2, "lcolumns": 2, "rank": 5, **options}
            estimator = splearn.Spectral(version=version, partial=True, sparse=True, mode_quiet=True)
            made[key] = estimator.set_params(**settings).fit(sample.data), sample
        return made[key]

    return fit


# ----------------------------------------------------------------------------------------------- samples


def test_their_sample_is_the_corpus_that_we_read(sample, corpus):
    assert corpus == read_spice(SHIPPED, end_symbol=False)
    assert corpus == interop.from_sample(sample.data)
    assert len(corpus) == sample.nbEx == 5000


def test_a_sample_comes_back(sample, corpus):
    back = interop.to_sample(corpus)
    assert type(back) is type(sample.data)
    assert (back.nbL, back.nbEx, back.dtype) == (sample.nbL, sample.nbEx, sample.data.dtype)
    assert np.array_equal(back, sample.data)
    labelled = Corpus.from_sequences(["ba", "", "b"])
    assert interop.to_sample(labelled).tolist() == [[1, 0], [-1, -1], [1, -1]]
    assert interop.from_sample(interop.to_sample(labelled), labelled.alphabet) == labelled


def test_their_estimator_learns_the_same_from_our_sample(corpus, fitted):
    theirs = fitted("classic")[0].automaton
    estimator = splearn.Spectral(rank=5, lrows=2, lcolumns=2, version="classic", mode_quiet=True)
    ours = estimator.fit(interop.to_sample(corpus)).automaton
    words = random_words(4)
    assert np.abs(their_values(ours, words) - their_values(theirs, words)).max() < 1e-12


@pytest.mark.parametrize("version", interop.VERSIONS)
def test_what_they_count_is_what_we_count(fitted, corpus, version):
    """To lengths 2 and 2: whole strings, factors and prefixes up to length 4, suffixes up to 5."""
    theirs = interop.counts_from(fitted(version)[1], version)
    backwards = Corpus.from_sequences([x[::-1] for x in corpus], corpus.alphabet)
    ours = {
        "classic": lambda: string_probabilities(corpus).items(),
        "factor": lambda: substring_expectations(corpus, 4).items(),
        "prefix": lambda: prefix_probabilities(corpus, 4).items(),
        "suffix": lambda: ((x[::-1], value) for x, value in prefix_probabilities(backwards, 5).items()),
    }[version]()
    assert (theirs.n_sequences, theirs.alphabet) == (5000, corpus.alphabet)
    assert dict(theirs.items()) == pytest.approx(dict(ours), rel=1e-12)


# -------------------------------------------------------------------------------------- bases and blocks


@pytest.mark.parametrize("version", ["classic", "factor"])
def test_the_same_basis_and_the_same_matrices(fitted, corpus, version):
    estimator, sample = fitted(version)
    # Of factors they do not count those of length 2 L + 1.
    f = string_probabilities(corpus) if version == "classic" else substring_expectations(corpus, 4)
    lists = interop.to_lists(length_basis(f, 2))
    counted = [sample.data.pref, sample.data.suff] if version == "classic" else [sample.data.fact] * 2
    for ours, counts in zip(lists, counted, strict=True):
        assert ours == sorted((x for x in counts if len(x) <= 2), key=lambda x: (len(x), x))
    ours = hankel_blocks(f, Basis(*lists))
    theirs = interop.from_hankel(estimator.hankel, ours.basis)
    assert_equal_blocks(ours, theirs, rtol=1e-12)
    assert (theirs.n_sequences, theirs.alphabet) == (5000, corpus.alphabet)


def assert_equal_blocks(ours, theirs, *, rtol=0.0) -> None:
    for a, b in zip([ours.H, *ours.H_sigma], [theirs.H, *theirs.H_sigma], strict=True):
        assert a.nnz
        assert np.allclose(a.toarray(), b.toarray(), rtol=rtol, atol=0)
    assert np.allclose(ours.h_prefix, theirs.h_prefix, rtol=rtol, atol=0)
    assert np.allclose(ours.h_suffix, theirs.h_suffix, rtol=rtol, atol=0)


def test_a_matching_basis_as_lists_gives_the_blocks_of_whole_strings(sample, corpus):
    f = string_probabilities(Corpus.from_sequences(corpus[:300], corpus.alphabet))
    basis = matching_basis(f, empty_first=True)
    lrows, lcolumns = interop.to_lists(basis)
    assert (lrows[0], lcolumns[0]) == ((), ())
    words = interop.to_sample(Corpus.from_sequences(corpus[:300], corpus.alphabet))
    estimator = splearn.Spectral(rank=3, lrows=lrows, lcolumns=lcolumns, version="classic", mode_quiet=True)
    theirs = interop.from_hankel(estimator.fit(words).hankel, Basis(lrows, lcolumns))
    assert_equal_blocks(hankel_blocks(f, Basis(lrows, lcolumns)), theirs, rtol=1e-12)


def test_lists_with_factors_are_wrong_there_and_blocks_are_right(corpus):
    """Why blocks are handed over: entries of words that are not in the lists are 0 in their own matrix."""
    f = substring_expectations(corpus, 5)
    basis = Basis([(), (0,), (1,)], [(), (0,), (1,)])
    lrows, lcolumns = interop.to_lists(basis)
    estimator = splearn.Spectral(rank=2, lrows=lrows, lcolumns=lcolumns, version="factor", mode_quiet=True)
    theirs = estimator.fit(interop.to_sample(corpus)).hankel.lhankel[0].toarray()
    blocks = hankel_blocks(f, basis)
    assert theirs[1, 1] == 0 < blocks.H.toarray()[1, 1]
    handed = interop.to_hankel(blocks)
    assert np.array_equal(handed.lhankel[0].toarray(), blocks.H.toarray())


def test_their_factors_lack_the_longest_strings_and_ours_do_not(fitted, corpus):
    f = substring_expectations(corpus, 5)
    blocks = hankel_blocks(f, length_basis(f, 2))
    theirs = interop.from_hankel(fitted("factor")[0].hankel, blocks.basis)
    ours = np.stack([matrix.toarray() for matrix in blocks.H_sigma])
    other = np.stack([matrix.toarray() for matrix in theirs.H_sigma])
    lengths = [side.lengths for side in (blocks.basis.prefixes, blocks.basis.suffixes)]
    longest = np.add.outer(*lengths) == 4
    assert not other[:, longest].any()
    assert ours[:, longest].any()
    assert np.allclose(ours[:, ~longest], other[:, ~longest], rtol=1e-12, atol=0)


@pytest.mark.parametrize("sparse", [True, False])
def test_blocks_come_back(corpus, sparse):
    blocks = hankel_blocks(f := substring_expectations(corpus, 3), length_basis(f, 1))
    hankel = interop.to_hankel(blocks, "factor", sparse=sparse)
    assert isinstance(hankel, splearn.Hankel)
    assert (hankel.nbL, hankel.version, hankel.sparse) == (4, "factor", sparse)
    assert_equal_blocks(blocks, interop.from_hankel(hankel, blocks.basis, blocks.alphabet))


def test_the_empty_string_is_moved_to_the_front(corpus):
    f = substring_expectations(corpus, 3)
    blocks = hankel_blocks(f, Basis([(1,), (), (0,)], [(0,), (1,), ()]))
    first = interop.to_hankel(blocks).lhankel[0].toarray()
    assert np.array_equal(first[0], blocks.h_suffix[[2, 0, 1]])
    assert np.array_equal(first[:, 0], blocks.h_prefix[[1, 0, 2]])
    bare = HankelBlocks.from_matrices(first, [matrix.toarray() for matrix in blocks.H_sigma])
    assert np.array_equal(interop.to_hankel(bare).lhankel[0].toarray(), first)


# ---------------------------------------------------------------------------------------------- automata


@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("rank", [3, 10])
def test_they_learn_from_our_blocks_what_we_learn(corpus, sparse, rank):
    """From the block of a maximum matching of all substrings up to length 5."""
    f = substring_expectations(corpus, 5)
    graph = prefix_suffix_graph(f)
    blocks = hankel_blocks(f, matching_basis(graph, empty_first=True), graph=graph)
    hankel = interop.to_hankel(blocks, sparse=sparse)
    hankel.full_svd__calculation = not sparse  # otherwise a randomized SVD is what differs
    theirs = hankel.to_automaton(rank, mode_quiet=True)
    assert (theirs.type, theirs.nbS) == ("factor", rank)
    assert_equal_values(learn_automaton(blocks, rank), theirs, rel=1e-7)


@pytest.mark.parametrize("version", interop.VERSIONS)
def test_automata_that_they_learned(fitted, version):
    theirs = fitted(version)[0].automaton
    ours = interop.from_automaton(theirs, Alphabet("wxyz"), n_sequences=5000)
    assert ours.n_sequences == 5000
    assert_equal_values(ours, theirs, rel=1e-13)
    assert_equal_values(ours, interop.to_automaton(ours, "classic"), rel=1e-13)


@pytest.mark.parametrize(("n_states", "n_symbols"), [(1, 1), (4, 2), (9, 5)])
def test_automata_of_ours(n_states, n_symbols):
    ours = reference.random_automaton(n_states, n_symbols, seed=n_states)
    theirs = interop.to_automaton(ours, "classic")
    assert isinstance(theirs, splearn.Automaton)
    assert_equal_values(ours, theirs, rel=1e-12)
    back = interop.from_automaton(theirs, ours.alphabet)
    for name in ("initial", "final"):
        assert np.array_equal(getattr(back, name), getattr(ours, name))
    for a, b in zip(back.transitions, ours.transitions, strict=True):
        assert np.array_equal(a, b)


def test_their_example_and_its_versions():
    classic = splearn.Automaton.SimpleExample()
    for target in ("prefix", "factor", "suffix"):
        theirs = classic.transformation(source="classic", target=target)
        assert_equal_values(interop.from_automaton(theirs), theirs, rel=1e-13)
    narrow = interop.from_automaton(classic).astype(np.float32)
    assert_equal_values(narrow, interop.to_automaton(narrow), rel=1e-6)


def test_a_factor_automaton_of_ours_becomes_theirs_for_whole_strings():
    """Their transformation gives the string automaton back from which the substring automaton came."""
    classic = splearn.Automaton.SimpleExample()
    factor = interop.from_automaton(classic.transformation(source="classic", target="factor"))
    back = interop.to_automaton(factor).transformation(source="factor", target="classic")
    words = random_words(2)
    assert np.allclose(their_values(back, words), their_values(classic, words), atol=1e-14)


# ------------------------------------------------------------------------------------------------ its page


def test_the_lines_of_its_page():
    page = Path(__file__).resolve().parents[2] / "docs" / "coming_from" / "splearn.md"
    before, _, block = page.read_text(encoding="utf-8").partition("<!-- with scikit-splearn -->")
    names = {name: getattr(hankelmatch, name) for name in hankelmatch.__all__}
    for example in doctest.DocTestParser().get_examples(before):
        exec(example.source, names)
    exec(block.partition("```py\n")[2].partition("```")[0], names)
    words = random_words(2)
    ours, again = names["ours"], names["again"]
    learned = learn_automaton(names["blocks"], 2).values_of(words)
    assert np.allclose(ours.values_of(words), learned, atol=1e-9)
    assert np.allclose(their_values(again, words), learned, atol=1e-9)
    assert np.array_equal(names["array"], names["sample"])
    assert names["lrows"][0] == names["lcolumns"][0] == ()
