"""The executors of the commands `sweep`, `match` and `compare`: threads, or a cluster."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from ttt_fast.core.errors import UsageError

if TYPE_CHECKING:
    from ttt_fast.running.executors import DaskExecutor, ThreadExecutor


def check_executor(executor: str, scheduler: str | None) -> None:
    """Raise UsageError unless the words name an executor and, for a cluster, its scheduler."""
    if executor not in ("threads", "dask"):
        raise UsageError(f"expected an executor of threads or dask, got {executor!r}")
    if (executor == "dask") != (scheduler is not None):
        raise UsageError("expected --executor dask and --scheduler ADDRESS together, got one of them")


def make_executor(threads: int | None, scheduler: str | None) -> "ThreadExecutor | DaskExecutor":
    """Return the executor of a scheduler, or one of threads (default: all cores)."""
    from ttt_fast.core.manifest import available_cores
    from ttt_fast.running.executors import DaskExecutor, ThreadExecutor

    return ThreadExecutor(threads or available_cores()) if scheduler is None else DaskExecutor(scheduler)


@contextmanager
def given_executor(executor: str, scheduler: str | None) -> "Iterator[DaskExecutor | None]":
    """Open the executor of a cluster, or None where threads are wanted."""
    check_executor(executor, scheduler)
    if scheduler is None:
        yield None
        return
    from ttt_fast.running.executors import DaskExecutor

    with closing(DaskExecutor(scheduler)) as pool:
        yield pool
