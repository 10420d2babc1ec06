"""``hankelmatch match``: the structural rank of a Matrix Market file."""

import argparse
import io
import os
import stat
import sys
import warnings
import zlib
from typing import Any

import scipy.io
import scipy.sparse

from .._utils.progress import Progress
from ..matching.block_triangular import DulmageMendelsohn, dulmage_mendelsohn
from ..matching.maximum import METHODS, match
from ._common import UserError, add_json, command, one_line, print_json

_NO_MATRIX = (ValueError, TypeError, EOFError, OverflowError, OSError, StopIteration, zlib.error)


def add_match(commands: Any) -> None:
    parser = command(commands, "match", _match, "Find the structural rank of a Matrix Market file.")
    parser.add_argument(
        "matrix", metavar="FILE", help="FILE.mtx or FILE.mtx.gz; stored zeros count as entries"
    )
    help_text = "how to search: auto (the default) is fast on every kind of matrix"
    parser.add_argument("--method", choices=METHODS, default="auto", help=help_text)
    parser.add_argument("--dm", action="store_true", help="block triangular form (Dulmage-Mendelsohn) too")
    add_json(parser)


def _match(options: argparse.Namespace) -> None:
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
        matrix = _read_matrix(options.matrix)
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
    if options.dm:
        with progress.stage("blocks") as stage:
            form = dulmage_mendelsohn(matrix, options.method)
            stage.done(_form_text(form), decomposition=_form_lists(form))
    if options.json:
        sizes = {name: value for stages in progress.report.values() for name, value in stages.items()}
        seconds = {name: stages["seconds"] for name, stages in progress.report.items()}
        print_json({**sizes, "seconds": seconds})


def _form_text(form: DulmageMendelsohn) -> str:
    r, c = form.row_parts, form.col_parts
    wide, square, tall = (r[1], c[2]), (r[2] - r[1], c[3] - c[2]), (r[4] - r[2], c[4] - c[3])
    n_irreducible = form.n_blocks - (sum(wide) > 0) - (sum(tall) > 0)
    square_text = f"square {square[0]:,} in {n_irreducible:,} irreducible blocks"
    return f"wide {wide[0]:,} x {wide[1]:,}, {square_text}, tall {tall[0]:,} x {tall[1]:,}"


def _form_lists(form: DulmageMendelsohn) -> dict[str, list[int]]:
    names = ("row_order", "col_order", "row_parts", "col_parts", "row_blocks", "col_blocks")
    return {name: getattr(form, name).tolist() for name in names}


def _refuse_too_large(n_rows: int, n_columns: int, n_entries: int) -> None:
    """Before memory is taken that there is not: some systems then end the process without a word."""
    if not hasattr(os, "sysconf") or "SC_PHYS_PAGES" not in os.sysconf_names:
        return
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if 24 * (n_rows + n_columns + n_entries) > memory:
        raise MemoryError


def _read_matrix(path: str) -> Any:
    """The matrix as a CSR array; explicit zeros stay entries."""
    with open(path, "rb") as file:  # for the plain error of a file that cannot be read
        is_pipe = stat.S_ISFIFO(os.fstat(file.fileno()).st_mode)
        source = io.BytesIO(file.read()) if is_pipe else path  # scipy reads a file's beginning twice
        if not is_pipe and not file.read(1):
            raise UserError(f"{path}: the file is empty; give a Matrix Market file")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            n_rows, n_columns, n_entries, *_ = scipy.io.mminfo(source)
            _refuse_too_large(n_rows, n_columns, n_entries)
            if n_rows == 0 or n_columns == 0:  # on which scipy divides by zero
                return scipy.sparse.csr_array((n_rows, n_columns))
            if isinstance(source, io.BytesIO):
                source.seek(0)
            matrix = scipy.io.mmread(source)
    except _NO_MATRIX as error:
        raise UserError(f"{path}: {one_line(error)}; give a Matrix Market file") from None
    if not scipy.sparse.issparse(matrix):
        matrix = scipy.sparse.coo_array(matrix)
    return scipy.sparse.csr_array(matrix)
