"""From texts to a model: the stages in their order, the choices on held-out text, and learning again."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .._utils.progress import Progress
from .._utils.validation import argument_named
from ..automata.automaton import WeightedAutomaton
from ..automata.recovery import learn_automaton
from ..automata.svd import TruncatedSVD
from ..prediction.language_model import LanguageModel
from ..prediction.mixtures.choice import MixtureChoice, choose_mixture
from ..prediction.mixtures.mixture import MixtureModel
from ..prediction.mixtures.n_grams import KneserNeyModel
from ..prediction.selection import HeldOut
from .parameters import Choices
from .search import Search, Trial
from .spectrum import Spectrum, shrinkage_in_function
from .stages import Hankel, Setting, build_blocks, factorize
from .texts import TrainingText, in_pieces


class Fitting:
    """Learns, and holds what it has learned.

    Parameters
    ----------
    setting : Setting
    choices : Choices
    progress : Progress
        Gets the reports.
    deadline : float
        When, by `time.monotonic`, the search is to end.

    Attributes
    ----------
    hankel : Hankel
    svd : TruncatedSVD
    automaton : WeightedAutomaton
    window_model : LanguageModel
    model : LanguageModel or MixtureModel
    choice : Trial
        What was chosen.
    mixture : MixtureChoice or None
    dev_bits : float or None
    is_refitted : bool
    trials : list of Trial
    stopped_by : str or None
    """

    hankel: Hankel
    svd: TruncatedSVD
    automaton: WeightedAutomaton
    window_model: LanguageModel
    model: LanguageModel | MixtureModel
    choice: Trial

    def __init__(self, setting: Setting, choices: Choices, progress: Progress, deadline: float) -> None:
        self._setting, self._choices, self._progress, self._deadline = setting, choices, progress, deadline
        self.mixture: MixtureChoice | None = None
        self.dev_bits: float | None = None
        self.is_refitted = False
        self.trials: list[Trial] = []
        self.stopped_by: str | None = None

    def run(self, training: TrainingText, held_out: HeldOut | None, whole: TrainingText | None) -> None:
        """Learn from `training`, choose on `held_out`, and learn again from `whole`, where they are given."""
        self.hankel = build_blocks(training, self._setting, self._progress)
        is_mixed = self._choices.mixture and held_out is not None
        with self._progress.stage("states") as stage:
            self.choice = self._choose(held_out, stage.show)
            if whole is None or is_mixed:
                self._make_model()
            stage.done(self._choice_text(), **self._choice_sizes())
        if is_mixed:
            assert held_out is not None
            self._mix(held_out)
        if whole is not None:
            self._learn_again(whole)

    def tried(self) -> dict[tuple[str, int], float]:
        """The best bits of held-out text by contexts and number of states."""
        tried: dict[tuple[str, int], float] = {}
        for trial in self.trials:
            key = trial.contexts, trial.n_states
            tried[key] = min(trial.bits, tried.get(key, math.inf))
        return tried

    def _choose(self, dev: HeldOut | None, show: Callable[[str], None]) -> Trial:
        """What is best on `dev`: the number of states, contexts, shrinkage and options."""
        numbers, fixed = self._choices.numbers, self._choices.fixed
        kinds = self._choices.kinds(with_choice=dev is not None)
        blocks = self.hankel.blocks
        if dev is None:
            self.svd = factorize(blocks, numbers[0], self._setting, self._progress)
            return Trial(kinds[0], self.svd.n_states, fixed.get("shrinkage", 0.0), {}, math.nan, 0.0)
        most = max(numbers) if numbers else self._choices.max_states
        spectrum = Spectrum(blocks, self._setting, self._choices.dtype, most, self._progress)
        model = self._language_model(spectrum.automaton(1), kinds[0])
        with argument_named("dev", "corpus"):
            events = model._events(*dev)
        f = self.hankel.function
        others = None
        if self._choices.mixture and f._is_closed:
            others = KneserNeyModel(f, model.window)._node_probabilities(events.trie)
        search = Search(spectrum, model, events, kinds, fixed, others, self._deadline, show)
        best = search.run(numbers)
        self.svd, self.trials, self.dev_bits, self.stopped_by = (
            spectrum.svd,
            search.trials,
            best.bits,
            search.stopped,
        )
        return best

    def _mix(self, dev: HeldOut) -> None:
        """Mix the model with whole histories and n-grams, as far as `dev` says so."""
        f = self.hankel.function
        with self._progress.stage("mixture") as stage:
            held_out = in_pieces(dev, f.alphabet)
            choice, parts = choose_mixture(
                self.window_model, f, held_out, stage.show, max_states=self._choices.max_states
            )
            self.model = choice.build(self.window_model, f)
            self.mixture, self.dev_bits = choice, choice.bits
            shares = ", ".join(f"{part['weight']:.2f} of {name}" for name, part in parts.items())
            stage.done(f"{shares}; {choice.bits:.4f} bits on held-out text", parts=parts)

    def _learn_again(self, whole: TrainingText) -> None:
        with self._progress.stage("refit") as stage:
            quiet = Progress()
            self.hankel = build_blocks(whole, self._setting, quiet)
            self.svd = factorize(self.hankel.blocks, self.choice.n_states, self._setting, quiet)
            self._make_model()
            if self.mixture is not None:
                self.model = self.mixture.build(self.window_model, self.hankel.function)
            self.is_refitted = True
            n = self.hankel.function.n_sequences
            stage.done(f"learned again from all {n:,} sequences", sequences=n, stages=quiet.report)

    def _language_model(self, automaton: WeightedAutomaton, contexts: Any) -> LanguageModel:
        fixed = self._choices.fixed
        unseen: Any = self._choices.unseen
        model = LanguageModel(automaton, contexts=contexts, floor=fixed.get("floor"), unseen=unseen)
        return model.replace(mixing=fixed["mixing"]) if "mixing" in fixed else model

    def _make_model(self) -> None:
        """The automaton and the model of the choice, from the blocks and the SVD as they are."""
        blocks, choice = self.hankel.blocks, self.choice
        self.automaton = learn_automaton(
            blocks,
            choice.n_states or None,  # 0 where H is zero, which is refused there
            self.svd,
            shrinkage=shrinkage_in_function(choice.shrinkage, blocks),
            dtype=self._choices.dtype,
        )
        model = self._language_model(self.automaton, choice.contexts)
        if "mixing" in choice.options:
            model = model.replace(mixing=choice.options["mixing"])
        elif "floor_share" in choice.options:
            model = model.replace(floor=choice.options["floor_share"] * model.floor)
        self.model = self.window_model = model

    def _choice_sizes(self) -> dict[str, object]:
        return {
            "states": self.choice.n_states,
            "contexts": self.choice.contexts,
            "shrinkage": self.choice.shrinkage,
            **self.choice.options,
            "dev_bits_per_symbol": self.dev_bits,
            "stopped_by": self.stopped_by,
        }

    def _choice_text(self) -> str:
        """The number of states, why that, and how they are used."""
        choice, numbers = self.choice, self._choices.numbers
        n = f"{choice.n_states:,}"
        grid = sorted({trial.n_states for trial in self.trials})
        if len(numbers) == 1:
            n += ", as asked for" if choice.n_states == numbers[0] else ", all there are"
        if len(grid) > 1:
            n += f", best on held-out text of {len(grid)} numbers from {grid[0]:,} to {grid[-1]:,}"
        use = f"{choice.contexts} contexts"
        if "mixing" in choice.options:
            use += f", the shorter weighing {choice.options['mixing']:g}"
        bits = "" if self.dev_bits is None else f": {self.dev_bits:.4f} bits per symbol there"
        shrunk = f", shrunk by {choice.shrinkage:g}" if choice.shrinkage else ""
        return f"{n}{shrunk}; {use}{bits}"
