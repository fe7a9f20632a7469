"""Contests between two agents, or between all pairs of a list."""

from typing import Any

from ttt_fast.agents.convert import AgentLike
from ttt_fast.core.errors import UsageError
from ttt_fast.evaluate.sprt import Sprt
from ttt_fast.play import contest as contests
from ttt_fast.play.contest import Contest, Progress
from ttt_fast.play.contest_config import ContestConfig
from ttt_fast.play.round_robin import play_round_robin
from ttt_fast.play.session import PathLike
from ttt_fast.running.executors import Executor
from ttt_fast.running.interrupts import OnInterrupt


def contest(
    first: AgentLike | list[str] | tuple[str, ...],
    second: AgentLike | None = None,
    config: ContestConfig | int = 1000,
    *,
    rival: AgentLike | None = None,
    sprt: Sprt | str | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
    save_to: PathLike | None = None,
    resume_from: PathLike | None = None,
    overwrite: bool = False,
    on_progress: Progress | None = None,
    on_interrupt: OnInterrupt = "raise",
) -> Contest:
    """Hold a contest between two agents, or a round robin between the agents of a list.

    Parameters
    ----------
    first, second
        The agents: `first` plays X, and O in the games with swapped seats.  Policies must belong to `config.game`.
        Functions of a state and objects with `choose` are named `python:given:NAME` in the results.
        Alternatively, `first` is a list of two or more texts: each agent meets every other agent in both seats, and
        itself if games are counted.  The summary then has a row for each agent, with its rating.
    config
        The game, the number of games, and all settings that determine the result; or only the number of games, for
        tic-tac-toe.  For a list, this is the number of games of each seating if games are counted, otherwise of each
        pair.
    rival
        An agent that plays the same number of games as X against the same opponent (counted games only).
    sprt
        A test that ends the contest, or its text, `ELO0,ELO1` or `ELO0,ELO1,ALPHA,BETA`.  It counts the pairs in their
        order, so that the number of threads does not change its end.
    threads
        Threads that share the work (default: all cores); never changes a result.
    executor
        The executor of single games, instead of threads; it is not closed.
    save_to
        A new file, rewritten or appended during the contest: `.npz` if games are counted, otherwise `.jsonl`.
    overwrite
        Whether `save_to` may replace an existing file.
    resume_from
        A file of the same contest.  Its games are not played again, and the new games are added to it.  The number of
        games may have grown.
    on_progress
        Called during the contest with the number of games played and a short text.
    on_interrupt
        The response to a signal (Ctrl-C, SIGTERM, SIGHUP), which stops the contest.  `raise`: raise `RunInterrupted`
        with the partial result; `return`: return the partial result, whose `complete` is False.

    Returns
    -------
    Contest
        The result of all games, or of the games until the decision of the test.  After a signal with
        `on_interrupt="return"`, the result of the games until then.

    Raises
    ------
    UsageError
        If a setting does not apply to a contest of these agents, or the file belongs to another contest.
    FileFormatError
        If the file cannot be read, or contains games that are inconsistent with their moves.
    RunInterrupted
        If a signal has stopped the contest (`on_interrupt`); the saved file is complete up to that point.

    Examples
    --------
    >>> contest("minimax", "random", 10_000).seats[0].ends[2]
    0
    >>> held = contest("default", "random", ContestConfig(40, game="connect4"))
    >>> held.summary[0]["games"], held.summary[0]["score"] > 0.6
    (40, True)
    >>> [row["agent"] for row in contest(["random", "minimax"]).summary]
    ['minimax', 'random']
    """
    if isinstance(first, list | tuple) and second is None:
        given = {"rival": rival, "sprt": sprt, "save_to": save_to, "resume_from": resume_from}
        names = [name for name, value in given.items() if value is not None]
        if names:
            raise UsageError(
                f"expected only a list of agents and settings in a round robin, got also {' and '.join(names)}"
            )
        settings = config if isinstance(config, ContestConfig) else ContestConfig(config)
        return play_round_robin(
            first, settings, threads=threads, executor=executor, on_progress=on_progress, on_interrupt=on_interrupt
        )
    x: Any = first
    o: Any = second
    return contests.contest(
        x, o, config, rival=rival, sprt=sprt, threads=threads, executor=executor, save_to=save_to,
        resume_from=resume_from, overwrite=overwrite, on_progress=on_progress, on_interrupt=on_interrupt,
    )  # fmt: skip
