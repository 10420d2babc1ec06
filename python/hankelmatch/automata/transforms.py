"""Transforms of automata: between values of strings, prefixes and substrings, and to a minimal one."""

from collections.abc import Callable
from operator import matmul
from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from .._utils.interruptible import interruptible
from .._utils.scaling import scaled
from .._utils.validation import check_choice, check_type, checked_number
from ._transitions import cast
from .automaton import WeightedAutomaton

_Floats = NDArray[np.float64]

# Which weights are sums over all strings: those before a substring, those behind a prefix or a substring.
_SUMMED = {"string": (False, False), "prefix": (False, True), "substring": (True, True)}


def spectral_radius(automaton: WeightedAutomaton) -> float:
    """The largest absolute eigenvalue of the sum of the matrices of all symbols.

    Below 1 the values of an automaton can be summed over all strings; they then decay with the strings'
    length.

    Parameters
    ----------
    automaton : WeightedAutomaton

    Returns
    -------
    float

    Raises
    ------
    TypeError
        If `automaton` is of another class.

    Notes
    -----
    Cost: O(n^3) for n states, and that of forming the matrices.

    Examples
    --------
    >>> from hankelmatch import WeightedAutomaton, spectral_radius
    >>> coin = WeightedAutomaton([1.0], [0.2], {"a": [[0.5]], "b": [[0.3]]})
    >>> round(spectral_radius(coin), 9)
    0.8
    """
    check_type("automaton", automaton, WeightedAutomaton, "a WeightedAutomaton")
    return _radius(_sum_of_matrices(automaton))


def convert_automaton(automaton: WeightedAutomaton, source: str, target: str) -> WeightedAutomaton:
    """Turn an automaton of string, prefix or substring values into one of another of these.

    With f a function on whole strings, such as a probability, that of the prefix x is the sum of f(x v) over
    all strings v, and that of the substring x the sum of f(u x v) over all u and v: for probabilities the
    expected number of times that x occurs.

    Parameters
    ----------
    automaton : WeightedAutomaton
        Of the `source` kind: from `substring_expectations` it is "substring", from `prefix_probabilities`
        "prefix", from `string_probabilities` "string".
    source, target : {"string", "prefix", "substring"}
        What the values of `automaton` are, and what those of the result are to be.

    Returns
    -------
    WeightedAutomaton
        With the same states, matrices, alphabet and precision, and other initial or final weights.

    Raises
    ------
    ValueError
        If a kind is unknown, or the sums do not converge: the spectral radius is not below 1.
    TypeError
        If `automaton` is of another class.

    Notes
    -----
    With A the sum of all matrices, the sum of its powers is (I - A)^-1. So final_prefix = (I - A)^-1
    final_string and initial_substring' = initial_string' (I - A)^-1; in the other direction I - A takes the
    place of its inverse. Cost: O(n^3) for n states.

    An automaton learned from a sample has these properties only approximately. Its values of strings are
    differences of values of substrings, so expect noise where they are small. For one learned from the short
    substrings of long sentences the sums usually diverge: for English characters, T = 3, 4, 5, the spectral
    radius was 5.5, 2.4, 1.9.

    References
    ----------
    .. [1] B. Balle, X. Carreras, F. M. Luque, A. Quattoni: Spectral learning of weighted automata: a
       forward-backward perspective. Machine Learning 96 (2014), section 2.

    Examples
    --------
    Strings of a's that go on with probability 1/2:

    >>> from hankelmatch import WeightedAutomaton, convert_automaton
    >>> strings = WeightedAutomaton([1.0], [0.5], {"a": [[0.5]]})
    >>> prefixes = convert_automaton(strings, "string", "prefix")
    >>> substrings = convert_automaton(prefixes, "prefix", "substring")
    >>> strings("a"), prefixes("a"), substrings("a")
    (0.25, 0.5, 1.0)
    """
    check_type("automaton", automaton, WeightedAutomaton, "a WeightedAutomaton")
    for argument, kind in (("source", source), ("target", target)):
        check_choice(argument, kind, tuple(_SUMMED))
    A = _sum_of_matrices(automaton)
    _refuse_divergence(_radius(A))
    rest = np.eye(len(A)) - A
    (from_initial, from_final), (to_initial, to_final) = _SUMMED[source], _SUMMED[target]
    return WeightedAutomaton(
        cast(_summed(rest.T, automaton.initial, to_initial - from_initial), automaton.dtype),
        cast(_summed(rest, automaton.final, to_final - from_final), automaton.dtype),
        automaton.transitions,
        automaton.alphabet,
        n_sequences=automaton.n_sequences,
        max_length=automaton.max_length,
    )


def minimal_automaton(automaton: WeightedAutomaton, tol: float = 1e-10) -> WeightedAutomaton:
    """The minimal automaton of the same function.

    Parameters
    ----------
    automaton : WeightedAutomaton
    tol : float
        A direction of the state space counts as zero below this, relative to the norm of the symbol's matrix
        that leads there.

    Returns
    -------
    WeightedAutomaton
        As many states as the Hankel matrix of the function has rank; each matrix kept dense.

    Raises
    ------
    ValueError
        If `tol` is not between 0 and 1.
    TypeError
        If `automaton` is of another class.

    Notes
    -----
    The states that strings lead to span a space, of which an orthonormal basis is grown symbol by symbol; the
    automaton is restricted to it, and then, with all matrices transposed, to the space that matters for what
    follows. Cost: O(n^3) for n states and each symbol, and n^2 numbers of memory for each.

    References
    ----------
    .. [1] M. P. Schützenberger: On the definition of a family of automata. Information and Control 4 (1961),
       245-270.

    Examples
    --------
    >>> import numpy as np
    >>> from hankelmatch import WeightedAutomaton, minimal_automaton
    >>> twice = WeightedAutomaton([0.5, 0.5], [1.0, 1.0], {"a": 0.5 * np.eye(2)})
    >>> minimal = minimal_automaton(twice)
    >>> minimal.n_states, round(minimal("aa"), 9)
    (1, 0.25)
    """
    check_type("automaton", automaton, WeightedAutomaton, "a WeightedAutomaton")
    tol = checked_number("tol", tol, 0, 1)
    wide = automaton.astype(np.float64)
    norms = np.array([np.linalg.norm(matrix) for matrix in wide.transitions])
    Q = _invariant_space(_unit(wide.initial), wide.apply, norms, tol)
    matrices = np.array([Q @ wide.apply(Q, a).T for a in range(wide.n_symbols)])  # each transposed
    matrices = matrices.reshape(wide.n_symbols, len(Q), len(Q))
    final = Q @ wide.final
    final[np.abs(final) <= tol * (np.abs(Q) @ np.abs(wide.final))] = 0.0  # what cancels is rounding
    P = _invariant_space(_unit(final), lambda rows, a: rows @ matrices[a], norms, tol)
    return WeightedAutomaton(
        cast(P @ (Q @ wide.initial), automaton.dtype),
        cast(P @ final, automaton.dtype),
        cast(interruptible(matmul, interruptible(matmul, P, matrices.swapaxes(1, 2)), P.T), automaton.dtype),
        automaton.alphabet,
        n_sequences=automaton.n_sequences,
        max_length=automaton.max_length,
    )


def _sum_of_matrices(automaton: WeightedAutomaton) -> _Floats:
    total = np.zeros((automaton.n_states, automaton.n_states))
    for matrix in automaton.transitions:
        total += matrix
    return total


def _radius(A: _Floats) -> float:
    return float(np.abs(interruptible(np.linalg.eigvals, A)).max(initial=0.0))


def _refuse_divergence(radius: float) -> None:
    if not radius < 1:
        raise ValueError(
            f"automaton: the spectral radius of the sum of its matrices is {radius:.9g}; below 1 is needed, "
            "or its values have no sum over all strings. Fewer states may help, or minimal_automaton"
        )


def _summed(rest: _Floats, weights: NDArray[Any], direction: int) -> _Floats:
    """Weights summed over all strings (direction 1), or the weights of which they are such sums (-1)."""
    wide = weights.astype(np.float64)
    if direction == 0:
        return wide
    return interruptible(np.linalg.solve, rest, wide) if direction > 0 else np.asarray(rest @ wide)


def _unit(vector: NDArray[np.floating]) -> _Floats:
    """A vector of norm 1 in its direction; zero if it is zero."""
    near_one, _ = scaled(vector.astype(np.float64))  # the squares of others may over- or underflow
    return near_one / (np.linalg.norm(near_one) or 1.0)


def _invariant_space(
    start: _Floats, apply: Callable[[_Floats, int], NDArray[Any]], norms: _Floats, tol: float
) -> _Floats:
    """An orthonormal basis, as rows, of the smallest space with `start` in it that no symbol leads out of."""
    frontier = Q = _new_directions(start[None], np.zeros((0, len(start))), tol)
    while len(frontier) > 0:
        n_before = len(Q)
        for a in np.flatnonzero(norms):
            if len(Q) == len(start):
                return Q
            Q = np.concatenate([Q, _new_directions(apply(frontier, int(a)) / norms[a], Q, tol)])
        frontier = Q[n_before:]
    return Q


def _new_directions(rows: _Floats, Q: _Floats, tol: float) -> _Floats:
    """An orthonormal basis of what the rows have beyond the space of Q, whose rows are orthonormal."""
    if min(rows.shape) == 0:
        return Q[:0]
    rest = rows - (rows @ Q.T) @ Q
    rest -= (rest @ Q.T) @ Q  # a second time: the first leaves rounding errors
    directions, triangle, _ = interruptible(scipy.linalg.qr, rest.T, mode="economic", pivoting=True)
    n_found = min(np.count_nonzero(np.abs(np.diagonal(triangle)) > tol), Q.shape[1] - len(Q))
    found = directions[:, :n_found].T
    found = found - (found @ Q.T) @ Q
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True))
