"""A store of finished jobs: one file each, named by a hash of everything that decides its content.

A finished job is read from its file.  An interrupted command therefore runs only the missing jobs, and a larger command
reuses those of a smaller one.
"""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import methodcaller
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from ttt_fast.core.archive import make_folder, write_atomically
from ttt_fast.core.errors import FileFormatError, TttFastError
from ttt_fast.core.manifest import package_version
from ttt_fast.running.executors import Executor, completed
from ttt_fast.running.interrupts import OnInterrupt, check_interrupt, stop_between_chunks

Result = TypeVar("Result")


class Job(NamedTuple):
    """A job that can run on any machine: the same name means the same result.

    Attributes
    ----------
    name
        Name of its file without the suffix, usually from `Job.name_of`.
    payload
        The argument of the function that does the job.
    amount
        Its amount of work for reports of progress, in any unit.
    """

    name: str
    payload: bytes
    amount: int = 1

    @staticmethod
    def name_of(description: bytes) -> str:
        """Return the name of a job: a hash of everything that decides its result.

        Examples
        --------
        >>> Job.name_of(b'{"seed": 0}')
        'de7d7744ccd7722e315c562d'
        """
        return hashlib.sha256(description).hexdigest()[:24]

    @staticmethod
    def check_package(version: str) -> None:
        """Raise TttFastError unless this process has the version of the package that a job was planned with."""
        found = package_version()
        if version != found:
            raise TttFastError(f"expected workers with ttt-fast {version}, got one with {found}; upgrade that worker")


@dataclass(frozen=True)
class JobStore(Generic[Result]):
    """A folder with a file for each finished job.

    Attributes
    ----------
    folder
        The folder; made when the first job runs.
    suffix
        Suffix of its files.
    read_file
        Called with the path of a file and the name of its job; returns the result.  It raises FileFormatError if the
        file is missing, damaged, or of another job.

    Examples
    --------
    >>> import tempfile
    >>> from ttt_fast.running.api import ThreadExecutor
    >>> with tempfile.TemporaryDirectory() as place:
    ...     store = JobStore(Path(place), ".txt", lambda path, name: path.read_bytes())
    ...     store.run(lambda payload, watch: payload.upper(), [Job("a", b"one")], ThreadExecutor(1)), store.read("a")
    (1, b'ONE')
    """

    folder: Path
    suffix: str
    read_file: Callable[[Path, str], Result]

    def path(self, name: str) -> Path:
        """Return the path of the file of a job."""
        return self.folder / f"{name}{self.suffix}"

    def read(self, name: str) -> Result:
        """Return the result of a finished job.

        Raises
        ------
        FileFormatError
            If its file is missing or damaged.
        """
        return self.read_file(self.path(name), name)

    def has(self, name: str, on_damaged: Callable[[FileFormatError], None] = lambda damage: None) -> bool:
        """Return whether a job is finished; `on_damaged` is called with the error of an existing file."""
        try:
            self.read(name)
        except FileFormatError as damage:
            if self.path(name).exists():
                on_damaged(damage)
            return False
        return True

    def run(
        self,
        work: Callable[..., bytes],
        jobs: Iterable[Job],
        executor: Executor,
        on_progress: Callable[[int, int], None] = lambda files, amount: None,
        on_interrupt: OnInterrupt = "raise",
    ) -> int:
        """Write the result of each job to its file, in order of completion, and return the number of files.

        Parameters
        ----------
        work
            Called with the payload of each job.  In threads of this process it also receives a function `watch`, which
            it must call from time to time with the amount done of that job.  `watch` raises an exception if the job
            should be abandoned.
        jobs
            The jobs, consumed as slots become free.
        executor
            The executor of the work; it is not closed.
        on_progress
            Called ten times a second with the number of files written and the amount done.
        on_interrupt
            After a signal: `raise`, or `return` the number of files written.

        Raises
        ------
        RunInterrupted
            If a signal has stopped the work; its `result` is the number of files written.
        """
        make_folder(self.folder)
        written, amount = 0, 0
        under_way: dict[bytes, int] = {}

        def watched(payload: bytes) -> bytes:
            def watch(done: int) -> None:
                check_interrupt()
                under_way[payload] = done

            try:
                return work(payload, watch)
            finally:
                under_way.pop(payload, None)

        with stop_between_chunks(on_interrupt) as stop:

            def should_stop() -> bool:
                on_progress(written, amount + sum(under_way.copy().values()))
                return stop.requested

            keyed = ((job, job.payload) for job in jobs)
            for job, content in completed(executor, watched if executor.shares_memory else work, keyed, should_stop):
                write_atomically(self.path(job.name), methodcaller("write", content))
                written, amount = written + 1, amount + job.amount
            stop.result = written
        return written
