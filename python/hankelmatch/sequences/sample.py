"""A text that is there without a file."""

import re

_SENTENCE_END = re.compile(r"(?<=[.!?]) (?=[A-Z])")
_SENTENCE = re.compile(r"[A-Z\"*].* .*[.!?]")


def sample_text() -> list[str]:
    """English sentences that every CPython carries: the help texts of its own language reference.

    Returns
    -------
    list of str
        Some thousand sentences, without repeats, in an order that depends on the version of Python alone.

    Raises
    ------
    FileNotFoundError
        If this Python comes without its help texts (module ``pydoc_data.topics``).

    Examples
    --------
    >>> sentences = sample_text()
    >>> len(sentences) > 1000, all(sentences)
    (True, True)
    """
    try:
        from pydoc_data.topics import topics  # noqa: PLC0415 - half a megabyte that few callers need
    except ImportError as error:
        raise FileNotFoundError(
            "this Python has no help texts (module pydoc_data.topics) to learn from; "
            "give a text file of your own"
        ) from error
    paragraphs = (" ".join(text.split()) for name in sorted(topics) for text in topics[name].split("\n\n"))
    sentences = (sentence for text in paragraphs for sentence in _SENTENCE_END.split(text))
    return list(dict.fromkeys(sentence for sentence in sentences if _SENTENCE.fullmatch(sentence)))
