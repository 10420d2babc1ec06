"""Functions on strings, counted from a corpus in memory: expectations of substrings, probabilities."""

from collections.abc import Hashable, Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from .._utils.validation import argument_named, checked_whole
from ..sequences.corpus import Corpus
from ._sample_weight import add_to_shorter, pruned, total_weight, weighed, weighted_counts
from .sequence_function import SequenceFunction, divided, refuse_unknown


def substring_expectations(
    corpus: Corpus | Sequence[Iterable[Hashable]],
    max_length: int,
    min_count: int = 1,
    *,
    sample_weight: ArrayLike | None = None,
) -> SequenceFunction:
    """Expected number of occurrences of every string as a substring of a sequence of the corpus.

    Parameters
    ----------
    corpus : Corpus or sequence of sequences
        At least one sequence.
    max_length : int
        T, the length of the longest substrings, at least 0.
    min_count : int
        Leave out every string that occurs less often, except the empty one. The support stays closed under
        substrings (a substring occurs at least as often), and the values of the others stay the same.
    sample_weight : array_like of float, shape (n_sequences,), optional
        How often each sequence counts: not negative, 1 by default. A weight of 2 has the effect of a sequence
        that is there twice. `min_count` applies to the sum of the weights of all occurrences.

    Returns
    -------
    SequenceFunction
        The function f_T(x) = occurrences of x in the corpus / number of sequences, for every x of length 0 to
        T that occurs; f_T(empty) = 1 + mean length.

    Raises
    ------
    ValueError
        If there is no sequence, `max_length` is negative, `min_count` is not positive, the corpus has
        symbols outside its alphabet, or the weights are negative, not finite, all zero, or not as many as the
        sequences.

    Notes
    -----
    Time: a radix sort of the text's positions by the T symbols that follow, then two passes over them, linear
    in the text and the distinct substrings kept; all on every core. Where T symbols take more than four words
    of 64 bits, the places are sorted by prefix doubling [1]_: by the first word, then those that it leaves
    equal by twice, four times, ... as many symbols, at most log2(T) times. Neighbours are compared in time
    linear in the text [2]_, be it one symbol over and over. Ctrl-C stops it within a fraction of a second.
    Weights take one more pass over the text and one over the substrings.

    Memory at the peak, beside the corpus (4 bytes a symbol) and the result (24 bytes a string): for each
    symbol of the text 4 bytes where T symbols take at most 44 bits (7 of up to 63 symbols do), else 8 for
    every word of 64 bits that they take (10 of up to 63 symbols take one; 5 of up to 2 million two), at most
    twice that where a few symbols begin most of the text; 60 bytes where they take more than four words.

    References
    ----------
    Balle, Carreras, Luque, Quattoni (2014): Spectral learning of weighted automata: a forward-backward
    perspective. Machine Learning 96. Quattoni, Carreras, Gallé (2017), section 5.2.

    .. [1] N. J. Larsson, K. Sadakane: Faster suffix sorting. Theoretical Computer Science 387 (2007).
    .. [2] T. Kasai, G. Lee, H. Arimura, S. Arikawa, K. Park: Linear-time longest-common-prefix computation in
       suffix arrays and its applications. CPM 2001.

    Examples
    --------
    >>> from hankelmatch import substring_expectations
    >>> f = substring_expectations(["aab", "b"], 2)
    >>> f("a"), f("ab"), f("")
    (1.0, 0.5, 3.0)
    >>> substring_expectations(["aab", "b"], 2, sample_weight=[3, 1])("a")
    1.5
    """
    corpus = _checked_corpus(corpus)
    longest = checked_whole("max_length", max_length, 0)
    least = checked_whole("min_count", min_count, 1)
    if sample_weight is None:
        trie, counts = _core.count_substrings(corpus.symbols, corpus.offsets, longest, False, least)
        return SequenceFunction._of_trie(trie, divided(counts, len(corpus)), corpus.alphabet, len(corpus))
    corpus, weights = weighed(corpus, sample_weight)
    trie, _ = _core.count_substrings(corpus.symbols, corpus.offsets, longest)
    trie, sums = pruned(trie, weighted_counts(trie, corpus, weights), least if least > 1 else 0.0)
    total = total_weight(weights)
    return SequenceFunction._of_trie(trie, sums / total, corpus.alphabet, total)


def string_probabilities(
    corpus: Corpus | Sequence[Iterable[Hashable]], *, sample_weight: ArrayLike | None = None
) -> SequenceFunction:
    """Relative frequency of every whole sequence in the corpus.

    Parameters
    ----------
    corpus : Corpus or sequence of sequences
        At least one sequence.
    sample_weight : array_like of float, shape (n_sequences,), optional
        How often each sequence counts: not negative, 1 by default.

    Returns
    -------
    SequenceFunction
        The function f(x) = number of sequences equal to x / number of sequences.

    Raises
    ------
    ValueError
        If there is no sequence, the corpus has symbols outside its alphabet, or the weights are wrong as in
        `substring_expectations`.

    Notes
    -----
    Cost: sorting the sequences, then linear in the corpus.

    Examples
    --------
    >>> from hankelmatch import string_probabilities
    >>> f = string_probabilities(["ab", "b", "ab", "a"])
    >>> f("ab"), f("a"), len(f)
    (0.5, 0.25, 3)
    """
    corpus = _checked_corpus(corpus)
    corpus, weights = weighed(corpus, np.ones(len(corpus)) if sample_weight is None else sample_weight)
    trie, nodes = _core.string_set(corpus.symbols, corpus.offsets)
    total = total_weight(weights)
    sums = np.bincount(nodes, weights, trie.n_nodes)
    return SequenceFunction._of_trie(trie, sums / total, corpus.alphabet, total)


def prefix_probabilities(
    corpus: Corpus | Sequence[Iterable[Hashable]],
    max_length: int | None = None,
    *,
    sample_weight: ArrayLike | None = None,
) -> SequenceFunction:
    """Share of the corpus' sequences that begin with each string.

    Parameters
    ----------
    corpus : Corpus or sequence of sequences
        At least one sequence.
    max_length : int, optional
        Length of the longest prefixes; by default that of the longest sequence.
    sample_weight : array_like of float, shape (n_sequences,), optional
        How often each sequence counts: not negative, 1 by default.

    Returns
    -------
    SequenceFunction
        The function f(x) = number of sequences that begin with x / number of sequences; f(empty) = 1.

    Raises
    ------
    ValueError
        If there is no sequence, or `max_length` is negative, or the corpus has symbols outside its alphabet,
        or the weights are wrong as in `substring_expectations`.

    Notes
    -----
    Cost: sorting the sequences, then linear in the corpus. The suffixes of all prefixes are all substrings:
    for long sequences limit the prefix-suffix graph of this function by `max_length`.

    Examples
    --------
    >>> from hankelmatch import prefix_probabilities
    >>> f = prefix_probabilities(["ab", "b", "aa"])
    >>> round(f("a"), 3), f("")
    (0.667, 1.0)
    """
    corpus = _checked_corpus(corpus)
    corpus, weights = weighed(corpus, np.ones(len(corpus)) if sample_weight is None else sample_weight)
    symbols, offsets = corpus.symbols, corpus.offsets
    if max_length is not None:
        symbols, offsets = _cut_short(symbols, offsets, checked_whole("max_length", max_length, 0))
    trie, nodes = _core.string_set(symbols, offsets)
    sums: NDArray[np.float64] = np.bincount(nodes, weights, trie.n_nodes).astype(np.float64, copy=False)
    add_to_shorter(trie, trie.parent, sums)
    total = total_weight(weights)
    return SequenceFunction._of_trie(trie, sums / total, corpus.alphabet, total)


def _checked_corpus(corpus: Corpus | Sequence[Iterable[Hashable]]) -> Corpus:
    if not isinstance(corpus, Corpus):
        with argument_named("corpus"):
            corpus = Corpus.from_sequences(corpus)
    if len(corpus) == 0:
        raise ValueError("corpus: it has no sequence; at least one is needed")
    refuse_unknown(corpus, "corpus", "read it without the alphabet of another text")
    return corpus


def _cut_short(
    symbols: NDArray[np.int32], offsets: NDArray[np.int64], max_length: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Keep the first `max_length` symbols of each string."""
    lengths = np.diff(offsets)
    place = np.arange(len(symbols)) - np.repeat(offsets[:-1], lengths)
    cut = np.concatenate([[0], np.cumsum(np.minimum(lengths, max_length))])
    return symbols[place < max_length], cut
