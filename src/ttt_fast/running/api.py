"""Extension point: work in pieces on threads or a dask cluster, with progress and interruption.

`run_to_files` writes one file for each piece of work; to resume, pass the pieces whose files are missing.  The function
passed to `watched_by` receives progress reports of long work; `interrupted_by` lets another thread stop it.
"""

from typing import TYPE_CHECKING

from ttt_fast.core.lazy import lazy_names

if TYPE_CHECKING:
    from ttt_fast.running.executors import (
        DaskExecutor as DaskExecutor,
        Executor as Executor,
        Piece as Piece,
        ThreadExecutor as ThreadExecutor,
        run_to_files as run_to_files,
    )
    from ttt_fast.running.interrupts import interrupted_by as interrupted_by
    from ttt_fast.running.progress import watched_by as watched_by

__all__, __getattr__ = lazy_names(
    __name__,
    {
        "running.executors": "DaskExecutor Executor Piece ThreadExecutor run_to_files",
        "running.interrupts": "interrupted_by",
        "running.progress": "watched_by",
    },
)
