"""The texts of a learner: with end and start symbols, with weights, and with a part held out."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._utils.validation import argument_named, listed, warn_user
from ..counting._sample_weight import weighed
from ..counting.sequence_function import SequenceFunction
from ..prediction.selection import HeldOut
from ..sequences.alphabet import Alphabet, has_characters
from ..sequences.corpus import Corpus
from ..sequences.strings import Strings, as_strings

Sequences: TypeAlias = Strings | Iterable[Iterable[Hashable]]
Boundary: TypeAlias = bool | Hashable

_HELD_OUT = 0.1
_PIECE = 8000  # symbols of a stream that are read one after another


class TrainingText(NamedTuple):
    """What to learn from: sequences, or counts of substrings; and the weights of the sequences, if any."""

    text: Corpus | SequenceFunction
    weights: NDArray[np.float64] | None = None

    def with_unknown_symbol(self, min_count: int) -> TrainingText:
        """The text with one symbol for all that are rarer."""
        if isinstance(self.text, SequenceFunction):
            raise ValueError(
                f"min_symbol_count: {min_count} given, but corpus has been counted already; count "
                "corpus.with_unknown_symbol(min_count), and give 1 here"
            )
        return self._replace(text=self.text.with_unknown_symbol(min_count))


def training_text(
    given: Sequences | SequenceFunction,
    end_symbol: Boundary,
    start_symbol: Boundary,
    sample_weight: ArrayLike | None,
    argument: str = "corpus",
) -> TrainingText:
    """The sequences with their boundary symbols; UserWarning where what is asked for cannot be had."""
    if isinstance(given, SequenceFunction):
        if sample_weight is not None:
            raise ValueError("sample_weight: counts of substrings have no sequences to be weighted")
        _warn_of_counts(given, end_symbol=end_symbol, start_symbol=start_symbol)
        return TrainingText(given)
    with argument_named(argument):
        corpus = _with_boundary_symbols(given, end_symbol, start_symbol)
    if len(corpus) == 0:
        raise ValueError(f"{argument}: there is no sequence in it; give at least one to learn from")
    return TrainingText(corpus) if sample_weight is None else TrainingText(*weighed(corpus, sample_weight))


def _with_boundary_symbols(given: Sequences, end: Boundary, start: Boundary) -> Corpus:
    end, start = (False if symbol is None else symbol for symbol in (end, start))
    if not isinstance(given, Strings):
        return Corpus.from_sequences(given, end_symbol=end, start_symbol=start)
    corpus = given if isinstance(given, Corpus) else Corpus.from_sequences(given)
    if is_stream(corpus):
        end, start = (False if symbol is True else symbol for symbol in (end, start))
    wanted = [
        _possible("end_symbol", end, corpus.alphabet),
        _possible("start_symbol", start, corpus.alphabet),
    ]
    return corpus.with_boundary_symbols(*wanted)


def is_stream(corpus: Corpus) -> bool:
    """Whether it is one sequence without an end symbol: its ends are only where somebody cut it."""
    return len(corpus) == 1 and corpus.alphabet.end_symbol is None


def _possible(argument: str, asked: Boundary, alphabet: Alphabet) -> Boundary:
    """What is asked for, or what the corpus has in its place, with a warning."""
    own = getattr(alphabet, argument)
    if own is None or asked is True or (asked is not False and asked == own):
        return asked
    warn_user(
        f"{argument}: {asked!r} given, but the corpus has {own!r} already, which stays; "
        f"read the text with {argument}={asked!r}, or give the learner {argument}={own!r}"
    )
    return True


def _warn_of_counts(f: SequenceFunction, **asked: Boundary) -> None:
    """Counts stay as they are: what they lack cannot be added.

    By True nothing is asked of counts without either symbol, which are of strings of one's own.
    """
    has_either = (f.alphabet.end_symbol, f.alphabet.start_symbol) != (None, None)
    for argument, symbol in asked.items():
        own = getattr(f.alphabet, argument)
        shown = False if symbol is None else symbol
        if shown is True:
            is_stream = argument == "end_symbol" and f.n_sequences == 1
            is_had = own is not None or is_stream or not has_either
        else:
            is_had = own == (None if shown is False else shown)
        if is_had:
            continue
        has = f"have {own!r}" if own is not None else "have none"
        warn_user(
            f"{argument}: {shown!r} given, but the counts in corpus {has}; count a text with "
            f"{argument}={shown!r}, or give the learner {argument}={False if own is None else own!r}"
        )


def held_out_text(dev: Sequences) -> HeldOut:
    """The text to choose on; the model that predicts it adds its boundary symbols."""
    strings = as_strings("dev", dev)
    if len(strings) == 0 or strings.symbols.size == 0:
        raise ValueError("dev: there is no symbol to choose on; give sequences, or leave it out")
    return HeldOut(strings)


def in_pieces(dev: HeldOut, alphabet: Alphabet) -> HeldOut:
    """Streams, which by the model's alphabet have no ends, cut into pieces that can be read side by side.

    Whole histories are read symbol by symbol: of a stream of 300,000 symbols each number of states took as
    long as the rest of the search. A history of some thousand symbols says as much as a longer one.
    """
    corpus, weights = dev
    strings = as_strings("dev", corpus)
    ends = alphabet.end_symbol, alphabet.start_symbol
    lengths = np.diff(strings.offsets)
    if ends != (None, None) or lengths.max(initial=0) <= _PIECE:
        return dev
    n_pieces = np.maximum(1, -(-lengths // _PIECE))
    within = np.arange(n_pieces.sum()) - np.repeat(np.cumsum(n_pieces) - n_pieces, n_pieces)
    begins = np.repeat(strings.offsets[:-1], n_pieces) + _PIECE * within
    offsets = np.append(begins, strings.offsets[-1])
    each = None if weights is None else np.repeat(np.asarray(weights), n_pieces)
    return HeldOut(Strings(strings.symbols, offsets, strings.alphabet), each)


def hold_out(training: TrainingText, seed: int) -> tuple[TrainingText, HeldOut]:
    """The text without a tenth of it, and that tenth."""
    corpus, weights = training
    if isinstance(corpus, SequenceFunction):
        raise ValueError(
            "dev: counts of substrings have no text to hold out, on which to choose the number of "
            "states; give dev, or n_states as a number"
        )
    shares = [1 - _HELD_OUT, _HELD_OUT]
    parts: Any
    try:
        if weights is None or len(corpus) == 1:
            parts = [(part, weights) for part in corpus.split(shares, seed)]
        else:
            parts = [(corpus.take(i), weights[i]) for i in corpus.split_places(shares, seed)]
    except ValueError as error:
        raise ValueError(
            f"corpus: {len(corpus)} sequences of {corpus.n_symbols} symbols are too few to hold out a tenth "
            "of them, on which to choose the number of states; give dev, or n_states as a number"
        ) from error
    return TrainingText(*parts[0]), HeldOut(*parts[1])


def many_contexts(contexts: Iterable[Any], alphabet: Alphabet) -> list[Iterable[Hashable]]:
    """Many contexts; TypeError or ValueError for what may as well be one."""
    is_single = isinstance(contexts, np.ndarray) and contexts.ndim < 2 and contexts.dtype.kind not in "OU"
    if is_single or not isinstance(contexts, Iterable):
        raise TypeError(
            "contexts: a str or a tuple of symbols is one context, a list of contexts is many; "
            f"not {contexts!r}"
        )
    many = listed("contexts", contexts, "a list of contexts")
    words = [context for context in many if isinstance(context, str)]
    if words and not has_characters(alphabet):
        raise ValueError(
            f"contexts: a list of words as {words[:2]!r} may be one context or many; give one context as a "
            f"tuple, {(*words[:2],)!r}, and many as a list of tuples, {[(word,) for word in words[:2]]!r}"
        )
    return many
