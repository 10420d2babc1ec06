# The compiled core as Python sees it; tests/test_stubs.py compares this with the module itself.
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

_Int32 = NDArray[np.int32]
_Int64 = NDArray[np.int64]
_Float64 = NDArray[np.float64]
_Csr = tuple[NDArray[Any], NDArray[Any], _Float64]

# Threads (bind_threads.cpp)

def set_max_threads(n_threads: int) -> None: ...
def max_threads() -> int: ...
def is_only_thread() -> bool: ...

# Tries (bind_strings.cpp)

class Trie32:
    @property
    def n_nodes(self) -> int: ...
    @property
    def level_begin(self) -> _Int32: ...
    @property
    def symbol(self) -> _Int32: ...
    @property
    def parent(self) -> _Int32: ...
    @property
    def child_begin(self) -> _Int32: ...
    @property
    def suffix(self) -> _Int32: ...
    def find(self, symbols: _Int32, offsets: _Int64) -> _Int32: ...
    def spell(self, nodes: _Int32, reversed: bool = False) -> tuple[_Int32, _Int64]: ...

class Trie64:
    @property
    def n_nodes(self) -> int: ...
    @property
    def level_begin(self) -> _Int64: ...
    @property
    def symbol(self) -> _Int32: ...
    @property
    def parent(self) -> _Int64: ...
    @property
    def child_begin(self) -> _Int64: ...
    @property
    def suffix(self) -> _Int64: ...
    def find(self, symbols: _Int32, offsets: _Int64) -> _Int64: ...
    def spell(self, nodes: _Int64, reversed: bool = False) -> tuple[_Int32, _Int64]: ...

def count_substrings(
    symbols: _Int32, offsets: _Int64, max_length: int, wide_ids: bool = False, min_count: int = 1
) -> tuple[Trie32 | Trie64, _Int64]: ...
def string_set(
    symbols: _Int32, offsets: _Int64, reversed: bool = False, wide_ids: bool = False
) -> tuple[Trie32 | Trie64, NDArray[Any]]: ...
@overload
def trailing_windows(trie: Trie32, symbols: _Int32, offsets: _Int64) -> _Int32: ...
@overload
def trailing_windows(trie: Trie64, symbols: _Int32, offsets: _Int64) -> _Int64: ...

# Prefix-suffix graphs (bind_hankel.cpp)

class PrefixSuffixGraph32:
    @overload
    def __init__(self, trie: Trie32) -> None: ...
    @overload
    def __init__(
        self, prefixes: Trie32, suffixes: Trie32, strings: _Int32, string_suffix: _Int32
    ) -> None: ...
    @property
    def n_prefixes(self) -> int: ...
    @property
    def n_suffixes(self) -> int: ...
    @property
    def n_edges(self) -> int: ...
    def edges32(self, values: _Float64) -> _Csr: ...
    def edges64(self, values: _Float64) -> _Csr: ...
    @property
    def is_closed(self) -> bool: ...
    @property
    def n_bytes(self) -> int: ...
    def match_hankel(self) -> tuple[_Int32, _Int32, _Int32, _Int32, int]: ...
    def match_implicit(self, method: str) -> tuple[_Int32, _Int32]: ...
    def match_heavy(self, values: _Float64) -> tuple[_Int32, _Int32, _Int32, _Int32, int]: ...
    def match_heaviest(self, weights: _Float64) -> tuple[_Int32, _Int32, _Int32, _Int32, int]: ...
    def match_paper(
        self, indptr: NDArray[Any], indices: NDArray[Any], order: NDArray[Any], shifted_pairs: bool
    ) -> tuple[NDArray[Any], NDArray[Any]]: ...
    def hankel_blocks(
        self,
        values: _Float64,
        row_of: NDArray[Any],
        col_of: NDArray[Any],
        n_rows: int,
        n_cols: int,
        n_symbols: int,
    ) -> dict[str, Any]: ...

class PrefixSuffixGraph64:
    @overload
    def __init__(self, trie: Trie64) -> None: ...
    @overload
    def __init__(
        self, prefixes: Trie64, suffixes: Trie64, strings: _Int64, string_suffix: _Int64
    ) -> None: ...
    @property
    def n_prefixes(self) -> int: ...
    @property
    def n_suffixes(self) -> int: ...
    @property
    def n_edges(self) -> int: ...
    def edges32(self, values: _Float64) -> _Csr: ...
    def edges64(self, values: _Float64) -> _Csr: ...
    @property
    def is_closed(self) -> bool: ...
    @property
    def n_bytes(self) -> int: ...
    def match_hankel(self) -> tuple[_Int64, _Int64, _Int64, _Int64, int]: ...
    def match_implicit(self, method: str) -> tuple[_Int64, _Int64]: ...
    def match_heavy(self, values: _Float64) -> tuple[_Int64, _Int64, _Int64, _Int64, int]: ...
    def match_heaviest(self, weights: _Float64) -> tuple[_Int64, _Int64, _Int64, _Int64, int]: ...
    def match_paper(
        self, indptr: NDArray[Any], indices: NDArray[Any], order: NDArray[Any], shifted_pairs: bool
    ) -> tuple[NDArray[Any], NDArray[Any]]: ...
    def hankel_blocks(
        self,
        values: _Float64,
        row_of: NDArray[Any],
        col_of: NDArray[Any],
        n_rows: int,
        n_cols: int,
        n_symbols: int,
    ) -> dict[str, Any]: ...

# Matchings (bind_matching.cpp)

@overload
def match(
    n_rows: int,
    n_cols: int,
    indptr: _Int32,
    indices: _Int32,
    method: str,
    row_mate: _Int32 | None,
    col_mate: _Int32 | None,
) -> tuple[int, _Int32, _Int32]: ...
@overload
def match(
    n_rows: int,
    n_cols: int,
    indptr: _Int64,
    indices: _Int64,
    method: str,
    row_mate: _Int64 | None,
    col_mate: _Int64 | None,
) -> tuple[int, _Int64, _Int64]: ...
@overload
def transpose(n_rows: int, n_cols: int, indptr: _Int32, indices: _Int32) -> tuple[_Int32, _Int32]: ...
@overload
def transpose(n_rows: int, n_cols: int, indptr: _Int64, indices: _Int64) -> tuple[_Int64, _Int64]: ...
@overload
def csr_of_coordinates(n_rows: int, n_cols: int, rows: _Int32, cols: _Int32) -> tuple[_Int32, _Int32]: ...
@overload
def csr_of_coordinates(n_rows: int, n_cols: int, rows: _Int64, cols: _Int64) -> tuple[_Int64, _Int64]: ...
@overload
def is_valid_matching(
    n_rows: int, n_cols: int, indptr: _Int32, indices: _Int32, row_mate: _Int32, col_mate: _Int32
) -> bool: ...
@overload
def is_valid_matching(
    n_rows: int, n_cols: int, indptr: _Int64, indices: _Int64, row_mate: _Int64, col_mate: _Int64
) -> bool: ...
@overload
def is_maximum_matching(
    n_rows: int, n_cols: int, indptr: _Int32, indices: _Int32, row_mate: _Int32, col_mate: _Int32
) -> bool: ...
@overload
def is_maximum_matching(
    n_rows: int, n_cols: int, indptr: _Int64, indices: _Int64, row_mate: _Int64, col_mate: _Int64
) -> bool: ...
@overload
def minimum_vertex_cover(
    n_rows: int, n_cols: int, indptr: _Int32, indices: _Int32, row_mate: _Int32, col_mate: _Int32
) -> tuple[_Int32, _Int32]: ...
@overload
def minimum_vertex_cover(
    n_rows: int, n_cols: int, indptr: _Int64, indices: _Int64, row_mate: _Int64, col_mate: _Int64
) -> tuple[_Int64, _Int64]: ...
@overload
def dulmage_mendelsohn(
    n_rows: int, n_cols: int, indptr: _Int32, indices: _Int32, row_mate: _Int32, col_mate: _Int32
) -> tuple[_Int32, _Int32, _Int32, _Int32, _Int32, _Int32]: ...
@overload
def dulmage_mendelsohn(
    n_rows: int, n_cols: int, indptr: _Int64, indices: _Int64, row_mate: _Int64, col_mate: _Int64
) -> tuple[_Int64, _Int64, _Int64, _Int64, _Int64, _Int64]: ...

# Texts (bind_text.cpp)

def read_text(
    data: bytes, tokens: bool, stream: bool, end_symbol: bool, start_symbol: bool
) -> tuple[_Int32, _Int64, list[str]]: ...

# Weighted matchings (bind_weighted.cpp)

def maximum_weight_matching(
    n_rows: int,
    n_cols: int,
    indptr: NDArray[Any],
    indices: NDArray[Any],
    weights: _Float64,
    maximum_cardinality: bool,
) -> tuple[NDArray[Any], NDArray[Any], _Float64, _Float64, float]: ...
def full_matching(
    n_rows: int,
    n_cols: int,
    indptr: NDArray[Any],
    indices: NDArray[Any],
    weights: _Float64,
    maximize: bool,
) -> tuple[_Int64, _Int32] | None: ...
def heaviest_of_given(
    n_rows: int,
    n_cols: int,
    indptr: NDArray[Any],
    indices: NDArray[Any],
    weights: _Float64,
    maximum_cardinality: bool,
    minimize: bool,
) -> tuple[NDArray[Any], NDArray[Any], _Float64, _Float64, float, _Float64] | None: ...
def heavy_of_given(
    n_rows: int, n_cols: int, indptr: NDArray[Any], indices: NDArray[Any], weights: _Float64
) -> tuple[NDArray[Any], NDArray[Any]] | None: ...
def are_weights(weights: _Float64) -> bool: ...
def dense_assignment(costs: _Float64, restarts: str = "when searches are long") -> _Int64: ...
def assign(
    n_rows: int,
    n_cols: int,
    indptr: NDArray[Any],
    indices: NDArray[Any],
    weights: _Float64,
    restarts: str,
) -> NDArray[Any] | None: ...
def is_canonical(n_rows: int, n_cols: int, indptr: NDArray[Any], indices: NDArray[Any]) -> bool: ...
def pair_weights(
    n_rows: int,
    n_cols: int,
    indptr: NDArray[Any],
    indices: NDArray[Any],
    weights: _Float64,
    row_mate: NDArray[Any],
) -> _Float64: ...
def heavy_matching(
    n_rows: int, n_cols: int, indptr: NDArray[Any], indices: NDArray[Any], weights: _Float64
) -> tuple[NDArray[Any], NDArray[Any]]: ...
def is_optimal_matching(
    n_rows: int,
    n_cols: int,
    indptr: NDArray[Any],
    indices: NDArray[Any],
    weights: _Float64,
    row_mate: NDArray[Any],
    col_mate: NDArray[Any],
    row_dual: _Float64,
    col_dual: _Float64,
    cardinality_dual: float,
    tolerance: float,
) -> bool: ...

# Exchanges of edges (bind_exchanges.cpp)

def largest_within_capacities(
    n_rows: int,
    n_cols: int,
    indptr: NDArray[Any],
    indices: NDArray[Any],
    row_capacities: NDArray[Any],
    col_capacities: NDArray[Any],
) -> NDArray[np.uint8]: ...
def match_within_capacities(
    n_rows: int,
    n_cols: int,
    indptr: NDArray[Any],
    indices: NDArray[Any],
    weights: _Float64,
    row_capacities: NDArray[Any],
    col_capacities: NDArray[Any],
    maximum_size: bool,
) -> tuple[NDArray[np.uint8], tuple[NDArray[np.int64], _Float64], tuple[NDArray[np.int64], _Float64]]: ...
def rematch(
    n_rows: int,
    n_cols: int,
    indptr: NDArray[Any],
    indices: NDArray[Any],
    weights: _Float64,
    row_mate: NDArray[Any],
    col_mate: NDArray[Any],
    row_dual: _Float64,
    col_dual: _Float64,
    cardinality_dual: float,
    maximum_cardinality: bool,
    price: float,
) -> tuple[NDArray[Any], NDArray[Any], _Float64, _Float64, float]: ...

class RankedMatchings32:
    def __init__(
        self,
        n_rows: int,
        n_cols: int,
        indptr: _Int32,
        indices: _Int32,
        weights: _Float64,
        row_mate: _Int32,
        col_mate: _Int32,
        row_dual: _Float64,
        col_dual: _Float64,
        cardinality_dual: float,
    ) -> None: ...
    def __iter__(self) -> RankedMatchings32: ...
    def __next__(self) -> _Int32: ...

class RankedMatchings64:
    def __init__(
        self,
        n_rows: int,
        n_cols: int,
        indptr: _Int64,
        indices: _Int64,
        weights: _Float64,
        row_mate: _Int64,
        col_mate: _Int64,
        row_dual: _Float64,
        col_dual: _Float64,
        cardinality_dual: float,
    ) -> None: ...
    def __iter__(self) -> RankedMatchings64: ...
    def __next__(self) -> _Int64: ...

# Probabilistic automata (bind_probabilistic_automaton.cpp)

class Sample:
    def __init__(self, symbols: _Int32, offsets: _Int64, trie_nodes: int = 2048) -> None: ...
    @property
    def n_nodes(self) -> int: ...
    def log_probabilities(self, initial: _Float64, final: _Float64, transitions: _Float64) -> _Float64: ...
    def prefix_log_probabilities(
        self, initial: _Float64, final: _Float64, transitions: _Float64
    ) -> _Float64: ...
    def expected_counts(
        self,
        weights: _Float64,
        initial: _Float64,
        final: _Float64,
        transitions: _Float64,
        single: bool = False,
    ) -> tuple[float, _Float64, _Float64, _Float64]: ...

class StateChains:
    def __init__(self, symbols: _Int32, offsets: _Int64) -> None: ...
    def add(
        self,
        initial: _Float64,
        final: _Float64,
        transitions: _Float64,
        concentration: float,
        seed: int,
        hidden_markov: bool,
    ) -> None: ...
    def set_concentration(self, chain: int, concentration: float) -> None: ...
    def sweep(self, n_sweeps: int) -> None: ...
    def uses(self, chain: int) -> tuple[_Float64, _Float64, _Float64]: ...
