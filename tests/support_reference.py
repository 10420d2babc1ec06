"""Slow and obvious: what the stages up to the basis must agree with, straight from the definitions."""

from collections import Counter, defaultdict


def substring_counts(sequences, max_length):
    counts = Counter()
    for sequence in sequences:
        for begin in range(len(sequence) + 1):
            for end in range(begin, min(begin + max_length, len(sequence)) + 1):
                counts[tuple(sequence[begin:end])] += 1
    return counts


def edges_of(support):
    """The (prefix, suffix) pairs of every cut of every string."""
    return {(tuple(x[:i]), tuple(x[i:])) for x in support for i in range(len(x) + 1)}


def maximum_matching_size(edges):
    """Kuhn's algorithm; recursive, for small graphs."""
    neighbours = defaultdict(list)
    for left, right in edges:
        neighbours[left].append(right)
    mate = {}

    def augment(left, seen):
        for right in neighbours[left]:
            if right not in seen:
                seen.add(right)
                if right not in mate or augment(mate[right], seen):
                    mate[right] = left
                    return True
        return False

    return sum(augment(left, set()) for left in neighbours)
