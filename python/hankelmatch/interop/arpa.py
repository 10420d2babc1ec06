"""N-gram models in the ARPA format, which SRILM, KenLM and most speech recognisers read."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .._utils.files import write_atomically
from .._utils.validation import check_type
from ..prediction.mixtures.n_grams import KneserNeyModel
from ..sequences._boundary_symbols import DEFAULT_END, DEFAULT_START
from ..sequences.alphabet import Alphabet

__all__ = ["write_arpa"]

_NEVER = -99.0  # log10 of the probability of a start symbol, by custom
_UNKNOWN = "<unk>"
_LINES = 1 << 14  # written at a time


def write_arpa(path: str | os.PathLike[str], model: KneserNeyModel) -> None:
    r"""Write an n-gram model in the ARPA format.

    Parameters
    ----------
    path : str or os.PathLike
        File to write; it appears whole or not at all.
    model : KneserNeyModel
        Its end, start and unknown symbol become ``</s>``, ``<s>`` and ``<unk>``. A blank within a label is
        written as ``<U+0020>``, and so are other characters that separate words.

    Returns
    -------
    None

    Raises
    ------
    ValueError
        If two labels would be written alike.
    TypeError
        If `model` is of another class.
    OSError
        If the file cannot be written.

    Notes
    -----
    An interpolated model is one with back-off: of every n-gram of the text the file has the whole
    probability, and of every context what it leaves to the shorter one [1]_. Numbers are logarithms to base
    10 with seven digits. KenLM wants a model of a text with end and start symbols. Cost: one line for each
    n-gram.

    References
    ----------
    .. [1] S. F. Chen, J. Goodman: An empirical study of smoothing techniques for language modeling. Computer
       Speech and Language 13(4), 1999, section 2.8.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from hankelmatch import Corpus, KneserNeyModel
    >>> text = Corpus.from_sequences(["ab", "b"], end_symbol=True, start_symbol=True)
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "model.arpa"
    ...     write_arpa(path, KneserNeyModel(text, order=2))
    ...     lines = path.read_text().splitlines()
    >>> lines[:4], lines[-1]
    (['\\data\\', 'ngram 1=4', 'ngram 2=4', ''], '\\end\\')
    """
    check_type("model", model, KneserNeyModel, "a KneserNeyModel")
    names = _names(model.alphabet)
    levels = [_lines_of(model, length, names) for length in range(1, model.order + 1)]
    with write_atomically(path) as file:
        counts = (f"ngram {length}={len(lines)}" for length, lines in enumerate(levels, 1))
        file.write(("\\data\\\n" + "\n".join(counts) + "\n").encode())
        for length, lines in enumerate(levels, 1):
            file.write(f"\n\\{length}-grams:\n".encode())
            for begin in range(0, len(lines), _LINES):
                file.write("".join(f"{line}\n" for line in lines[begin : begin + _LINES]).encode())
        file.write(b"\n\\end\\\n")


def _names(alphabet: Alphabet) -> list[str]:
    """The labels as they are written, by id."""
    own = {alphabet.end_id: DEFAULT_END, alphabet.start_id: DEFAULT_START, alphabet.unknown_id: _UNKNOWN}
    names = [own.get(i) or _written(label) for i, label in enumerate(alphabet.labels)]
    if len(set(names)) < len(names):
        raise ValueError("model: two labels of its alphabet would be written alike; change one of them")
    return names


def _written(label: Hashable) -> str:
    return "".join(f"<U+{ord(c):04X}>" if c.isspace() else c for c in str(label)) or "<empty>"


def _lines_of(model: KneserNeyModel, length: int, names: list[str]) -> list[str]:
    """The n-grams of one length: logarithm of the probability, symbols, logarithm of the back-off weight."""
    return [
        f"{_logarithm(p)}\t{' '.join(names[i] for i in symbols)}"
        + (f"\t{_logarithm(backoff)}" if length < model.order else "")
        for symbols, p, backoff in _n_grams(model, length)
    ]


def _logarithm(value: float) -> str:
    return f"{np.log10(value):.7g}" if value > 0 else f"{_NEVER:g}"


def _n_grams(model: KneserNeyModel, length: int) -> Iterator[tuple[tuple[int, ...], float, float]]:
    """Symbols, probability and back-off weight of each n-gram of a length."""
    trie, probabilities = model._trie, model._node_probabilities(model._trie)
    start = model.alphabet.start_id
    if length == 1:  # all symbols, those that the text lacks among them
        children = slice(*trie.level_begin[1:3]) if len(trie.level_begin) > 2 else slice(1, 1)
        node_of = dict(zip(trie.symbol[children].tolist(), range(children.start, children.stop), strict=True))
        unseen = model._backoff[0] * model._uniform
        for symbol in range(len(model.alphabet)):
            node = node_of.get(symbol)
            p = 0.0 if symbol == start else unseen if node is None else float(probabilities[node])
            yield (symbol,), p, 1.0 if node is None else float(model._backoff[node])
        return
    if length + 1 >= len(trie.level_begin):
        return
    first, end = (int(node) for node in trie.level_begin[length : length + 2])
    nodes = np.arange(first, end)[trie.symbol[first:end] != (-1 if start is None else start)]
    symbols, offsets = _spelled(model, nodes)
    for node, (begin, stop) in zip(nodes.tolist(), pairwise(offsets), strict=True):
        yield tuple(symbols[begin:stop]), float(probabilities[node]), float(model._backoff[node])


def _spelled(model: KneserNeyModel, nodes: NDArray[np.int64]) -> tuple[list[int], list[int]]:
    symbols, offsets = model._trie.spell(nodes.astype(model._trie.parent.dtype))
    return symbols.tolist(), offsets.tolist()
