"""How much faster than scipy the best code in C is on each family, and how `auto` compares with that."""

from __future__ import annotations

from statistics import geometric_mean
from typing import NamedTuple

from .report import Result

__all__ = ["BEST_KNOWN", "Best", "Comparison", "compare", "print_comparison"]


class Best(NamedTuple):
    """The best of MatchMaker, SuiteSparse BTF and MS-BFS-Graft, each with every start that it offers.

    `speed_up` is over scipy 1.17 on the same graph, measured once on a busy machine; transposes and set-up
    were not counted for the codes in C, and are for `auto`. Where scipy took more than `SCIPY_LIMIT` seconds
    only `seconds` is known of the best code; the machine was another one then, so that it is a rough measure.
    """

    speed_up: float | None = None
    seconds: float | None = None


SCIPY_LIMIT = 15.0  # seconds that scipy was given when these were measured

BEST_KNOWN = {
    "random degree 2 100000": Best(12),
    "random degree 3 100000": Best(26),
    "random degree 5 100000": Best(11),
    "random degree 2 1000000": Best(17),
    "random degree 3 1000000": Best(seconds=0.5),
    "power law degree 8 262144": Best(10),
    "power law degree 4 1048576": Best(13),
    "road 490000": Best(29),
    "mesh 425000": Best(seconds=SCIPY_LIMIT / 58),
    "hilo 100000": Best(seconds=SCIPY_LIMIT / 500),
    "rope 100000": Best(seconds=SCIPY_LIMIT / 300),
    "triangular 100000": Best(6),
    "path 100000": Best(690),
    "banded reversed ^T 100000": Best(3900),
    "crowded 40000": Best(4),
    "wide 50000": Best(25),
    "tall 50000": Best(2.3),
    # The range is known for the three together; this is its upper end.
    "text, substrings to 6": Best(36),
    "text, substrings to 7": Best(36),
    "text, substrings to 8": Best(36),
}


class Comparison(NamedTuple):
    """`times` as long as the best code takes, going by the speed-up over scipy wherever that is known.

    Where scipy passed the time limit, which is too small then, it is an upper bound.
    """

    name: str
    best: Best
    speed_up: float
    times: float
    is_bound: bool


def compare(results: list[Result]) -> list[Comparison]:
    """Compare `auto` with the best code on every matrix that one is known for."""
    comparisons = []
    for result in results:
        best = BEST_KNOWN.get(result.name)
        if best is None:
            continue
        auto = result.seconds("auto")
        speed_up = result.seconds("scipy") / auto
        times = auto / best.seconds if best.speed_up is None else best.speed_up / speed_up
        is_bound = result.timings["scipy"].size is None and best.speed_up is not None
        comparisons.append(Comparison(result.name, best, speed_up, times, is_bound))
    return comparisons


def print_comparison(results: list[Result]) -> None:
    comparisons = compare(results)
    if not comparisons:
        return
    print(f"\n{'auto beside the best code in C':<32}{'its speed-up':>14}{'ours':>10}{'ours takes':>14}")
    for name, best, speed_up, times, is_bound in comparisons:
        known = f"{best.speed_up:g}" if best.speed_up else f"({1e3 * best.seconds:.0f} ms)"
        ours = f"{'>' if best.seconds or is_bound else ''}{speed_up:.1f}"
        print(f"{name:<32}{known:>14}{ours:>10}{'<' if is_bound else '':>8}{times:.2f} times")
    mean = geometric_mean(c.times for c in comparisons)
    worst = max(comparisons, key=lambda c: c.times)
    print(f"geometric mean {mean:.2f} over {len(comparisons)}, at most {worst.times:.2f} ({worst.name})")
