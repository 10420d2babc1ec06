"""Small language models, and what the reference predicts in their place."""

from __future__ import annotations

from hankelmatch.automata.automaton import WeightedAutomaton
from hankelmatch.prediction.language_model import LanguageModel
from hankelmatch.sequences.alphabet import Alphabet

from .. import reference

OPTIONS = [
    {"contexts": "longest", "floor": 0.01},
    {"contexts": "mixed", "floor": 0.0},
    {"contexts": "mixed", "floor": 0.02, "mixing": 0.7},
]


def random_model(seed: int, *, start: bool, window: int, **options) -> LanguageModel:
    """A model over a, b, the end symbol and perhaps the start symbol; scores of either sign."""
    labels = ["a", "<s>", "b", "</s>"] if start else ["a", "b", "</s>"]
    alphabet = Alphabet(labels, end_symbol="</s>", start_symbol="<s>" if start else None)
    wa = reference.random_automaton(3, len(labels), seed)
    wa = WeightedAutomaton(wa.initial, wa.final, wa.transitions, alphabet, n_sequences=20)
    return LanguageModel(wa, window, **options)


def sequences_for(model: LanguageModel, texts: list[str]) -> list[tuple]:
    """Texts with the end symbol, and with the start symbol if the model has one."""
    head = ("<s>",) if model.alphabet.start_id is not None else ()
    return [(*head, *text, "</s>") for text in texts]


def reference_options(model: LanguageModel) -> dict:
    return {
        "contexts": model.contexts,
        "floor": model.floor,
        "mixing": model.mixing,
        "n_sequences": model.n_sequences,
    }


def by_reference(model: LanguageModel, context: tuple) -> list[float]:
    """Probabilities by id of the reference."""
    cut = context[len(context) - min(len(context), model.window - 1) :]
    expected = reference.next_probabilities(model.automaton, cut, **reference_options(model))
    return [expected.get(label, 0.0) for label in model.alphabet.labels]
