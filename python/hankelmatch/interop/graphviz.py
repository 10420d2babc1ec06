"""Automata as graphs in the language of Graphviz."""

from collections.abc import Sequence

from .._utils.validation import checked_number, checked_whole
from ..automata.automaton import WeightedAutomaton
from ..prediction.distributions.probabilistic_automaton import ProbabilisticAutomaton
from ._automaton_text import as_weighted, entries_above, symbol_names


def to_dot(
    automaton: WeightedAutomaton | ProbabilisticAutomaton,
    *,
    threshold: float = 0.0,
    digits: int = 3,
    labels: Sequence[str] | None = None,
) -> str:
    """The automaton as a graph in the language of Graphviz.

    Parameters
    ----------
    automaton : WeightedAutomaton or ProbabilisticAutomaton
    threshold : float
        Leave out transitions, initial and final weights up to this size.
    digits : int
        Significant digits of the weights, 1 to 17.
    labels : sequence of str, optional
        What to write for each symbol, by id; by default ``str(label)``.

    Returns
    -------
    str
        A node for each state with its number, initial and final weight; an edge between two states with a
        line for each symbol. ``dot -Tsvg`` draws it.

    Raises
    ------
    ValueError
        If there is not one label for each symbol, or `digits` is out of its range.
    TypeError
        If `automaton` is of another class.

    Examples
    --------
    >>> from hankelmatch import WeightedAutomaton, to_dot
    >>> coin = WeightedAutomaton([1.0], [0.25], {"a": [[0.5]], "b": [[0.25]]})
    >>> print(to_dot(coin), end="")
    digraph automaton {
      rankdir = LR;
      node [shape = circle];
      0 [label = "0\\nin 1\\nout 0.25", shape = doublecircle];
      0 -> 0 [label = "a: 0.5\\nb: 0.25"];
    }
    """
    automaton = as_weighted(automaton)
    digits = checked_whole("digits", digits, 1, 17)
    threshold = checked_number("threshold", threshold)
    names = symbol_names(automaton.alphabet, labels)
    lines = ["digraph automaton {", "rankdir = LR;", "node [shape = circle];"]
    for i, (initial, final) in enumerate(zip(automaton.initial, automaton.final, strict=True)):
        parts = [("in", initial), ("out", final)]
        text = [str(i), *(f"{name} {w:.{digits}g}" for name, w in parts if abs(w) > threshold)]
        shape = ", shape = doublecircle" if abs(final) > threshold else ""
        lines.append(f"{i} [label = {_quoted(text)}{shape}];")
    edges: dict[tuple[int, int], list[str]] = {}
    for a, i, j, w in entries_above(automaton.transitions, threshold):
        edges.setdefault((i, j), []).append(f"{names[a]}: {w:.{digits}g}")
    lines += [f"{i} -> {j} [label = {_quoted(text)}];" for (i, j), text in sorted(edges.items())]
    return "\n  ".join(lines) + "\n}\n"


def _quoted(lines: Sequence[str]) -> str:
    """Lines of text as one quoted string; line ends and control characters in a label become visible."""
    shown = ("".join(map(_visible, line)).replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return '"' + "\\n".join(shown) + '"'


def _visible(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
