"""Extension point: work in pieces on threads or a dask cluster, with progress and interruption.

`run_to_files` writes one file for each piece of work, so that an interrupted run goes on where it stopped.  `tell`
reports the progress of long work to the function of `watched_by`; `interrupted_by` lets another thread end it.
"""

from ttt_fast.running.executors import DaskExecutor, Executor, Piece, ThreadExecutor, run_to_files
from ttt_fast.running.interrupts import interrupted_by
from ttt_fast.running.progress import tell, watched_by

__all__ = [
    "DaskExecutor",
    "Executor",
    "Piece",
    "ThreadExecutor",
    "interrupted_by",
    "run_to_files",
    "tell",
    "watched_by",
]
