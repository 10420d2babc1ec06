"""scikit-learn's grid search over the longest substrings and the number of states, on part-of-speech tags.

    python -m benchmarks.grid_search --data DIR

DIR holds ``pos/ewt.tags.{train,test}.txt`` (see CONTRIBUTING.md). Three folds of the training text choose;
the test text reports. Needs scikit-learn (``pip install 'hankelmatch[sklearn]'``).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

from hankelmatch import SpectralLearner

from .data import TAGS

GRID = {"max_length": [3, 4, 5, 6], "n_states": [25, 50, 100, 200]}
N_FOLDS = 3


def read_tags(path: Path) -> list[list[str]]:
    """The sentences of a file as lists of tags."""
    return [line.split() for line in path.read_text(encoding="utf-8").splitlines()]


def search(sentences: Sequence[Sequence[str]], grid: dict[str, list[int]] = GRID, n_folds: int = N_FOLDS):
    """A finished `GridSearchCV` of a learner."""
    from sklearn.model_selection import GridSearchCV  # noqa: PLC0415 - optional

    learner = SpectralLearner(contexts="mixed", unseen="skip")  # a fold may lack a rare tag
    return GridSearchCV(learner, grid, cv=n_folds).fit(sentences)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with pos/ewt.tags.train.txt")
    folder = parser.parse_args(arguments).data
    train, test = (read_tags(folder / TAGS[part]) for part in (0, 2))
    begin = time.perf_counter()
    found = search(train)
    seconds = time.perf_counter() - begin
    print(f"{len(found.cv_results_['params'])} settings, {N_FOLDS} folds, {seconds:.1f} s with the last fit")
    print(
        "| max_length | n_states | bits per tag, mean of the folds | standard deviation |\n|---|---|---|---|"
    )
    results = found.cv_results_
    for setting, mean, deviation in zip(
        results["params"], results["mean_test_score"], results["std_test_score"], strict=True
    ):
        print(f"| {setting['max_length']} | {setting['n_states']} | {-mean:.4f} | {deviation:.4f} |")
    print(f"best: {found.best_params_}; test: {-found.score(test):.4f} bits per tag")


if __name__ == "__main__":
    main()
