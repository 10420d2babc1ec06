"""Counting large texts: pruning, memory, growth of time, and stopping."""

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from hankelmatch import Alphabet, Corpus, prefix_suffix_graph, substring_expectations
from hypothesis import given
from hypothesis import strategies as st

from ..support_reference import substring_counts

ROOT = Path(__file__).parents[2]
texts = st.lists(st.text("abc", max_size=9), min_size=1, max_size=8)


def repeating_text(n_symbols, n_labels=50, seed=0):
    """A text that is drawn from pieces of itself, so that long substrings repeat as they do in language."""
    random = np.random.default_rng(seed)
    pieces = [random.integers(0, n_labels, size) for size in random.integers(2, 12, 3000)]
    weights = 1.0 / np.arange(1, len(pieces) + 1)
    chosen = random.choice(len(pieces), n_symbols // 4, p=weights / weights.sum())
    symbols = np.concatenate([pieces[i] for i in chosen])[:n_symbols].astype(np.int32)
    offsets = np.append(np.arange(0, len(symbols), 100), len(symbols))
    return Corpus(symbols, offsets, Alphabet(range(n_labels)))


@given(texts, st.integers(0, 6), st.integers(1, 5))
def test_pruning_keeps_exactly_what_occurs_often_enough(sequences, max_length, min_count):
    f = substring_expectations(sequences, max_length, min_count)
    counts = substring_counts(sequences, max_length)
    expected = {x: n / len(sequences) for x, n in counts.items() if n >= min_count or not x}
    assert dict(f.items()) == expected


def test_pruned_large_text_equals_the_unpruned_one_cut_down():
    corpus = repeating_text(400_000)
    whole = substring_expectations(corpus, 7)
    pruned = substring_expectations(corpus, 7, min_count=5)
    kept = whole.values() * len(corpus) >= 4.5
    kept[0] = True
    assert 1000 < len(pruned) == np.count_nonzero(kept) < len(whole) // 4
    assert np.array_equal(pruned.values(), whole.values()[kept])
    assert np.array_equal(pruned.values_of(pruned.strings()), whole.values_of(pruned.strings()))
    assert pruned._is_closed
    assert prefix_suffix_graph(pruned).n_edges == (np.diff(pruned.strings().offsets) + 1).sum()


@pytest.mark.parametrize("min_count", [0, -1, 1.5, True])
def test_min_count_must_be_a_positive_whole_number(min_count):
    with pytest.raises(ValueError, match="min_count: a whole number from 1 is needed"):
        substring_expectations(["ab"], 2, min_count)


def test_strings_of_many_words_count_as_short_ones_do():
    """Six symbols of an alphabet of 100,000 take 102 bits, so two words."""
    corpus = repeating_text(150_000, n_labels=12)
    wide = Corpus(corpus.symbols * 9001, corpus.offsets, Alphabet(range(100_000)))
    narrow_f, wide_f = substring_expectations(corpus, 6), substring_expectations(wide, 6)
    assert np.array_equal(narrow_f.values(), wide_f.values())
    assert np.array_equal(narrow_f.strings().symbols * 9001, wide_f.strings().symbols)


PEAK = """
    import sys, threading
    import numpy as np
    from hankelmatch import Alphabet, Corpus, substring_expectations
    from tests.benchmarks.test_scale import repeating_text

    def resident(field):
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith(field)) * 1024

    corpus = repeating_text({n_symbols})
    substring_expectations(repeating_text(200_000), 10)  # threads and their stacks are there already
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # forget the peak so far
    before = resident("VmRSS")
    f = substring_expectations(corpus, 10)
    print(resident("VmHWM") - before, len(corpus.symbols), len(f))
"""


@pytest.mark.skipif(
    not os.access("/proc/self/clear_refs", os.W_OK), reason="peaks are read from Linux's /proc"
)
def test_memory_is_what_the_docstring_says():
    code = textwrap.dedent(PEAK.format(n_symbols=3_000_000))
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    peak, n_symbols, n_strings = map(int, run.stdout.split())
    assert peak < 16 * n_symbols + 24 * n_strings + 16e6  # the rest: pages kept by the allocator
    assert peak > 8 * n_symbols


@pytest.mark.parametrize(("n_labels", "max_length"), [(50, 10), (1, 60), (2, 300)])
def test_ctrl_c_stops_counting_within_a_second(n_labels, max_length):
    corpus = repeating_text(6_000_000, n_labels) if n_labels > 2 else repeating_text(300_000, n_labels)
    sent = []

    def interrupt():
        sent.append(time.perf_counter())
        signal.raise_signal(signal.SIGINT)

    timer = threading.Timer(0.1, interrupt)
    gc.disable()  # what is raised in a callback of the collector is lost
    try:
        timer.start()
        deadline = time.perf_counter() + 60
        with pytest.raises(KeyboardInterrupt):  # noqa: PT012
            while time.perf_counter() < deadline:  # one count may be done before the signal arrives
                substring_expectations(corpus, max_length)
        assert time.perf_counter() - sent[0] < 10  # within a second where the machine is not busy
    finally:
        gc.enable()
        timer.join()
