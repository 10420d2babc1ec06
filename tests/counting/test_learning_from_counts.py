"""From counts to a model: a learner takes them, and the command has Dask count."""

import json

import pytest
from hankelmatch import SpectralLearner, cli, read_text, substring_expectations

from .dask_checks import DASK_MARKS

pytestmark = DASK_MARKS


def test_a_learner_takes_counts_in_place_of_a_text(text):
    corpus = read_text(text)
    f = substring_expectations(corpus, 4, 2)
    by_text = SpectralLearner(4, 20, min_count=2, start_symbol=False).fit(corpus)
    for longest in (4, 7):  # longer strings than were counted cannot be known
        by_counts = SpectralLearner(longest, 20, start_symbol=False).fit(f)
        assert by_text.model_.bits_per_symbol(corpus) == by_counts.model_.bits_per_symbol(corpus)
    with pytest.raises(ValueError, match="dev: counts of substrings have no text to hold out"):
        SpectralLearner(4, start_symbol=False).fit(f)
    with pytest.raises(ValueError, match="max_length: 3 is less than 4"):
        SpectralLearner(3, 20, start_symbol=False).fit(f)
    with pytest.raises(ValueError, match="min_count: 2 given, but corpus has been counted already"):
        SpectralLearner(4, 20, min_count=2, start_symbol=False).fit(f)


def test_the_command_learns_the_same_by_dask(text, capsys):
    path = str(text)
    learn = ["learn", path, "--dev", path, "--test", path, "--states", "20", "--max-length", "4", "--json"]
    results = []
    for options in (["--engine", "dask", "--memory", "1GB"], ["--memory", "1GB"]):
        assert cli.main([*learn, "--min-count", "2", *options]) == 0
        results.append(json.loads(capsys.readouterr().out))
    assert results[0]["test_bits_per_symbol"] == results[1]["test_bits_per_symbol"]


def test_the_command_says_what_is_missing(text, capsys):
    assert cli.main(["learn", str(text), "--engine", "dask"]) == 2
    assert "--dev and --test: with --engine dask nothing is held out" in capsys.readouterr().err
    assert cli.main(["plot", "states", str(text), "--engine", "dask", "-o", "states.svg"]) == 2
    assert "--dev: with --engine dask nothing is held out" in capsys.readouterr().err
    assert cli.main(["learn", str(text), "--memory", "1kB"]) == 2
    assert "memory: 1000 cannot hold" in capsys.readouterr().err
