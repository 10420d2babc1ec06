"""The best that a search by hand finds for a text, by whichever version of hankelmatch runs this file.

    PYTHON benchmarks/learner_by_hand.py DATA TEXT

For each length T of a few the learner gets a grid of numbers of states, and chooses by the text's dev part:
the number, the shrinkage, contexts and mixing; then T is chosen, too. SPiCe has no dev part: there the
learner chooses the shrinkage on a tenth, learns from all with it and without, and the public prefixes choose
T, the number of states and the mixing. The test part, or the private prefixes, choose nothing. It prints
JSON, with what each T gives; `benchmarks.learner --by-hand` calls it.
"""

import json
import sys
from pathlib import Path

from hankelmatch import LanguageModel, SpectralLearner, ndcg
from learner_run import STREAM, read_prefixes, stream, tagged_lines, texts

STATES = (5, 10, 20, 40, 80, 160, 300, 500, 700, 1000, 1400, 2000)
LENGTHS = {"ptb": (5,), "warandpeace": (5,)}  # T is given there
OTHER_LENGTHS = (3, 4, 5, 6)
MIXINGS = (0.35, 0.7, 1.5, 3.0, 6.0, 12.0)
USUAL_MIXING = 1.5


def main(data, name):
    search = of_prefixes if name.startswith("spice") else of_lines
    train, score = texts(Path(data), name)
    tried = []
    for length in LENGTHS.get(name, OTHER_LENGTHS):
        found, model = search(Path(data), name, train, length)
        tried.append({**found, "score": score(model)})
        print(json.dumps(tried[-1]), file=sys.stderr, flush=True)
    print(json.dumps({**max(tried, key=lambda one: one["chosen_by"]), "tried": tried}))


def of_lines(data, name, train, length):
    """The best on the dev part: the setting, and what was learned."""
    learner = SpectralLearner(length, n_states=list(STATES), unseen="skip").fit(
        train, dev=dev_part(data, name)
    )
    window = getattr(learner, "window_model_", learner.model_)  # version 0.1.0 mixes with nothing else
    found = {"max_length": length, "n_states": learner.n_states_, "shrinkage": learner.shrinkage_}
    found |= {"contexts": window.contexts, "mixing": window.mixing}
    return {**found, "chosen_by": -learner.dev_bits_}, learner


def dev_part(data, name):
    if name == "warandpeace":
        n_train, n_dev = STREAM
        return stream(data, slice(n_train, n_train + n_dev))
    return tagged_lines(data, name, "dev")


class Scored:
    """A model as the score of a text takes it."""

    def __init__(self, model):
        self.model_ = model


def of_prefixes(data, name, train, length):
    """The best on the public prefixes."""
    public = read_prefixes(data, name, "public")
    held_out = SpectralLearner(length, n_states=list(STATES)).fit(train)
    tried = []
    for shrinkage in {0.0, held_out.shrinkage_}:
        learner = SpectralLearner(length, n_states=STATES[-1], shrinkage=shrinkage).fit(train)
        model, automaton = learner.model_, learner.automaton_
        numbers = sorted({min(n, automaton.n_states) for n in STATES})

        def of(n, mixing, model=model, automaton=automaton, shrinkage=shrinkage):
            changed = LanguageModel(automaton.truncate(n), model.window, contexts="mixed", mixing=mixing)
            by = ndcg(changed.rankings(public.prefixes), public.targets)
            setting = {"max_length": length, "n_states": n, "shrinkage": shrinkage, "mixing": mixing}
            return {**setting, "chosen_by": by}, changed

        of_numbers = [of(n, USUAL_MIXING) for n in numbers]
        n = max(of_numbers, key=lambda one: one[0]["chosen_by"])[0]["n_states"]
        tried += of_numbers + [of(n, mixing) for mixing in MIXINGS]
    found, model = max(tried, key=lambda one: one[0]["chosen_by"])
    return found, Scored(model)


if __name__ == "__main__":
    main(*sys.argv[1:])
