"""Extension point: jobs on threads or a dask cluster, with progress and interruption.

A `JobStore` has one file for each finished job; to resume, run the jobs that it does not have.  The function
passed to `watched_by` receives progress reports of long work; `interrupted_by` lets another thread stop it.
"""

from typing import TYPE_CHECKING

from ttt_fast.core.lazy import lazy_names

if TYPE_CHECKING:
    from ttt_fast.running.executors import (
        DaskExecutor as DaskExecutor,
        Executor as Executor,
        ThreadExecutor as ThreadExecutor,
    )
    from ttt_fast.running.interrupts import interrupted_by as interrupted_by
    from ttt_fast.running.jobs import Job as Job, JobStore as JobStore
    from ttt_fast.running.progress import watched_by as watched_by

__all__, __getattr__ = lazy_names(
    __name__,
    {
        "running.executors": "DaskExecutor Executor ThreadExecutor",
        "running.interrupts": "interrupted_by",
        "running.jobs": "Job JobStore",
        "running.progress": "watched_by",
    },
)
