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

    The contest is tabular if all agents are policies over the table of the game, and no setting requires single games.
    Its games are then simulated by kernels on the table, and only their results are counted.  Otherwise the games are
    played one by one by players.

    Parameters
    ----------
    first, second
        The agents: `first` plays X, and O in the games with swapped seats.  Policies must belong to `config.game`.
        Functions of a state and objects with `choose` are named `python:given:NAME` in the results.
        Alternatively, `first` is a list of two or more agent strings.  Each agent then meets every other agent in both
        seats, and also itself if the contest is tabular.  The summary has a row for each agent, with its rating.
    config
        The game, the number of games, and all other settings that determine the result.  An integer is a number of
        games of tic-tac-toe.  For a list of agents, the number of games applies to each seat of each pair if the
        contest is tabular, otherwise to each pair.
    rival
        An agent to compare with `first`: it plays the same number of games in seat X against `second` (only in a
        tabular contest).
    sprt
        A test that ends the contest, or its text, `ELO0,ELO1` or `ELO0,ELO1,ALPHA,BETA`.  It counts the pairs of games
        in the order of their numbers, so that the number of threads does not change the last pair.
    threads
        Threads that share the work (default: all cores); never changes a result.
    executor
        Runs the games of a contest that is not tabular, instead of threads.  The caller closes it.
    save_to
        A new file: `.npz` for a tabular contest, otherwise `.jsonl`.  It is updated during the contest.
    overwrite
        Whether `save_to` may replace an existing file.
    resume_from
        The file of an earlier contest with the same settings, except that the number of games may be larger.  Its games
        are not played again, and the new games are added to it.
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
        If the file cannot be read, or the record of a game is inconsistent with its moves.
    FileWriteError
        If the file cannot be written, or another run is writing it.
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
