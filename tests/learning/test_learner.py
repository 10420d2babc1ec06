"""The learner: its stages fit together, and what it reports."""

from __future__ import annotations

import io
import threading

import numpy as np
import pytest
from hankelmatch._utils.progress import Progress
from hankelmatch.hankel.basis import Basis
from hankelmatch.learner import SpectralLearner
from hankelmatch.matching.like_scipy import structural_rank
from hankelmatch.sequences.corpus import Corpus, read_text

from .learners import SENTENCES, plain_learner


def test_the_mixture_is_true_or_false():
    with pytest.raises(TypeError, match="mixture: True or False is needed, not 'none'"):
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
        reported = threading.Event()

        def write(self, text):
            if text.endswith("counting: half way 0 s"):
                self.reported.set()
            return super().write(text)

    monkeypatch.setattr("hankelmatch._utils.progress._TICK", 0.01)
    with Progress(passing=Watched()).stage("counting") as stage:
        stage.show("half way")
        assert Watched.reported.wait(60)


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
