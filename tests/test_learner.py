"""The learner: every stage in order, choices made on held-out text, the habits of scikit-learn."""

from __future__ import annotations

import copy
import io
import pickle
import threading

import numpy as np
import pytest
from hankelmatch._utils.progress import Progress
from hankelmatch.automata.recovery import learn_automaton
from hankelmatch.counting.in_memory import substring_expectations
from hankelmatch.hankel.basis import Basis
from hankelmatch.interop.spice import read_spice
from hankelmatch.learner import SpectralLearner
from hankelmatch.learning import search, spectrum, texts
from hankelmatch.learning.stages import factorize
from hankelmatch.matching.like_scipy import structural_rank
from hankelmatch.prediction.mixtures._log_linear_trial import LogLinearTrial
from hankelmatch.prediction.mixtures.n_grams import KneserNeyModel
from hankelmatch.sequences.corpus import Corpus, read_text
from hankelmatch.sequences.sample import sample_text
from hankelmatch.sequences.strings import Strings

SENTENCES = sample_text()[:300]


def plain_learner(*arguments, **options) -> SpectralLearner:
    """A learner whose automaton alone predicts."""
    return SpectralLearner(*arguments, **options, mixture=False)


@pytest.fixture(scope="module")
def learner() -> SpectralLearner:
    return plain_learner(max_length=3).fit(SENTENCES)


def test_the_mixture_is_true_or_false():
    with pytest.raises(ValueError, match="mixture: True or False is needed, not 'none'"):
        SpectralLearner(mixture="none").fit(SENTENCES)


def test_every_stage_is_there_and_they_fit_together(learner):
    f, graph, blocks = learner.function_, learner.graph_, learner.blocks_
    assert graph.n_prefixes == len(f)
    assert learner.matching_.size == structural_rank(graph.to_csr()) == len(learner.basis_.prefixes)
    assert blocks.H.shape == learner.basis_.shape
    assert learner.svd_.n_states <= learner.matching_.size
    assert learner.automaton_.n_states == learner.n_states_ <= learner.svd_.n_states
    assert learner.model_.automaton is learner.automaton_
    stages = ["substrings", "graph", "matching", "blocks", "svd", "states"]
    assert list(learner.report_) == [*stages, "refit"]
    assert list(learner.report_["refit"]["stages"]) == stages[:-1]
    assert learner.report_["refit"]["stages"]["matching"]["vertex_cover"] == learner.matching_.size
    assert all(stage["seconds"] >= 0 for stage in learner.report_.values())


def test_the_choice_is_the_best_of_all_that_was_tried_on_the_held_out_tenth(learner):
    train, dev = Corpus.from_sequences(SENTENCES, end_symbol=True, start_symbol=True).split([0.9, 0.1], 0)
    before = plain_learner(max_length=3, refit=False).fit(SENTENCES)
    assert before.function_.n_sequences == train.n_sequences
    choice = before.model_.contexts, before.n_states_
    assert choice in before.tried_
    assert before.dev_bits_ <= min(before.tried_.values()) * (1 + 1e-4)
    assert before.dev_bits_ == pytest.approx(-before.score(dev), rel=1e-6)
    assert {contexts for contexts, _ in before.tried_} == {"mixed", "longest"}
    numbers = sorted(n for contexts, n in before.tried_ if contexts == choice[0])
    assert numbers[:4] == [1, 2, 4, 8]
    assert numbers[-1] <= before.svd_.n_states
    assert before.tried_ == {
        key: min(trial.bits for trial in before.trials_ if (trial.contexts, trial.n_states) == key)
        for key in before.tried_
    }


def test_the_model_is_learned_again_from_all_sequences(learner):
    before = plain_learner(max_length=3, refit=False).fit(SENTENCES)
    assert (before.is_refitted_, learner.is_refitted_) == (False, True)
    assert (before.dev_bits_, before.tried_) == (learner.dev_bits_, learner.tried_)
    assert learner.function_.n_sequences == len(SENTENCES)
    chosen = {
        "n_states": before.n_states_,
        "shrinkage": before.shrinkage_,
        "contexts": before.model_.contexts,
    }
    assert before.model_.contexts == "mixed"
    by_hand = plain_learner(3, **chosen, mixing=before.model_.mixing).fit(SENTENCES)
    assert learner.score(SENTENCES) == pytest.approx(by_hand.score(SENTENCES), abs=1e-6)
    assert learner.score(SENTENCES) > before.score(SENTENCES)
    assert before.dev_bits_ > -learner.score(SENTENCES)  # it has seen that text


def test_text_to_choose_on_is_learned_from_only_if_that_is_asked():
    train, dev = SENTENCES[:60], SENTENCES[60:90]
    options = {"max_length": 3, "n_states": [5, 10, 20], "unseen": "skip"}
    apart = plain_learner(**options).fit(train, dev=dev)
    assert not apart.is_refitted_
    assert apart.dev_bits_ == pytest.approx(-apart.score(dev), rel=1e-6)
    joint = plain_learner(**options).fit(train, dev=dev, refit_on=train + dev)
    assert joint.is_refitted_
    assert joint.dev_bits_ == apart.dev_bits_
    assert joint.function_.n_sequences == 90
    with pytest.raises(ValueError, match="refit_on: it is for text to choose on that is given as dev"):
        plain_learner(**options).fit(train, refit_on=train)
    with pytest.raises(ValueError, match="refit_on: there is no sequence in it"):
        plain_learner(**options).fit(train, dev=dev, refit_on=[])


def test_the_floor_of_longest_contexts_keeps_its_share_when_all_is_learned_again():
    learner = plain_learner(3, [20, 40], contexts="longest").fit(SENTENCES[:80])
    (share,) = {trial.options["floor_share"] for trial in learner.trials_ if trial.bits == learner.dev_bits_}
    assert learner.model_.floor == pytest.approx(share * learner.model_.replace(floor=None).floor)


def test_few_states_are_enough_where_they_are():
    """The parity of the a's so far, of which two states know everything."""
    rng = np.random.default_rng(0)
    rows = [[*rng.choice(2, 10), None] for _ in range(800)]
    for row in rows:
        row[-1] = f"{sum(row[:10]) % 2} at the end"
    learner = plain_learner(4, min_count=2).fit(rows)
    numbers = sorted(n for _, n in learner.tried_)
    assert learner.n_states_ < 20
    assert learner.stopped_by_ in ("held-out text", "rank")
    assert max(numbers) <= 64


def test_the_search_ends_in_time():
    learner = plain_learner(3, max_seconds=0).fit(SENTENCES[:80])
    assert learner.stopped_by_ == "time"
    assert {n for _, n in learner.tried_} == {1}
    assert learner.n_states_ == 1
    assert plain_learner(3, max_seconds=3600, max_states=4).fit(SENTENCES[:80]).stopped_by_ == "max_states"


def test_more_triplets_are_computed_when_more_states_pay(monkeypatch):
    monkeypatch.setattr(spectrum, "_FULL_SIDE", 10)
    monkeypatch.setattr(spectrum, "_FIRST_TRIPLETS", 8)
    monkeypatch.setattr(spectrum, "_NEARLY_FULL_SIDE", 20)
    asked = []

    def recorded(blocks, n_wanted, setting, progress):
        asked.append(n_wanted)
        return factorize(blocks, n_wanted, setting, progress)

    monkeypatch.setattr(spectrum, "factorize", recorded)
    stepwise = plain_learner(3, refit=False, svd="lanczos").fit(SENTENCES)
    assert asked[:2] == [8, 32]
    assert asked[-1] is None or asked[-1] <= 4 * max(n for _, n in stepwise.tried_)
    monkeypatch.undo()
    at_once = plain_learner(3, refit=False).fit(SENTENCES)
    assert stepwise.dev_bits_ == pytest.approx(at_once.dev_bits_, abs=2e-4)


def test_a_stream_is_cut_into_pieces_for_the_mixture_alone(monkeypatch):
    stream = Corpus.from_sequences([" ".join(SENTENCES)])
    whole = SpectralLearner(3).fit(stream)
    monkeypatch.setattr(texts, "_PIECE", 100)
    cut = SpectralLearner(3).fit(stream)
    assert cut.tried_ == whole.tried_
    assert cut.dev_bits_ == pytest.approx(whole.dev_bits_, rel=0.02)
    corpus = Corpus.from_sequences(["a" * 250, "", "b" * 100])
    pieces = texts.in_pieces(texts.HeldOut(corpus, np.arange(3.0)), corpus.alphabet)
    assert [len(piece) for piece in pieces.corpus] == [100, 100, 50, 0, 100]
    assert pieces.weights.tolist() == [0, 0, 0, 1, 2]
    with_ends = Corpus.from_sequences(["a"], end_symbol=True).alphabet
    sentences = texts.HeldOut(corpus)
    assert texts.in_pieces(sentences, with_ends) is sentences


@pytest.mark.slow
def test_more_triplets_are_not_computed_where_they_help_the_mixture_too_little(monkeypatch):
    monkeypatch.setattr(spectrum, "_FULL_SIDE", 10)
    monkeypatch.setattr(spectrum, "_FIRST_TRIPLETS", 8)
    monkeypatch.setattr(spectrum, "_NEARLY_FULL_SIDE", 20)
    monkeypatch.setattr(search, "_MIXED_FROM", 8)
    mixed = SpectralLearner(4, refit=False, svd="lanczos").fit(SENTENCES)
    alone = SpectralLearner(4, refit=False, svd="lanczos", mixture=False).fit(SENTENCES)
    assert mixed.stopped_by_ == "held-out text"
    assert max(n for _, n in mixed.tried_) == 8  # where the n-grams have all the weight
    assert max(n for _, n in alone.tried_) >= 64
    assert mixed.dev_bits_ < alone.dev_bits_


def test_an_automaton_that_would_take_too_much_memory_is_not_tried(monkeypatch):
    monkeypatch.setattr(spectrum, "_MOST_BYTES", 30_000)
    learner = plain_learner(3).fit(SENTENCES)
    assert learner.stopped_by_ == "memory"
    assert max(n for _, n in learner.tried_) < 20
    assert plain_learner(3, max_states=32).fit(SENTENCES).stopped_by_ == "max_states"


@pytest.mark.parametrize("shrinkage", [0.25, 4.0, 1e300])
def test_a_damped_automaton_is_the_shrunk_one(learner, shrinkage):
    plain = learn_automaton(learner.blocks_, svd=learner.svd_)
    shrunk = learn_automaton(learner.blocks_, svd=learner.svd_, shrinkage=shrinkage)
    damped = spectrum.Damped(plain, learner.svd_.singular_values, shrinkage)
    states = np.random.default_rng(0).normal(size=(3, plain.n_states))
    for symbol in range(3):
        np.testing.assert_allclose(damped.apply(states, symbol), shrunk.apply(states, symbol), atol=1e-12)
    np.testing.assert_allclose(damped.next_values(states), shrunk.next_values(states), atol=1e-12)
    assert np.array_equal(damped.initial, shrunk.initial)


def test_the_mixing_weight_is_the_best_on_the_held_out_text_unless_it_is_given():
    train, dev = SENTENCES[:60], SENTENCES[60:90]
    learner = plain_learner(max_length=5, n_states=40, unseen="skip").fit(train, dev)
    given = plain_learner(max_length=5, n_states=40, unseen="skip", mixing=0.4).fit(train, dev)
    assert given.model_.mixing == 0.4
    assert learner.model_.mixing != 0.4  # so little text says nothing of long contexts
    assert learner.dev_bits_ < given.dev_bits_
    assert learner.dev_bits_ == pytest.approx(-learner.score(dev), rel=1e-6)
    assert plain_learner(max_length=3, n_states=5).fit(train).model_.mixing == 1.5  # nothing to choose on


def test_the_floor_of_longest_contexts_is_the_best_on_the_held_out_text_unless_it_is_given():
    train, dev = SENTENCES[:60], SENTENCES[60:90]
    options = {"max_length": 3, "n_states": 40, "contexts": "longest", "unseen": "skip", "shrinkage": 0}
    learner = plain_learner(**options).fit(train, dev)
    plain = learner.model_.replace(floor=None)
    assert learner.model_.floor != plain.floor
    assert learner.dev_bits_ == pytest.approx(-learner.score(dev), rel=1e-6)
    given = plain_learner(**options, floor=plain.floor).fit(train, dev)
    assert given.model_.floor == plain.floor
    assert given.dev_bits_ > learner.dev_bits_


@pytest.mark.slow
def test_the_shrinkage_is_the_best_on_the_held_out_text_unless_it_is_given():
    train, dev = SENTENCES[:200], SENTENCES[200:]
    options = {"max_length": 4, "n_states": 300, "contexts": "longest", "unseen": "skip"}
    learner = plain_learner(**options).fit(train, dev)
    bits = {}
    for shrinkage in (0, learner.shrinkage_ / 2, learner.shrinkage_, 2 * learner.shrinkage_):
        given = plain_learner(**options, shrinkage=shrinkage).fit(train, dev)
        assert given.shrinkage_ == shrinkage
        assert given.dev_bits_ == pytest.approx(-given.score(dev), rel=1e-6)
        bits[shrinkage] = given.dev_bits_
    assert learner.shrinkage_ >= 2
    assert learner.dev_bits_ == min(bits.values()) < bits[0] - 0.01
    assert learner.report_["states"]["shrinkage"] == learner.shrinkage_
    in_f = learner.shrinkage_ / learner.function_.n_sequences
    by_hand = learn_automaton(learner.blocks_, svd=learner.svd_, shrinkage=in_f)
    values = by_hand.truncate(learner.n_states_).values_of(SENTENCES)
    np.testing.assert_allclose(learner.automaton_.values_of(SENTENCES), values, rtol=0.01, atol=1e-6)


def test_the_mixture_is_no_worse_than_its_parts_on_the_held_out_text():
    learner = SpectralLearner(max_length=3, refit=False).fit(SENTENCES)
    dev = Corpus.from_sequences(SENTENCES, end_symbol=True, start_symbol=True).split([0.9, 0.1], 0)[1]
    n_grams = KneserNeyModel(learner.function_, 3)
    assert learner.dev_bits_ <= n_grams.bits_per_symbol(dev) + 1e-4
    assert learner.dev_bits_ <= learner.window_model_.bits_per_symbol(dev) + 1e-4
    assert learner.dev_bits_ == pytest.approx(learner.model_.bits_per_symbol(dev), rel=1e-6)
    parts = learner.report_["mixture"]["parts"]
    assert sum(part["weight"] for part in parts.values()) == pytest.approx(1)
    assert set(learner.mixture_.weights) <= {"window", "histories", "n-grams"}
    again = learner.mixture_.build(learner.window_model_, learner.function_)
    assert again.bits_per_symbol(dev) == learner.model_.bits_per_symbol(dev)
    alone = SpectralLearner(max_length=3, mixture=False, refit=False).fit(SENTENCES)
    assert alone.mixture_ is None
    assert alone.model_ is alone.window_model_
    assert alone.dev_bits_ == pytest.approx(learner.window_model_.bits_per_symbol(dev), rel=1e-6)


def test_whole_histories_are_mixed_in_where_they_help():
    """Two hidden states that stay long: what came long before helps."""
    rng = np.random.default_rng(0)
    sequences = []
    for _ in range(600):
        state, sequence = int(rng.integers(2)), []
        for _ in range(int(rng.integers(20, 60))):
            state = state if rng.random() < 0.97 else 1 - state
            sequence.append("ab"[int(rng.random() < 0.2) ^ state])
        sequences.append(sequence)
    learner = SpectralLearner(max_length=5, max_states=20).fit(sequences[:500], sequences[500:550])
    assert learner.mixture_.weights["histories"] > 0.5
    assert 2 < learner.mixture_.n_history_states <= 20
    small = SpectralLearner(max_length=5, max_states=2).fit(sequences[:500], sequences[500:550])
    assert small.mixture_.n_history_states == 2
    n_grams = KneserNeyModel(learner.function_, 5)
    test = Corpus.from_sequences(sequences[550:], learner.function_.alphabet, end_symbol=True)
    assert learner.score(test) > -n_grams.bits_per_symbol(test) + 0.01


def test_a_log_linear_mixture_is_chosen_where_held_out_text_says_so(monkeypatch):
    monkeypatch.setattr(LogLinearTrial, "saves_enough", lambda trial, linear: True)
    learner = SpectralLearner(max_length=3, refit=False).fit(SENTENCES)
    assert learner.mixture_.combination == learner.model_.combination == "log-linear"
    dev = Corpus.from_sequences(SENTENCES, end_symbol=True, start_symbol=True).split([0.9, 0.1], 0)[1]
    assert learner.dev_bits_ == pytest.approx(learner.model_.bits_per_symbol(dev), rel=1e-6)
    again = learner.mixture_.build(learner.window_model_, learner.function_)
    assert again.bits_per_symbol(dev) == learner.model_.bits_per_symbol(dev)
    assert "log-linear" in repr(learner.model_)


def test_a_mixture_is_learned_again_from_all_sequences_with_the_same_weights():
    before = SpectralLearner(max_length=3, refit=False).fit(SENTENCES)
    learner = SpectralLearner(max_length=3).fit(SENTENCES)
    assert learner.mixture_ == before.mixture_
    assert learner.function_.n_sequences == len(SENTENCES)
    n_grams = learner.model_.models[list(learner.mixture_.weights).index("n-grams")]
    assert n_grams.n_grams == len(learner.function_) - 1
    assert learner.score(SENTENCES) > before.score(SENTENCES)
    assert list(learner.report_)[-2:] == ["mixture", "refit"]


def test_tiny_weights_of_sequences_do_no_harm():
    weights = [1e-310] * 100
    learner = SpectralLearner(3, 10, unseen="skip").fit(
        SENTENCES[:100], SENTENCES[100:], sample_weight=weights
    )
    assert np.isfinite(learner.dev_bits_)
    assert (
        SpectralLearner(3, 10, shrinkage=1e308).fit(SENTENCES[:100], sample_weight=weights).shrinkage_
        == 1e308
    )


def test_of_a_shrunk_automaton_more_states_are_of_use():
    train, dev = SENTENCES[:200], SENTENCES[200:]
    learner = SpectralLearner(4, contexts="longest", unseen="skip").fit(train, dev)
    unshrunk = [trial for trial in learner.trials_ if trial.shrinkage == 0]
    fewer = min(unshrunk, key=lambda trial: trial.bits).n_states
    assert learner.shrinkage_ > 0
    assert learner.n_states_ > fewer
    assert learner.dev_bits_ == pytest.approx(-learner.score(dev), rel=1e-6)


def test_given_dev_text_nothing_is_held_out():
    learner = SpectralLearner(max_length=2).fit(SENTENCES[50:], SENTENCES[:50])
    assert learner.function_.n_sequences == len(SENTENCES) - 50
    assert learner.dev_bits_ == pytest.approx(-learner.score(SENTENCES[:50]), rel=1e-6)


def test_a_given_number_of_states_needs_no_dev_text():
    learner = SpectralLearner(max_length=3, n_states=20).fit(SENTENCES)
    assert learner.function_.n_sequences == len(SENTENCES)
    assert (learner.n_states_, learner.dev_bits_, learner.tried_) == (20, None, {})
    assert learner.shrinkage_ == 0
    assert SpectralLearner(max_length=3, n_states=20, shrinkage=5.0).fit(SENTENCES).shrinkage_ == 5
    assert learner.model_.contexts == "mixed"


def test_several_numbers_of_states_are_all_tried_and_no_others():
    learner = SpectralLearner(max_length=2, n_states=[5, 10, 20], contexts="longest").fit(SENTENCES)
    assert set(learner.tried_) == {("longest", 5), ("longest", 10), ("longest", 20)}


def test_more_states_than_rank_are_cut_to_it():
    learner = SpectralLearner(max_length=2, n_states=10**6).fit(["ab", "ba"])
    assert learner.n_states_ == learner.svd_.n_states <= learner.matching_.size


def test_max_states_limits_the_search():
    learner = SpectralLearner(max_length=3, max_states=12).fit(SENTENCES)
    assert max(n for _, n in learner.tried_) == 12
    assert learner.report_["svd"]["numeric_rank"] is None


@pytest.mark.parametrize("method", ["paper", "hopcroft-karp", "augmenting-path"])
def test_every_matcher_gives_a_block_of_the_same_size(learner, method):
    other = SpectralLearner(max_length=3, n_states=10, method=method).fit(SENTENCES)
    assert other.matching_.size == learner.matching_.size


@pytest.mark.parametrize(
    ("basis", "size", "shape"),
    [
        ("full", None, None),
        ("length", None, "short"),
        ("length", 1, "short"),
        ("random-cuts", 30, (30, 30)),
        ("top-norm", 30, (30, 30)),
        ("top-norm", None, "matching"),
        (Basis(["", "a"], ["", "b", "c"]), None, (2, 3)),
    ],
)
def test_other_bases(basis, size, shape):
    learner = SpectralLearner(max_length=2, n_states=2, basis=basis, basis_size=size).fit(SENTENCES[:40])
    n_labels = len(learner.function_.alphabet)
    known = {
        None: (learner.graph_.n_prefixes, learner.graph_.n_suffixes),
        "short": (1 + n_labels, 1 + n_labels),
        "matching": learner.matching_ and (learner.matching_.size,) * 2,
    }
    assert learner.blocks_.H.shape == known.get(shape, shape)
    assert (learner.matching_ is not None) == (shape == "matching")


def test_predictions(learner):
    assert learner.predict("Th") == "e"
    assert learner.predict(("T", "h")) == "e"
    assert learner.predict(["Th", ("T", "h"), ["T", "h"]]) == ["e", "e", "e"]
    assert learner.predict([]) == []


def test_end_and_start_symbols_are_put_around_sequences_in_whatever_form_they_come():
    rows = [[1, 2, 1], [2, 1]] * 3
    assert SpectralLearner(2, 3).fit(rows).function_.alphabet.labels == (1, 2, "</s>", "<s>")
    assert SpectralLearner(2, 3, start_symbol=False).fit(rows).function_.alphabet.labels == (1, 2, "</s>")
    bits = []
    for form in (
        rows,
        Strings.from_sequences(rows),
        Corpus.from_sequences(rows),
        Corpus.from_sequences(rows, end_symbol=True),
        Corpus.from_sequences(rows, start_symbol=True),
        [["<s>", *row, "</s>"] for row in rows],
    ):
        learner = SpectralLearner(2, 3).fit(form)
        assert learner.function_.alphabet.labels[:2] == (1, 2)
        assert (learner.model_.alphabet.end_symbol, learner.model_.alphabet.start_symbol) == ("</s>", "<s>")
        bits += [learner.score(rows), learner.score(form)]
    assert np.ptp(bits) < 1e-6
    assert SpectralLearner(2, 3, end_symbol=0).fit(rows).predict([[2, 1]])[0] in (0, 1, 2)


def test_the_recipe_for_spice_has_a_start_symbol(tmp_path):
    path = tmp_path / "train"
    path.write_text("3 2\n3 0 1 0\n2 1 0\n1 0\n", encoding="ascii")
    learner = SpectralLearner(2, 3).fit(read_spice(path))
    assert (learner.model_.alphabet.end_symbol, learner.model_.alphabet.start_symbol) == (-1, "<s>")
    marked = SpectralLearner(2, 3, start_symbol=-2).fit(read_spice(path, start_symbol=True))
    assert learner.score(read_spice(path)) == pytest.approx(marked.score(read_spice(path)))


def test_a_stream_stays_as_it_is():
    stream = Corpus.from_sequences(["ababba" * 5])
    assert SpectralLearner(2, 3).fit(stream).function_.alphabet == stream.alphabet
    assert SpectralLearner(2, 3, end_symbol="$").fit(stream).function_.alphabet.labels == ("a", "b", "$")


@pytest.mark.parametrize(
    ("parameters", "corpus", "message"),
    [
        (
            {"start_symbol": False},
            Corpus.from_sequences(["ab", "ba"], start_symbol=True),
            "start_symbol: False given, but the corpus has '<s>' already, which stays; read the text with "
            "start_symbol=False, or give the learner start_symbol='<s>'",
        ),
        (
            {"end_symbol": "$"},
            Corpus.from_sequences(["ab", "ba"], end_symbol=True),
            r"end_symbol: '\$' given, but the corpus has '</s>' already, which stays",
        ),
        (
            {},
            substring_expectations(Corpus.from_sequences(["ab", "ba"], end_symbol=True), 2),
            "start_symbol: True given, but the counts in corpus have none; count a text with "
            "start_symbol=True, or give the learner start_symbol=False",
        ),
    ],
)
def test_a_boundary_symbol_that_cannot_be_had_is_warned_of(parameters, corpus, message):
    with pytest.warns(UserWarning, match=message) as caught:
        SpectralLearner(2, 3, **parameters).fit(corpus)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_symbols_that_training_never_saw():
    with pytest.raises(ValueError, match=r"not in the .*alphabet"):
        SpectralLearner(2, 3).fit(["ab", "ba"]).score(["abz"])
    assert SpectralLearner(2, 3, unseen="skip").fit(["ab", "ba"]).score(["abz"]) < 0


def test_a_single_long_sequence_is_held_out_in_pieces():
    learner = SpectralLearner(max_length=3).fit(Corpus.from_sequences([" ".join(SENTENCES[:50])]))
    assert learner.dev_bits_ is not None
    assert learner.function_.n_sequences == 1


def test_the_same_seed_gives_the_same_model():
    one, two = (SpectralLearner(3, [10, 20], seed=5, basis="random-cuts").fit(SENTENCES) for _ in range(2))
    assert np.array_equal(one.automaton_.initial, two.automaton_.initial)
    assert one.tried_ == two.tried_


@pytest.mark.parametrize(
    ("parameters", "corpus", "message"),
    [
        ({"basis": "best"}, SENTENCES, "basis: 'best' is unknown; choose one of matching"),
        ({"contexts": "both"}, SENTENCES, "contexts: 'both' is unknown"),
        ({"max_length": 0}, SENTENCES, "max_length: a whole number from 1"),
        ({"n_states": 0}, SENTENCES, "n_states: 0 given"),
        ({"n_states": "many"}, SENTENCES, "n_states: 'many' given"),
        ({"n_states": []}, SENTENCES, r"n_states: \[\] given"),
        ({"n_states": 2.5}, SENTENCES, "n_states: 2.5 given"),
        ({"n_states": True}, SENTENCES, "n_states: True given"),
        ({"max_states": 0}, SENTENCES, "max_states: a whole number from 1"),
        ({"svd": "fast"}, SENTENCES, "'fast' is unknown"),
        ({}, ["ab", "c"], "corpus: 2 sequences of 7 symbols are too few to hold out a tenth"),
        ({}, [], "corpus: there is no sequence in it; give at least one to learn from"),
        ({"n_states": 3}, [], "corpus: there is no sequence in it"),
        ({"n_states": 3, "end_symbol": False, "start_symbol": False}, [""], "it has no symbols"),
    ],
)
def test_what_cannot_be_learned_is_refused(parameters, corpus, message):
    with pytest.raises(ValueError, match=message):
        SpectralLearner(**parameters).fit(corpus)


def test_nothing_to_predict_with_before_fit():
    with pytest.raises(ValueError, match="call fit first"):
        SpectralLearner().predict("a")


def test_parameters_are_read_and_set_by_name():
    learner = SpectralLearner(max_length=4, contexts="mixed")
    parameters = learner.get_params()
    assert parameters["max_length"] == 4
    clone = SpectralLearner(**parameters)
    assert clone.get_params() == parameters
    assert clone.set_params(n_states=7) is clone
    assert repr(clone) == "SpectralLearner(max_length=4, n_states=7, contexts='mixed')"
    assert copy.deepcopy(clone).get_params() == clone.get_params()
    with pytest.raises(ValueError, match="'size' is no parameter of SpectralLearner; there are max_length"):
        clone.set_params(size=3)


def test_verbose_reports_stages_on_the_error_stream(capsys):
    SpectralLearner(max_length=2, n_states=3, verbose=True).fit(["abab", "ba"])
    out, err = capsys.readouterr()
    assert out == ""
    stages = [line.split()[0] for line in err.splitlines()]
    assert stages == ["substrings", "graph", "matching", "blocks", "svd", "states"]
    SpectralLearner(max_length=2, n_states=3).fit(["abab", "ba"])
    assert capsys.readouterr() == ("", "")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_passing_line_is_for_terminals_only():
    terminal, file = Terminal(), io.StringIO()
    for stream in (terminal, file):
        with Progress(passing=stream).stage("counting") as stage:
            stage.show("half way")
    assert "counting: half way" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[K")
    assert file.getvalue() == ""


def test_a_long_stage_gives_signs_of_life(monkeypatch):
    class Watched(Terminal):
        told = threading.Event()

        def write(self, text):
            if text.endswith("counting: half way 0 s"):
                self.told.set()
            return super().write(text)

    monkeypatch.setattr("hankelmatch._utils.progress._TICK", 0.01)
    with Progress(passing=Watched()).stage("counting") as stage:
        stage.show("half way")
        assert Watched.told.wait(60)


def test_a_stage_that_fails_leaves_no_line():
    lines, terminal = io.StringIO(), Terminal()
    progress = Progress(lines, terminal)
    with pytest.raises(KeyError), progress.stage("counting"):
        raise KeyError
    assert lines.getvalue() == ""
    assert terminal.getvalue().endswith("\r\x1b[K")
    assert progress.report == {}


def test_part_of_speech_tags(data_dir):
    train, dev, test = (
        read_text(data_dir / "pos" / f"ewt.tags.{name}.txt", "token", start_symbol=True)
        for name in ("train", "dev", "test")
    )
    learner = SpectralLearner(max_length=4).fit(train, dev)
    assert -learner.score(test) < 2.75
    assert learner.window_model_.contexts == "mixed"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_length": "3"}, "max_length: a whole number from 1 is needed, not '3'"),
        ({"max_length": None}, "max_length: a whole number from 1 is needed, not None"),
        ({"min_count": 0}, "min_count: a whole number from 1"),
        ({"basis_size": 1.5}, "basis_size: a whole number from 0"),
        ({"seed": -1}, "seed: a whole number from 0 is needed, not -1"),
        ({"svd": "best"}, "svd: 'best' is unknown; choose one of auto, dense"),
        ({"unseen": "ask"}, "unseen: 'ask' is unknown; choose one of error, skip"),
        ({"contexts": None}, "contexts: None is unknown"),
        ({"method": None}, "method: None is unknown; choose one of auto, .*heavy"),
        ({"method": "nonsense"}, "method: 'nonsense' is unknown"),
        ({"mixing": float("nan")}, "mixing: 'auto' or a finite number above 0 is needed, not nan"),
        ({"mixing": None}, "mixing: .* is needed, not None"),
        ({"shrinkage": -1}, "shrinkage: 'auto' or a finite number from 0 is needed, not -1"),
        ({"shrinkage": "much"}, "shrinkage: .* is needed, not 'much'"),
        ({"shrinkage": 10**400}, "shrinkage: .* is needed, not 10*"),
        ({"floor": 10**400}, "floor: .* is needed, not 10*"),
        ({"floor": float("inf")}, "floor: None or a finite number from 0 is needed, not inf"),
        ({"floor": -1.0}, "floor: .* is needed, not -1.0"),
        ({"floor": 0, "contexts": "longest"}, "floor: None or a finite number above 0 is needed, not 0"),
        ({"basis": "top-norm", "basis_size": 0}, "basis_size: a whole number from 1 is needed, not 0"),
        ({"dtype": int}, "dtype: <class 'int'> given; float32 or float64 can be used"),
        ({"dtype": "complex"}, "dtype: 'complex' given"),
        ({"n_states": np.array([2, 0])}, "n_states: .* given; give 'auto', or numbers from 1 up"),
    ],
)
def test_parameters_are_checked_before_the_work(parameters, message):
    report = Progress()
    with pytest.raises(ValueError, match=message):
        SpectralLearner(**parameters).fit(SENTENCES, progress=report)
    assert report.report == {}


def test_numbers_of_states_may_be_an_array():
    learner = SpectralLearner(2, np.array([2, 4])).fit(SENTENCES)
    assert {n for _, n in learner.tried_} == {2, 4}
    assert repr(learner) == "SpectralLearner(max_length=2, n_states=array([2, 4]))"


def test_a_length_beyond_every_text_means_all():
    assert SpectralLearner(10**20, 2).fit(["ab", "ba"]).predict("a") in ("b", "</s>")


def test_a_basis_that_the_text_lacks_is_told():
    basis = Basis([("z", "z")], [("y", "y")])
    with pytest.raises(ValueError, match="H is zero; give a basis"):
        SpectralLearner(2, 1, basis).fit(["ab"])


def test_what_was_learned_survives_a_fit_that_fails():
    learner = SpectralLearner(2, 2).fit(["abab", "ba"])
    before = learner.__dict__.copy()
    learner.basis = (["q"], ["q"])
    with pytest.raises(ValueError, match="H is zero"):
        learner.fit(["xyx", "yy"])
    assert learner.__dict__ == before | {"basis": learner.basis}


def test_a_fitted_learner_can_be_copied_and_pickled(learner):
    for twin in (copy.deepcopy(learner), pickle.loads(pickle.dumps(learner))):
        assert twin.predict("The") == learner.predict("The")
        assert list(twin.function_.items()) == list(learner.function_.items())


@pytest.mark.parametrize("contexts", [5, np.array([1, 2])])
def test_what_is_no_context_is_told(contexts):
    learner = SpectralLearner(2, 2).fit([[1, 2], [2, 1]])
    with pytest.raises(TypeError, match="contexts: a str or a tuple of symbols is one context"):
        learner.predict(contexts)
    assert len(learner.predict(np.array([[1, 2], [2, 1]]))) == 2
    # After each of these letters there is one symbol only, so that rounding cannot choose another.
    assert SpectralLearner(2, 4).fit(["abc"]).predict(np.array(["a", "b"])) == ["b", "c"]


def test_an_empty_text_to_choose_on_is_told():
    with pytest.raises(ValueError, match=r"^dev: there is no symbol"):
        SpectralLearner(2).fit(["abab"] * 3, [])


def test_classes_are_ignored_but_a_corpus_is_text_to_choose_on():
    sequences, dev = ["abab", "ba", "aab"] * 10, Corpus.from_sequences(["abba"], end_symbol=True)
    plain = SpectralLearner(3).fit(sequences)
    for y in (["spam", "ham", "spam"] * 10, [0, 1, 0] * 10, None):
        assert SpectralLearner(3).fit(sequences, y).tried_ == plain.tried_
    chosen = SpectralLearner(3).fit(sequences, dev=dev)
    for text in (dev, ["abba"]):
        assert SpectralLearner(3).fit(sequences, text).tried_ == chosen.tried_ != plain.tried_
    with pytest.raises(ValueError, match="y: text to choose on is given beside dev"):
        SpectralLearner(3).fit(sequences, dev, dev=dev)


def test_a_word_is_no_context_of_characters():
    learner = SpectralLearner(3, 2, unseen="skip").fit([["the", "cat"], ["a", "dog"]])
    with pytest.raises(ValueError, match=r"contexts: a list of words as .* may be one context or many"):
        learner.predict(["the"])
    assert learner.predict(("the",)) == "cat"


def test_what_is_said_of_the_number_of_states(capsys):
    for n_states, said in (
        (2, "2, as asked for"),
        (10_000, ", all there are"),
        ("auto", ", best on held-out text of "),
    ):
        learner = SpectralLearner(2, n_states, unseen="skip", verbose=True)
        learner.fit(SENTENCES[:50], dev=SENTENCES[50:60])
        assert said in capsys.readouterr().err
