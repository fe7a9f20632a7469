"""Contests of agents: of two, or of each of many with each other one."""

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
    """Hold a contest of two agents, or of each of many with each other one.

    Parameters
    ----------
    first, second
        The agents: first plays X, and in the games with swapped seats O.  Policies are those of `config.game`;
        functions of a state and objects with `choose` are called `python:given:NAME` in the results.
        Or first is a list of two or more texts: each agent meets each other one in both seats, and itself where games
        are counted.  The summary has a row for each agent, with its rating.
    config
        The game, the number of games, and all that decides their bits; or the number of games of tic-tac-toe alone.
        Of a list the games are those of a seating if they are counted, otherwise of a pair.
    rival
        An agent that plays as many games as X against the same opponent (counted games only).
    sprt
        A test that ends the contest, or its text, `ELO0,ELO1` or `ELO0,ELO1,ALPHA,BETA`: pairs count in their order,
        so that threads do not change where it ends.
    threads
        Threads that share the work (default: all cores); never changes a result.
    executor
        The place where single games run, instead of threads; it stays open.
    save_to
        A new file, rewritten or appended on the way: `.npz` where games are counted, else `.jsonl`.
    overwrite
        Whether `save_to` may be a file that is there.
    resume_from
        Such a file of the same contest: what it holds is not played again, and it is written on.  The number of games
        may have grown.
    on_progress
        Called on the way with the number of games played and a short text.
    on_interrupt
        `raise`: a signal (Ctrl-C, SIGTERM, SIGHUP) stops the contest and is raised as `RunInterrupted`, which has the
        part that was held; `return`: that part is returned, and `complete` tells.

    Returns
    -------
    Contest
        Of all games, or of those until the test was decided or, with `on_interrupt="return"`, until a signal.

    Raises
    ------
    UsageError
        If a setting means nothing in a contest of these agents, or the file was made by another one.
    FileFormatError
        If the file cannot be read, or holds games that their moves do not bear out.
    RunInterrupted
        If a signal has stopped the contest (`on_interrupt`); what it saves is written.

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
            raise UsageError(f"expected a list of agents alone, got {' and '.join(names)} beside it")
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
