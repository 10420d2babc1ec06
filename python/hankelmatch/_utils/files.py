"""Writing files whole or not at all, and the one container format: ``.npz`` without pickle.

A file holds numpy arrays, exact to the bit, and one JSON header with everything that is not an array
(alphabet, options). Python writes and reads floats in JSON exactly. The header names the kind of object
and the version of its layout, so that a wrong or newer file is refused with a clear message.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import secrets
import shutil
import stat
import struct
import tokenize
import zipfile
import zlib
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from .validation import check_flag

_Object = TypeVar("_Object", bound="Saved")

_HEADER = "header"
# A damaged archive may ask for anything: a password, unknown compression, a place before its beginning.
_UNREADABLE = (
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    struct.error,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)


def checked_path(path: str | bytes | os.PathLike[Any], argument: str = "path") -> Path:
    """The path of a file. `open` would take a number for a descriptor, and close it.

    Raises
    ------
    TypeError
        If it is no path.
    ValueError
        If it has characters that no name has.
    """
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise TypeError(f"{argument}: the name of a file is needed, not {path!r}")
    try:
        has_zero = b"\0" in os.fsencode(path)
    except UnicodeEncodeError:
        has_zero = True
    if has_zero:
        raise ValueError(f"{argument}: {path!r} has a character that no name of a file has; take it out")
    return Path(os.fsdecode(path))


def checked_target(path: str | os.PathLike[str]) -> Path:
    """Where a file `path` would be written, links followed, if it can be; nothing is written.

    Parameters
    ----------
    path : str or os.PathLike
        File to create or replace.

    Raises
    ------
    ValueError
        If `path` exists and is not a regular file (renaming onto a device would replace the device).
    OSError
        If there is no such folder, it cannot be written, or the name is too long.
    """
    given = checked_path(path)
    try:
        target = given.resolve()
    except RuntimeError:  # of Python before 3.13
        raise OSError(f"path: {str(given)!r} is a link to itself; give the name of a file to write") from None
    mode = _mode_of(given)  # not of the target: what /dev/stdout names is no path
    if mode is not None and not stat.S_ISREG(mode):
        raise ValueError(f"path: {str(given)!r} is not a regular file; give the name of a file to write")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"path: there is no folder {str(target.parent)!r}; make it first")
    if not os.access(target.parent, os.W_OK):
        raise PermissionError(f"path: folder {str(target.parent)!r} cannot be written; give another one")
    return target


def _mode_of(target: Path) -> int | None:
    """Kind and permissions of a file; None if there is none."""
    try:
        return target.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None


@contextlib.contextmanager
def write_atomically(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a binary file that takes the name `path` only once it has been written whole.

    It is written under a temporary name in the same folder and then renamed, so readers see the old
    file or the new one, never a part; on an error the old file stays as it was. Permissions are those of
    the file that is replaced, or of any new file.

    Parameters
    ----------
    path : str or os.PathLike
        File to create or replace. A symbolic link is followed.

    Raises
    ------
    ValueError, OSError
        As `checked_target`, or if the disk is full; the message names `path`.
    """
    target = checked_target(path)
    mode = _mode_of(target)
    with _named_target("path", path), _temporary_beside(target) as temporary:
        # Opened by name, not by mkstemp, so that the file gets the permissions of any new file.
        with open(temporary, "xb") as file:
            if mode is not None:
                temporary.chmod(stat.S_IMODE(mode))
            yield file
        os.replace(temporary, target)


def check_writable(path: str | os.PathLike[str]) -> None:
    """As checked_target, by a trial: a file is made beside `path`, and removed."""
    with _temporary_beside(checked_target(path)) as temporary:
        temporary.touch(exist_ok=False)


@contextlib.contextmanager
def _temporary_beside(target: Path) -> Iterator[Path]:
    """A name for a file in the folder of `target`; what has it in the end is removed.

    It is short because that of the target may be as long as names can be.
    """
    temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def _named_target(argument: str, path: str | os.PathLike[str]) -> Iterator[None]:
    """Name what was to be written, rather than a temporary file, in the system's errors."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        named = type(error)(
            f"{argument}: {os.fspath(path)!r} cannot be written: {error.strerror}; give a place that can be, "
            "with room for it"
        )
        named.errno = error.errno
        raise named from error


@contextlib.contextmanager
def folder_when_complete(argument: str, path: str | os.PathLike[str]) -> Iterator[Path]:
    """A folder that takes the name `path` when everything in it has been written, and else vanishes.

    Raises
    ------
    ValueError
        If there is something of that name; the message begins with the name of the caller's argument.
    OSError
        If there is no folder to make it in, or it cannot be written.
    """
    given = checked_path(path, argument)
    target = given.absolute()
    if os.path.lexists(target):
        raise ValueError(
            f"{argument}: {str(given)!r} exists; give the name of a folder to make, or remove it first"
        )
    if not target.parent.is_dir():
        raise FileNotFoundError(f"{argument}: there is no folder {str(target.parent)!r}; make it first")
    temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
    with _named_target(argument, path):
        temporary.mkdir()
    try:
        yield temporary
        with _named_target(argument, path):
            temporary.rename(target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def save_arrays(
    path: str | os.PathLike[str],
    kind: str,
    version: int,
    header: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
) -> None:
    """Save arrays and a JSON header to `path`, atomically and exactly.

    Parameters
    ----------
    path : str or os.PathLike
        File to write; the name is taken as it is (nothing is appended).
    kind : str
        What the file holds, as ``"weighted automaton"``.
    version : int
        Version of this kind's layout.
    header : mapping
        Anything that JSON can hold, and numpy's numbers.
    arrays : mapping of str to ndarray
        Arrays by name; none of dtype object, none named ``"header"``.
    """
    text = json.dumps({"kind": kind, "version": version, **header}, default=np.generic.item)
    packed = np.frombuffer(text.encode("utf-8"), dtype=np.uint8)
    with write_atomically(path) as file, zipfile.ZipFile(file, "w") as archive:
        for name, array in {_HEADER: packed, **arrays}.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.asanyarray(array), allow_pickle=False)


def load_arrays(
    path: str | os.PathLike[str], kind: str | tuple[str, ...], version: int
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Load what `save_arrays` saved.

    Parameters
    ----------
    path : str or os.PathLike
        File to read.
    kind : str or tuple of str
        What the file must hold, or one of which.
    version : int
        Newest version of the layout that the caller understands.

    Returns
    -------
    header : dict
        The header, with ``"kind"`` and ``"version"``.
    arrays : dict of str to ndarray
        The arrays by name.

    Raises
    ------
    ValueError
        If the file is damaged, is no such file, holds another kind of object, or is of a newer version.
    OSError
        If the file cannot be opened.
    """
    path = checked_path(path)
    with open(path, "rb") as file, named_damage(path):
        if not zipfile.is_zipfile(file):  # else numpy would speak of pickles
            raise ValueError("it is no archive of arrays")
        _check_claims(file)
        file.seek(0)
        with np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        header = json.loads(arrays.pop(_HEADER).tobytes().decode("utf-8"))
        found, found_version = header["kind"], header["version"]
        if not isinstance(found_version, int):
            raise ValueError(f"its version is {found_version!r}")
    kinds = (kind,) if isinstance(kind, str) else kind
    if found not in kinds:
        raise ValueError(f"path: {str(path)!r} holds a {found}, not a {' or a '.join(kinds)}")
    if found_version > version:
        raise ValueError(
            f"path: {str(path)!r} has layout {found_version}, newer than {version}: update hankelmatch"
        )
    return header, arrays


def _check_claims(file: BinaryIO) -> None:
    """Raise ValueError if an archive claims arrays of more bytes than it has; nothing is read but headers."""
    n_bytes = file.seek(0, os.SEEK_END)
    with zipfile.ZipFile(file) as archive:
        for entry in archive.infolist():
            if entry.compress_type != zipfile.ZIP_STORED:
                raise ValueError(f"{entry.filename!r} is compressed, which what hankelmatch saves never is")
            with archive.open(entry) as stream:
                version = np.lib.format.read_magic(stream)
                if version not in ((1, 0), (2, 0)):
                    raise ValueError(f"{entry.filename!r} is of another version of numpy's format")
                is_first = version == (1, 0)
                read = (
                    np.lib.format.read_array_header_1_0 if is_first else np.lib.format.read_array_header_2_0
                )
                shape, _, dtype = read(stream)
            claimed = math.prod(shape) * dtype.itemsize
            if min(shape, default=0) < 0 or claimed > min(entry.file_size, n_bytes):
                raise ValueError(f"{entry.filename!r} claims {claimed} bytes, more than there are")


@contextlib.contextmanager
def named_damage(path: str | os.PathLike[str]) -> Iterator[None]:
    """Name the file in whatever goes wrong while its content is made sense of.

    Raises
    ------
    ValueError
        In place of any error that a damaged file can lead to.
    """
    try:
        yield
    except _UNREADABLE as error:
        reason = f"it has no {error}" if isinstance(error, KeyError) else error
        raise ValueError(
            f"path: {str(path)!r} is damaged or is not a file saved by hankelmatch: {reason}"
        ) from error


class Saved:
    """Has `save` and `load`; a subclass names its kind and turns itself into a header and arrays."""

    kind: ClassVar[str]
    version: ClassVar[int] = 1

    def save(self, path: str | os.PathLike[str], *, exact: bool = False) -> None:
        """Save to an ``.npz`` file, without pickle; the labels must be str or int.

        Parameters
        ----------
        path : str or os.PathLike
            File to write.
        exact : bool, optional
            Save large automata exact to the bit; all else is so anyway. By default an automaton that was
            learned from Hankel blocks, and whose matrices take more than 10 MB, is saved as its blocks and
            factors, these in 16 bits, where that is smaller; `load` computes the matrices again. On 216,000
            characters with 1,000 states, 105 MB became 15, and held-out bits per character changed by 1e-4.
        """
        check_flag("exact", exact)
        arrays = self._to_exact_arrays() if exact else self._to_arrays()
        save_arrays(path, self.kind, self.version, *arrays)

    @classmethod
    def load(cls: type[_Object], path: str | os.PathLike[str]) -> _Object:
        """Load what `save` saved."""
        header, arrays = load_arrays(path, cls.kind, cls.version)
        with named_damage(path):
            return cls._from_arrays(header, arrays)

    @abstractmethod
    def _to_arrays(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Header and arrays for a file."""

    def _to_exact_arrays(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """The same, exact to the bit."""
        return self._to_arrays()

    @classmethod
    @abstractmethod
    def _from_arrays(
        cls: type[_Object], header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> _Object:
        """The object of `_to_arrays`."""
