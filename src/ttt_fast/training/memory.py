"""The memory of a run, which stops between two chunks, with everything saved, before the next one might not fit.

While a hash table doubles, old and new arrays coexist: 1.5 times the new size.  A checkpoint needs a sorted copy of the
rows.  A chunk begins only if both would fit for any number of new states.  The limit decides when a run stops, but
affects no bit of the learned result.
"""

from ttt_fast.core.checks import whole_number
from ttt_fast.core.errors import TttFastError
from ttt_fast.core.manifest import available_memory
from ttt_fast.games import api
from ttt_fast.training.run import TrainingRun
from ttt_fast.values.hashed import MIN_CAPACITY, most_rows, slots_for

SHARE_OF_AVAILABLE = 0.75
"""The default limit of a run whose table grows, as a share of the available memory and of the table together."""
_SAVED_KEY_BYTES = 16  # of a saved row: its key again, and the difference from the previous key
_SMALL_BYTES = 1 << 24  # fit without a look at the available memory, which takes longer than thousands of episodes


class MemoryLimitError(TttFastError):
    """A run has stopped because its next chunk might not fit into memory.

    Attributes
    ----------
    run
        The state of the run.
    needed_bytes
        A limit that suffices until its table has doubled and is full again.
    """

    def __init__(self, message: str, run: TrainingRun, needed_bytes: int) -> None:
        super().__init__(message)
        self.run, self.needed_bytes = run, needed_bytes


def needed_bytes(states: int, slot_bytes: int) -> int:
    """Return the peak bytes of a table of some states: during its last doubling, or while it is saved.

    Examples
    --------
    >>> needed_bytes(195_541, 660), needed_bytes(195_541, 20)  # 5,000 episodes of Ultimate, and as afterstates
    (519045120, 17525236)
    """
    slots = slots_for(states)
    doubling = slots // 2 * slot_bytes if slots > MIN_CAPACITY else 0
    return slots * slot_bytes + max(doubling, states * (slot_bytes + _SAVED_KEY_BYTES))


class MemoryWatch:
    """The memory check of a run.

    Parameters
    ----------
    run
        The run, whose hash table, if any, is the one that training updates.
    limit
        Limit in bytes.  None: a share of the available memory, queried again before a doubling and before the run
        stops; all of it if the values cannot grow.

    Raises
    ------
    UsageError
        If the limit is not a positive integer.
    """

    def __init__(self, run: TrainingRun, limit: int | None) -> None:
        limit = None if limit is None else whole_number(limit, "the memory limit", 1)
        self._run, self._is_given, self._limit = run, limit is not None, limit or _SMALL_BYTES
        self._plies = int(api.max_plies(run.config.game.initial_state)) if run.values.grows else 0

    def stops(self, done: int) -> bool:
        """Return whether the chunk after `done` chunks might need more than the limit."""
        needed, grows = self._needed(done), self._run.values.grows
        if not self._is_given and (needed > self._limit or (grows and self._slots(done) > self._run.hashed.capacity)):
            own = self._run.hashed.memory_bytes if grows else 0
            self._limit = int((SHARE_OF_AVAILABLE if grows else 1) * (available_memory() + own))
        return needed > self._limit

    def error(self, run: TrainingRun) -> MemoryLimitError:
        """Return the error to raise when a run stops."""
        config, done, grows = run.config, run.chunks_done, run.values.grows
        enough = self._needed(done)
        what = f"the next {self._episodes(done):,} episodes of" if grows else "the values of"
        message = (
            f"expected {what} {config.game.spec} to fit {size_text(self._limit)} of memory, they need up to"
            f" {size_text(enough)}; stopped after {run.episodes:,} of {config.episodes:,} episodes"
        )
        if grows:
            enough = needed_bytes(most_rows(max(self._slots(done), 2 * run.hashed.capacity)), run.hashed.slot_bytes)
            message += "" if config.by_board else "; afterstates need less memory"
        return MemoryLimitError(message, run, enough)

    def _needed(self, done: int) -> int:
        """Return the bytes that the next chunk needs if all its positions are new."""
        if not self._run.values.grows:
            return self._run.values.run_bytes
        return needed_bytes(self._states(done), self._run.hashed.slot_bytes)

    def _slots(self, done: int) -> int:
        return slots_for(self._states(done))

    def _states(self, done: int) -> int:
        """Return the largest possible number of states after the next chunk."""
        return len(self._run.hashed) + self._plies * self._episodes(done)

    def _episodes(self, done: int) -> int:
        """Return the episodes of the next chunk."""
        return self._run.config.episodes_after(done + 1) - self._run.config.episodes_after(done)


def size_text(number: float) -> str:
    """Format a number of bytes.

    Examples
    --------
    >>> size_text(346_030_080), size_text(69_500_000_000), size_text(81_920)
    ('346 MB', '69.5 GB', '0.08 MB')
    """
    value, unit = (number / 1e9, "GB") if number >= 999.5e6 else (number / 1e6, "MB")
    return f"{value:,.{0 if value >= 99.95 else 1 if value >= 9.995 else 2}f} {unit}"
