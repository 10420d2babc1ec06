"""Baum-Welch on the tree of a sample's prefixes in numpy, and by brute force, to compare the core with."""

import itertools

import numpy as np


class PrefixTree:
    """The distinct prefixes of some strings of ids, level by level; `ends` weighs each as a string."""

    def __init__(self, strings, weights=None):
        weights = np.ones(len(strings)) if weights is None else weights
        total = {}
        for string, weight in zip(strings, weights, strict=True):
            total[tuple(string)] = total.get(tuple(string), 0.0) + weight
        prefixes = {string[:t] for string in total for t in range(len(string) + 1)} | {()}
        self.prefixes = sorted(prefixes, key=lambda x: (len(x), x[-1:], x))
        place = {prefix: v for v, prefix in enumerate(self.prefixes)}
        self.parent = np.array([place[prefix[:-1]] for prefix in self.prefixes])
        self.ends = np.array([total.get(prefix, 0.0) for prefix in self.prefixes])
        keys = [(len(prefix), prefix[-1:]) for prefix in self.prefixes]
        nodes = range(1, len(keys))
        self.groups = [
            (key[1][0], np.fromiter(group, np.int64))
            for key, group in itertools.groupby(nodes, keys.__getitem__)
        ]

    def expected_counts(self, initial, final, transitions):
        """Log-likelihood and the expected counts of initial states, ends and transitions."""
        forward = np.empty((len(self.parent), len(initial)))
        scale, log_scale = np.ones(len(self.parent)), np.zeros(len(self.parent))
        forward[0] = initial
        for a, nodes in self.groups:  # one product for each length and last symbol
            reached = forward[self.parent[nodes]] @ transitions[a]
            scale[nodes] = reached.sum(axis=1)
            forward[nodes] = reached / scale[nodes, None]
            log_scale[nodes] = log_scale[self.parent[nodes]] + np.log(scale[nodes])
        ending = forward @ final
        used = self.ends > 0
        ratio = np.where(used, self.ends, 0) / np.where(used, ending, 1)
        log_likelihood = self.ends[used] @ (log_scale[used] + np.log(ending[used]))
        backward = ratio[:, None] * final
        counts = np.zeros_like(transitions)
        for a, nodes in reversed(self.groups):
            after, parents = backward[nodes] / scale[nodes, None], self.parent[nodes]
            counts[a] += forward[parents].T @ after
            backward[parents] += after @ transitions[a].T  # the parents of a group are distinct
        return log_likelihood, initial * backward[0], final * (ratio @ forward), counts * transitions


def expected_counts_by_paths(strings, weights, initial, final, transitions):
    """The same, from the probability of every path of states of every string."""
    n = len(initial)
    counts = [np.zeros_like(x) for x in (initial, final, transitions)]
    log_likelihood = 0.0
    for string, weight in zip(strings, weights, strict=True):
        paths = list(itertools.product(range(n), repeat=len(string) + 1))
        joint = [
            initial[path[0]]
            * np.prod([transitions[a][i, j] for a, i, j in zip(string, path, path[1:], strict=False)])
            * final[path[-1]]
            for path in paths
        ]
        log_likelihood += weight * np.log(sum(joint))
        for path, probability in zip(paths, joint, strict=True):
            share = weight * probability / sum(joint)
            counts[0][path[0]] += share
            counts[1][path[-1]] += share
            for a, i, j in zip(string, path, path[1:], strict=False):
                counts[2][a][i, j] += share
    return log_likelihood, *counts


def random_parameters(n_states, n_symbols, rng, *, ending=0.0):
    """A random probabilistic automaton; each state ends with probability `ending` at least."""
    initial = rng.dirichlet(np.ones(n_states))
    outcomes = rng.dirichlet(np.ones(n_states * n_symbols + 1), n_states) * (1 - ending)
    outcomes[:, -1] += ending
    transitions = outcomes[:, :-1].reshape(n_states, n_symbols, n_states).transpose(1, 0, 2)
    return initial, outcomes[:, -1].copy(), np.ascontiguousarray(transitions)


def random_strings(n_strings, n_symbols, mean_length, rng):
    return [tuple(rng.integers(0, n_symbols, rng.poisson(mean_length)).tolist()) for _ in range(n_strings)]
