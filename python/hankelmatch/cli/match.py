"""``hankelmatch match``: a maximum matching of a Matrix Market file, and its structural rank."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from .._utils.files import write_atomically
from .._utils.progress import Progress
from ..matching.block_triangular import DulmageMendelsohn, dulmage_mendelsohn
from ..matching.maximum import METHODS, Matching, match
from ._common import UserError, add_json, check_output, command, print_json
from ._matrices import read_matrix

Result: TypeAlias = "dict[str, list[int]]"


def add_match(commands: Any) -> None:
    parser = command(
        commands, "match", _match, "Find a maximum matching of a sparse matrix, and its structural rank."
    )
    parser.add_argument(
        "matrix", metavar="FILE", help="FILE.mtx or FILE.mtx.gz; stored zeros count as entries"
    )
    help_text = "how to search: auto (the default) is fast on every kind of matrix"
    parser.add_argument("--method", choices=METHODS, default="auto", help=help_text)
    parser.add_argument("--dm", action="store_true", help="block triangular form (Dulmage-Mendelsohn) too")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write the pairs, rows and columns counted from 0, to FILE.csv, FILE.json or FILE.npz; with "
        "--dm the permutations and boundaries of the blocks too (not to csv)",
    )
    add_json(parser)


def _match(options: argparse.Namespace) -> None:
    _check_format(options)
    check_output(options)
    try:
        _find_structural_rank(options)
    except MemoryError:
        raise UserError(
            f"{options.matrix}: the matrix does not fit into memory; a smaller one is needed, or a machine "
            "with some 50 bytes for each row, column and entry"
        ) from None


def _find_structural_rank(options: argparse.Namespace) -> None:
    progress = Progress(None if options.json else sys.stdout, sys.stderr)
    with progress.stage("matrix") as stage:
        matrix = read_matrix(options.matrix)
        (n_rows, n_columns), n_entries = matrix.shape, int(matrix.nnz)
        text = f"{n_rows:,} rows, {n_columns:,} columns, {n_entries:,} entries"
        stage.done(text, rows=n_rows, columns=n_columns, entries=n_entries)
    with progress.stage("matching") as stage:
        matching = match(matrix, method=options.method)
        stage.done(f"{matching.size:,} pairs = structural rank", structural_rank=matching.size)
    with progress.stage("certificate") as stage:
        n_cover = sum(map(len, matching.minimum_vertex_cover()))
        stage.done(
            f"a vertex cover of {n_cover:,} rows and columns: no matching is larger", vertex_cover=n_cover
        )
    result = _pair_lists(matching)
    if options.dm:
        with progress.stage("blocks") as stage:
            form = dulmage_mendelsohn(matrix, options.method)
            stage.done(_form_text(form), decomposition=_form_lists(form))
            result |= _form_lists(form)
    if options.output is not None:
        with progress.stage("output") as stage:
            _write(options.output, result)
            stage.done(options.output)
    if options.json:
        sizes = {name: value for stages in progress.report.values() for name, value in stages.items()}
        seconds = {name: stages["seconds"] for name, stages in progress.report.items()}
        print_json({**sizes, "pairs": _pair_lists(matching), "seconds": seconds})


def _form_text(form: DulmageMendelsohn) -> str:
    r, c = form.row_parts, form.col_parts
    wide, square, tall = (r[1], c[2]), (r[2] - r[1], c[3] - c[2]), (r[4] - r[2], c[4] - c[3])
    n_irreducible = form.n_blocks - (sum(wide) > 0) - (sum(tall) > 0)
    square_text = f"square {square[0]:,} in {n_irreducible:,} irreducible blocks"
    return f"wide {wide[0]:,} x {wide[1]:,}, {square_text}, tall {tall[0]:,} x {tall[1]:,}"


def _form_lists(form: DulmageMendelsohn) -> dict[str, list[int]]:
    names = ("row_order", "col_order", "row_parts", "col_parts", "row_blocks", "col_blocks")
    return {name: getattr(form, name).tolist() for name in names}


def _pair_lists(matching: Matching) -> Result:
    rows, columns = matching.pairs()
    return {"rows": rows.tolist(), "columns": columns.tolist()}


def _check_format(options: argparse.Namespace) -> None:
    if options.output is None:
        return
    suffix = Path(options.output).suffix
    if suffix not in (".csv", ".json", ".npz"):
        raise UserError(f"{options.output}: -o needs a name that ends in .csv, .json or .npz")
    if options.dm and suffix == ".csv":
        raise UserError(f"{options.output}: csv holds pairs alone; with --dm give -o a .json or .npz")


def _write(path: str, result: Result) -> None:
    with write_atomically(path) as file:
        if path.endswith(".npz"):
            arrays: Any = {name: np.array(values, np.int64) for name, values in result.items()}
            np.savez_compressed(file, **arrays)
        elif path.endswith(".json"):
            file.write(json.dumps(result).encode() + b"\n")
        else:
            pairs = zip(result["rows"], result["columns"], strict=True)
            lines = ["row,column", *(f"{row},{column}" for row, column in pairs)]
            file.write("\n".join(lines).encode() + b"\n")
