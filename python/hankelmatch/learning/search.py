"""The search for the number of states, the shrinkage, and the use of contexts, on held-out text.

An automaton with n states costs n^2 to evaluate, so the search begins with one state and doubles. With more
states more of them are noise, and more shrinkage helps: at each number the shrinkage climbs from where it
was. Where the model is to be mixed with n-grams, many more states may help the automaton alone and hardly the
mixture; then they are not worth an SVD of minutes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..prediction._events import Events
from ..prediction._scoring import node_probabilities
from ..prediction._smoothing import Floats
from ..prediction.language_model import LanguageModel
from ..prediction.mixtures.weights import fit_weights
from ..prediction.selection import FLOOR_SHARES, MIXINGS
from .spectrum import Damped, Spectrum, shrinkage_in_function

MIXINGS_COMPARED = (0.7, 1.5, 3.0, 6.0)  # while the number of states is looked for
_LEAST_GAIN = 5e-4  # a doubling must save so great a share of the bits, or the search ends
_MIXED_FROM = 1024  # from here a mixture, too, must gain as much before more triplets are computed
_NEGLIGIBLE = 1e-4  # fewer states are taken where they cost less than that share
_FEW_STATES = 128  # up to here two doublings in vain end the search, then one
_KINDS_COMPARED = 64  # and with more states only the better kind of contexts is tried
_FROM_STATES = 8  # shrinkage is tried from here
_TO_STATES = 1024  # and to here; beyond, where a trial takes seconds, it stays as it is
_SHRINKAGES = (0.0, 1.0, 4.0, 16.0, 64.0, 256.0)  # occurrences in the training text


class Trial(NamedTuple):
    """What was tried, and its bits per symbol of held-out text.

    Attributes
    ----------
    contexts : str
    n_states : int
    shrinkage : float
        In occurrences.
    options : mapping
        ``{"mixing": ...}`` or ``{"floor_share": ...}``, a share of the default floor; empty if it was given.
    bits : float
    seconds : float
        That the evaluation took, shared with the other options of the same automaton.
    """

    contexts: str
    n_states: int
    shrinkage: float
    options: Mapping[str, float]
    bits: float
    seconds: float


@dataclass
class Search:
    """The choices on held-out text, each trial kept.

    Attributes
    ----------
    spectrum : Spectrum
    model : LanguageModel
        With the options that were given; its automaton does not matter.
    events : Events
        Of the held-out text.
    kinds : sequence of str
        The kinds of contexts to try.
    fixed : mapping
        The "mixing", "floor" and "shrinkage" that were given.
    others : ndarray or None
        By node of ``events.trie``, the probabilities of a model that the automaton will be mixed with.
    deadline : float
        When, by `time.monotonic`, nothing more is to begin that would end later.
    show : callable
        Gets a line of text after each automaton.
    """

    spectrum: Spectrum
    model: LanguageModel
    events: Events
    kinds: Sequence[str]
    fixed: Mapping[str, float]
    others: Floats | None
    deadline: float
    show: Callable[[str], None]
    trials: list[Trial] = field(default_factory=list)
    stopped: str | None = None
    _last_seconds: float = 0.0
    _mixed: dict[int, float] = field(default_factory=dict)  # bits of the mixture by number of states

    def run(self, numbers: Sequence[int]) -> Trial:
        """Search, or compare the numbers of states that are given; the best trial."""
        best = self._of_numbers(sorted(set(numbers))) if numbers else self._refined(self._doubled())
        return self._with_all_options(best)

    def _of_numbers(self, numbers: Sequence[int]) -> Trial:
        for n in numbers:
            self._try(n, self._first_shrinkage())
        best = self._best()
        # Of a shrunk automaton more states are of use.
        for n in sorted({best.n_states, min(numbers[-1], self.spectrum.svd.n_states)}):
            self._climb(n, self._first_shrinkage())
        return self._refined_shrinkage(self._best())

    def _doubled(self) -> Trial:
        n, shrinkage, in_vain = 1, self._first_shrinkage(), 0
        best = self._try(n, shrinkage)
        while n < self.spectrum.most_states():
            if time.monotonic() + 4 * self._last_seconds > self.deadline:
                self.stopped = "time"
                return best
            if n >= _MIXED_FROM and self.spectrum.needs_svd(2 * n) and not self._mixture_gained():
                self.stopped = "held-out text"
                return best
            n = min(2 * n, self.spectrum.most_states())
            begin = time.monotonic()
            found = self._climb(n, shrinkage) if n >= _FROM_STATES else self._try(n, shrinkage)
            self._last_seconds = time.monotonic() - begin
            shrinkage = found.shrinkage
            gains = found.bits < best.bits * (1 - _LEAST_GAIN)
            best = min(best, found, key=lambda trial: trial.bits)
            in_vain = 0 if gains else in_vain + 1
            if in_vain >= (2 if n <= _FEW_STATES else 1):
                self.stopped = "held-out text"
                return best
        self.stopped = self.spectrum.limited_by
        return best

    def _refined(self, best: Trial) -> Trial:
        """Numbers between the best one and its neighbours; then the fewest states that are as good."""
        for _ in range(2 if best.n_states <= _FEW_STATES else 1):
            known = sorted({trial.n_states for trial in self.trials})
            place = known.index(best.n_states)
            neighbours = known[max(0, place - 1) : place] + known[place + 1 : place + 2]
            middles = {round(math.sqrt(best.n_states * n)) for n in neighbours}
            for n in sorted(middles.difference(known)):
                if time.monotonic() + self._last_seconds < self.deadline:
                    self._try(n, best.shrinkage, best)
            best = self._best()
        enough = best.bits * (1 + _NEGLIGIBLE)
        best = min(
            (t for t in self.trials if t.bits <= enough), key=lambda trial: (trial.n_states, trial.bits)
        )
        return self._refined_shrinkage(best)

    def _refined_shrinkage(self, best: Trial) -> Trial:
        """Half and twice the shrinkage, too."""
        if "shrinkage" in self.fixed or not _FROM_STATES <= best.n_states <= _TO_STATES:
            return best
        near = (best.shrinkage / 2, best.shrinkage * 2) if best.shrinkage else (0.5,)
        for shrinkage in near:
            if time.monotonic() + self._last_seconds < self.deadline:
                best = min(best, self._try(best.n_states, shrinkage, best), key=lambda trial: trial.bits)
        return best

    def _first_shrinkage(self) -> float:
        return self.fixed.get("shrinkage", 0.0)

    def _climb(self, n: int, shrinkage: float) -> Trial:
        """The best at a number of states, with more shrinkage or less as long as that helps."""
        best = self._try(n, shrinkage)
        if "shrinkage" in self.fixed or (n > _TO_STATES and len(self.trials) > len(self.kinds)):
            return best
        above = [s for s in _SHRINKAGES if s > shrinkage]
        below = [s for s in reversed(_SHRINKAGES) if s < shrinkage]
        for others in (above, below):
            for other in others:
                found = self._try(n, other, best)
                if found.bits >= best.bits:
                    break
                best = found
            if best.shrinkage != shrinkage:
                break
        return best

    def _best(self) -> Trial:
        return min(self.trials, key=lambda trial: trial.bits)

    def _try(self, n: int, shrinkage: float, like: Trial | None = None) -> Trial:
        """The best trial of a number of states and a shrinkage, with the options that are compared, or only
        with those of another trial: they hardly depend on the shrinkage."""
        if like is not None:
            options = [option for option in self._options(like.contexts) if option[1] == like.options]
            return self._evaluated(n, shrinkage, options)
        kinds = self.kinds
        if n > _KINDS_COMPARED and len(kinds) > 1 and self.trials:
            kinds = [self._best().contexts]
        return self._evaluated(n, shrinkage, [option for kind in kinds for option in self._options(kind)])

    def _with_all_options(self, best: Trial) -> Trial:
        options = [*self._options(best.contexts, all_of_them=True)]
        return min(
            best, self._evaluated(best.n_states, best.shrinkage, options), key=lambda trial: trial.bits
        )

    def _options(
        self, kind: str, all_of_them: bool = False
    ) -> Iterator[tuple[str, Mapping[str, float], Mapping[str, Any]]]:
        """Kind, options as trials have them, and as the model takes them."""
        if kind == "mixed":
            mixings = MIXINGS if all_of_them else MIXINGS_COMPARED
            for mixing in [None] if "mixing" in self.fixed else mixings:
                option = {} if mixing is None else {"mixing": mixing}
                yield kind, option, {"contexts": kind, **option}
            return
        default = self.model.replace(contexts=kind, floor=None).floor
        for share in (
            [None] if "floor" in self.fixed else FLOOR_SHARES if all_of_them else (1.0, FLOOR_SHARES[-1])
        ):
            changes = {"contexts": kind} | ({} if share is None else {"floor": share * default})
            yield kind, {} if share is None else {"floor_share": share}, changes

    def _evaluated(
        self, n: int, shrinkage: float, options: Sequence[tuple[str, Mapping[str, float], Mapping[str, Any]]]
    ) -> Trial:
        begin = time.perf_counter()
        automaton: Any = self.spectrum.automaton(n)
        n = automaton.n_states
        if shrinkage:
            in_f = shrinkage_in_function(shrinkage, self.spectrum.blocks)
            automaton = Damped(automaton, self.spectrum.svd.singular_values[:n], in_f)
        ways = [self.model.replace(**changes).smoothing for _, _, changes in options]
        q = node_probabilities(automaton, self.model.window, ways, self.events.trie)
        bits = [self.events.bits_per_symbol(own) for own in q]
        seconds = time.perf_counter() - begin
        if self.others is not None and n >= _MIXED_FROM // 2:
            best_way = min(range(len(bits)), key=bits.__getitem__)
            mixed = self._bits_of_mixture(q[best_way], self.others)
            self._mixed[n] = min(mixed, self._mixed.get(n, mixed))
        found = [
            Trial(kind, n, shrinkage, option, value, seconds)
            for (kind, option, _), value in zip(options, bits, strict=True)
        ]
        self.trials += found
        best = min(found, key=lambda trial: trial.bits)
        shrunk = f", shrunk by {shrinkage:g}" if shrinkage else ""
        self.show(f"{n:,} states{shrunk}: {best.bits:.4f} bits per symbol on held-out text")
        return best

    def _bits_of_mixture(self, q: Floats, others: Floats) -> float:
        scored = np.flatnonzero(self.events.counts)
        both = np.stack([q[scored], others[scored]], axis=1)
        weights = fit_weights(both, self.events.counts[scored])
        mixed = np.ones_like(q)
        mixed[scored] = both @ weights
        return self.events.bits_per_symbol(mixed)

    def _mixture_gained(self) -> bool:
        """Whether the last doubling helped the mixture, too; True if there is to be none."""
        *before, last = self._mixed.values() if self._mixed else [math.inf]
        return not before or last < min(before) * (1 - _LEAST_GAIN)
