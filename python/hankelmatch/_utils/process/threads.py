"""How many threads the compiled core uses."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

from ... import _core
from ..validation import checked_whole

__all__ = ["get_num_threads", "set_default_threads", "set_num_threads"]

_VARIABLES = ("HANKELMATCH_NUM_THREADS", "OMP_NUM_THREADS")
_MOST = 16  # more were no faster
_MOST_GIVEN = 1 << 16  # more than the cores of any machine
_CGROUPS = Path("/sys/fs/cgroup")


def set_num_threads(n_threads: int | None) -> int:
    """Set the most threads that each call of the compiled core uses, in this process.

    Parameters
    ----------
    n_threads : int or None
        A number from 1 to 65,536; None for the default. That is the environment variable
        ``HANKELMATCH_NUM_THREADS``, or else ``OMP_NUM_THREADS``, or else the number of cores that the process
        may use, by its affinity and the quota of its control group, and at most 16.

    Returns
    -------
    int
        The number before.

    Raises
    ------
    ValueError
        If it is no such number.

    Notes
    -----
    Results do not depend on it. BLAS, which numpy uses, has threads and settings of its own.

    Examples
    --------
    >>> from hankelmatch import get_num_threads, set_num_threads
    >>> before = set_num_threads(1)
    >>> get_num_threads()
    1
    >>> set_num_threads(before)
    1
    """
    before = get_num_threads()
    if n_threads is None:
        set_default_threads()
    else:
        _core.set_max_threads(checked_whole("n_threads", n_threads, 1, _MOST_GIVEN))
    return before


def get_num_threads() -> int:
    """Get the most threads that each call of the compiled core uses.

    Returns
    -------
    int

    See Also
    --------
    set_num_threads : sets it.

    Examples
    --------
    >>> from hankelmatch import get_num_threads
    >>> get_num_threads() >= 1
    True
    """
    return _core.max_threads()


def set_default_threads() -> None:
    """Set the number that the environment asks for, or what the process may use."""
    for name in _VARIABLES:
        first = os.environ.get(name, "").split(",")[0].strip()  # one number for each level of nesting
        if first.isdecimal() and int(first) > 0:
            _core.set_max_threads(min(int(first), _MOST_GIVEN))
            return
        if first and name == _VARIABLES[0]:
            warnings.warn(
                f"{name}: a whole number from 1 is needed, not {first!r}; it is ignored",
                RuntimeWarning,
                stacklevel=2,
            )
    _core.set_max_threads(max(1, min(_MOST, _usable_cores(), _quota(_CGROUPS))))


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _quota(root: Path) -> int:
    """The cores of the control group's quota, rounded up; a large number if there is none."""
    try:
        if (root / "cpu.max").exists():
            quota, period = (root / "cpu.max").read_text("ascii").split()[:2]
        else:
            quota = (root / "cpu" / "cpu.cfs_quota_us").read_text("ascii")
            period = (root / "cpu" / "cpu.cfs_period_us").read_text("ascii")
        cores = -(-int(quota) // int(period))
    except (OSError, ValueError, ZeroDivisionError):  # no Linux, or "max"
        return _MOST
    return cores if cores > 0 else _MOST
