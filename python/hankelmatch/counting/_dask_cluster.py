"""Dask's workers on this machine, with little memory, their files in a folder that vanishes with them."""

import contextlib
import logging
import multiprocessing
import os
import signal
import tempfile
from collections.abc import Iterator
from typing import Any, Protocol

_NO_MAIN = (
    "Workers import the program that starts them: it must be a file, with its main part under "
    "if __name__ == '__main__'"
)


class DaskClient(Protocol):
    """What is used of a ``distributed.Client``."""

    def gather(self, futures: object, /) -> object:
        """Results of tasks."""

    def compute(self, collections: object, /) -> object:
        """Run a graph of tasks."""


@contextlib.contextmanager
def cluster_for(client: DaskClient | None, n_workers: int, limit: int | None, buffer: int) -> Iterator[Any]:
    """The caller's client, or workers of our own with a folder of their own for what they put on disk.

    A worker of ours may take `limit` bytes; shuffles hold `buffer` bytes for others, as many for the disk.
    """
    if client is not None:
        yield client
        return
    import dask  # noqa: PLC0415
    from distributed import Client  # noqa: PLC0415

    with (
        tempfile.TemporaryDirectory(prefix="hankelmatch-", ignore_cleanup_errors=True) as scratch,
        dask.config.set(_settings(buffer, scratch)),
        _local_cluster(n_workers, limit, scratch) as cluster,
        Client(cluster) as own,
    ):
        try:
            yield own
        except BaseException:
            logging.getLogger("asyncio").addFilter(_is_news)
            _kill_workers(cluster)  # they would finish what they are at before they close
            raise


def _local_cluster(n_workers: int, limit: int | None, scratch: str) -> Any:
    from distributed import LocalCluster  # noqa: PLC0415

    if getattr(multiprocessing.current_process(), "_inheriting", False):  # this is a worker about to start
        raise RuntimeError(_NO_MAIN)
    try:
        return LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            memory_limit=limit or "auto",
            local_directory=scratch,
            dashboard_address=":0",  # any free port
            silence_logs=logging.CRITICAL,
        )
    except RuntimeError as error:
        raise RuntimeError(f"engine: Dask's workers did not start. {_NO_MAIN}") from error


def _settings(buffer: int, scratch: str) -> dict[str, Any]:
    """Dask's settings for workers of our own, which must do with little memory."""
    return {
        "temporary-directory": scratch,
        "distributed.p2p.comm.buffer": buffer,
        "distributed.p2p.storage.buffer": buffer,
        # A worker that pauses waits for memory to be freed; what allocators keep never is, so it would wait
        # for ever. Dask still ends a worker at 95% of the limit.
        "distributed.worker.memory.pause": False,
        "distributed.nanny.pre-spawn-environ.ARROW_DEFAULT_MEMORY_POOL": "system",  # gives memory back
        "distributed.nanny.pre-spawn-environ.ACERO_ALIGNMENT_HANDLING": "ignore",  # no warnings
    }


def _is_news(record: logging.LogRecord) -> bool:
    """False for the message that Dask's client logs when it is interrupted while it waits."""
    return not (record.exc_info and getattr(record.exc_info[0], "__name__", None) == "AllExit")


def _kill_workers(cluster: Any) -> None:
    for nanny in cluster.workers.values():
        nanny.auto_restart = False
        if nanny.pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(nanny.pid, signal.SIGKILL)
