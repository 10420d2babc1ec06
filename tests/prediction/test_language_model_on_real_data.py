"""Language models of real texts: Penn Treebank, and a problem of SPiCe."""

from __future__ import annotations

import numpy as np
import pytest
from hankelmatch.automata.recovery import learn_automaton
from hankelmatch.counting.in_memory import substring_expectations
from hankelmatch.hankel.basis import matching_basis
from hankelmatch.hankel.blocks import hankel_blocks
from hankelmatch.interop.spice import read_spice, read_spice_targets
from hankelmatch.prediction.language_model import LanguageModel
from hankelmatch.prediction.ndcg import ndcg
from hankelmatch.prediction.selection import bits_for_states
from hankelmatch.sequences.corpus import read_text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "contexts", "shrinkage", "bits"),
    [
        ("paper", "longest", 0, 1.760),
        ("heavy", "longest", 4, 1.724),
        ("heavy", "mixed", 0, 1.692),
    ],
)
def test_penn_treebank(data_dir, method, contexts, shrinkage, bits):
    """The paper's own set-up (it reports 1.741), and the default one; n is chosen on the valid part."""
    start = contexts == "mixed"
    parts = {"alphabet": None}
    for part in ("train", "valid", "test"):
        path = data_dir / "ptb" / f"ptb.char.{part}.txt"
        parts[part] = read_text(path, unit="token", start_symbol=start, alphabet=parts["alphabet"])
        parts["alphabet"] = parts["train"].alphabet
    f = substring_expectations(parts["train"], 5)
    blocks = hankel_blocks(f, matching_basis(f, method=method))
    automaton = learn_automaton(blocks, shrinkage=shrinkage / f.n_sequences, dtype=np.float32)
    model = LanguageModel(automaton, 5, contexts=contexts)
    numbers = [1300, automaton.n_states]
    dev_bits = bits_for_states(model, parts["valid"], numbers)
    chosen = model.replace(automaton=automaton.truncate(numbers[int(np.argmin(dev_bits))]))
    assert chosen.bits_per_symbol(parts["test"]) <= bits


def test_spice_verbs(data_dir):
    """Problem 4 of SPiCe at T = 5: mixed contexts with a start symbol rank better than the longest one."""
    folder = data_dir / "spice"
    train = read_spice(folder / "train" / "4.spice.train", start_symbol=True)
    prefixes = list(read_spice(folder / "prefixes" / "4.spice.prefix.public", end_symbol=False))
    targets = read_spice_targets(folder / "targets" / "4.spice.target.public", len(prefixes))
    f = substring_expectations(train, 5)
    model = LanguageModel(learn_automaton(hankel_blocks(f, matching_basis(f)), 300), 5, unseen="skip")
    longest = model.replace(contexts="longest")
    mixed_score = ndcg(model.rankings(prefixes), targets)
    assert mixed_score >= 0.60
    assert mixed_score >= ndcg(longest.rankings(prefixes), targets) + 0.01
