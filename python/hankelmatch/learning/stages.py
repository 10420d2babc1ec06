"""The stages of a learner that need no held-out text: from sequences to the Hankel blocks and their SVD."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from .._utils.progress import Progress
from ..automata.svd import TruncatedSVD, truncated_svd
from ..counting.in_memory import substring_expectations
from ..counting.sequence_function import SequenceFunction
from ..hankel.basis import (
    Basis,
    BasisLike,
    as_basis,
    full_basis,
    length_basis,
    matching_basis,
    random_cuts_basis,
    top_norm_basis,
)
from ..hankel.blocks import HankelBlocks, hankel_blocks
from ..hankel.graph import PrefixSuffixGraph, prefix_suffix_graph
from ..matching.maximum import Matching, match
from ..sequences.corpus import Corpus
from .texts import TrainingText

BASES = ("matching", "full", "length", "random-cuts", "top-norm")


@dataclass(frozen=True)
class Setting:
    """The parameters of a learner that decide on the blocks."""

    max_length: int
    min_count: int
    basis: str | BasisLike
    basis_size: int | None
    method: str
    svd: str
    seed: int

    @staticmethod
    def of(given: Mapping[str, Any]) -> Setting:
        """The setting among all parameters of a learner."""
        return Setting(**{field.name: given[field.name] for field in fields(Setting)})


@dataclass(frozen=True)
class Hankel:
    """What the stages up to the blocks made."""

    function: SequenceFunction
    graph: PrefixSuffixGraph
    matching: Matching | None
    basis: Basis
    blocks: HankelBlocks


def build_blocks(training: TrainingText, setting: Setting, progress: Progress) -> Hankel:
    """Count, match, and fill the blocks."""
    with progress.stage("substrings") as stage:
        f = _count(training, setting)
        stage.done(f"{len(f):,} distinct of length 0 to {setting.max_length}", substrings=len(f))
    with progress.stage("graph") as stage:
        graph = prefix_suffix_graph(f)
        stage.done(
            f"{graph.n_prefixes:,} + {graph.n_suffixes:,} nodes, {graph.n_edges:,} edges",
            prefixes=graph.n_prefixes,
            suffixes=graph.n_suffixes,
            edges=graph.n_edges,
        )
    matching = _match(graph, setting, progress) if _needs_matching(setting) else None
    with progress.stage("blocks") as stage:
        basis = _make_basis(graph, matching, setting)
        blocks = hankel_blocks(f, basis, graph=graph)
        rows, columns = basis.shape
        n_entries = blocks.H.nnz
        text = f"{rows:,} prefixes x {columns:,} suffixes, {n_entries:,} entries"
        stage.done(text, rows=rows, columns=columns, entries=n_entries)
    return Hankel(f, graph, matching, basis, blocks)


def _count(training: TrainingText, setting: Setting) -> SequenceFunction:
    text, weights = training
    if isinstance(text, Corpus):
        if text.n_symbols == 0:
            raise ValueError("corpus: it has no symbols; give at least one sequence that is not empty")
        return substring_expectations(text, setting.max_length, setting.min_count, sample_weight=weights)
    if text.max_length > setting.max_length:
        raise ValueError(
            f"max_length: {setting.max_length} is less than {text.max_length}, the length of the longest "
            "string in corpus; give the length for which it was counted"
        )
    if setting.min_count != 1:
        raise ValueError(
            f"min_count: {setting.min_count} given, but corpus has been counted already; give it to "
            "count_text or SequenceFunction.from_parquet, and 1 here"
        )
    if text.n_sequences is None:
        raise ValueError("corpus: the function has no number of sequences; give n_sequences where it is made")
    return text


def _needs_matching(setting: Setting) -> bool:
    if not isinstance(setting.basis, str):
        return False
    sized = setting.basis in ("random-cuts", "top-norm") and setting.basis_size is None
    return setting.basis == "matching" or sized


def _match(graph: PrefixSuffixGraph, setting: Setting, progress: Progress) -> Matching:
    with progress.stage("matching") as stage:
        matching = match(graph, method=setting.method)
        rows, columns = matching.minimum_vertex_cover()
        stage.done(
            f"{matching.size:,} pairs (structural rank), certified by a vertex cover",
            size=matching.size,
            vertex_cover=len(rows) + len(columns),
        )
    return matching


def _make_basis(graph: PrefixSuffixGraph, matching: Matching | None, setting: Setting) -> Basis:
    if not isinstance(setting.basis, str):
        return as_basis(setting.basis)
    size = setting.basis_size
    if setting.basis == "matching":
        return matching_basis(graph, matching=matching)
    if setting.basis == "full":
        return full_basis(graph)
    if setting.basis == "length":
        return length_basis(graph, setting.max_length // 2 if size is None else size)
    if size is None:
        assert matching is not None
        size = matching.size
    if setting.basis == "random-cuts":
        return random_cuts_basis(graph, size, setting.seed)
    return top_norm_basis(graph, size)


def factorize(
    blocks: HankelBlocks, n_wanted: int | None, setting: Setting, progress: Progress
) -> TruncatedSVD:
    """The SVD of the block: its leading triplets, or all."""
    shortest = min(blocks.H.shape)
    with progress.stage("svd") as stage:
        svd = truncated_svd(blocks.H, n_wanted, setting.svd, seed=setting.seed)
        n = svd.n_states
        is_rank = n_wanted is None or n < n_wanted
        text = f"numeric rank {n:,} of {shortest:,}" if is_rank else f"{n:,} singular values of {shortest:,}"
        stage.done(
            f"{text} ({svd.method})",
            singular_values=n,
            numeric_rank=n if is_rank else None,
            method=svd.method,
        )
    return svd
