"""A probabilistic automaton as a model of the next symbol."""

from __future__ import annotations

import numpy as np

from ...automata.automaton import WeightedAutomaton
from ...sequences.alphabet import Alphabet
from ..distributions.probabilistic_automaton import ProbabilisticAutomaton
from ..language_model import LanguageModel


def history_model(automaton: ProbabilisticAutomaton, alphabet: Alphabet | None = None) -> LanguageModel:
    """The language model of a probabilistic automaton, which predicts from whole histories.

    Parameters
    ----------
    automaton : ProbabilisticAutomaton
        Of plain strings.
    alphabet : Alphabet, optional
        Has the automaton's labels, an end symbol, which is predicted where the automaton ends, and perhaps a
        start symbol, which is read only at the start. Other labels are impossible. By default the
        automaton's labels with ``"</s>"`` and ``"<s>"``.

    Returns
    -------
    LanguageModel
        With ``history="whole"`` and a floor of 0: the automaton's own probabilities.

    Raises
    ------
    ValueError
        If a label is missing, or there is no end symbol.
    """
    if alphabet is None:
        frame = ["</s>", "<s>"]
        alphabet = Alphabet([*automaton.alphabet.labels, *frame], end_symbol="</s>", start_symbol="<s>")
    if alphabet.end_id is None:
        raise ValueError("alphabet: an end symbol is needed, for the automaton says where strings end")
    n = automaton.n_states
    transitions = np.zeros((len(alphabet), n, n))
    for own, label in enumerate(automaton.alphabet.labels):
        transitions[alphabet.id(label)] = automaton.transitions[own]
    transitions[alphabet.end_id] = 0.0
    transitions[alphabet.end_id][:, 0] = automaton.final
    if alphabet.start_id is not None:
        transitions[alphabet.start_id] = np.eye(n)
    # All continuations of a state are worth 1: its value after one more symbol is that symbol's probability.
    weighted = WeightedAutomaton(automaton.initial, np.ones(n), transitions, alphabet)
    return LanguageModel(weighted, 1, history="whole", floor=0.0)
