"""Sweeps and comparisons as polars frames, with the columns of the commands."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from ttt_fast.agents.convert import AgentLike, as_specs
from ttt_fast.core.checks import list_of, shown
from ttt_fast.core.errors import UsageError
from ttt_fast.core.frames import frame_of
from ttt_fast.play.contest import contest
from ttt_fast.play.contest_config import ContestConfig
from ttt_fast.play.tabular import Progress
from ttt_fast.running.executors import Executor, ThreadExecutor

if TYPE_CHECKING:
    import polars as pl


def sweep(
    settings: Mapping[str, Any],
    seeds: int | Sequence[int] = 10,
    folder: str | os.PathLike[str] | None = None,
    *,
    threads: int | None = None,
    executor: Executor | None = None,
    on_progress: Callable[[int, int], None] = lambda runs, episodes: None,
) -> "pl.DataFrame":
    """Train every combination of settings with every seed, and return all curves.

    Parameters
    ----------
    settings
        The settings of `TrainingConfig` by name, with the same defaults.  A list, tuple or array contains the values of
        a setting that varies.
    seeds
        The number of seeds, from 0, or a list or array of seeds.
    folder
        A folder of the runs, a file for each, as for `ttt-fast sweep -o`.  Runs in it are not repeated, so that an
        interrupted sweep continues, and a larger one reuses the runs of a smaller one.  By default, no run is stored.
    threads
        Threads that share the runs (default: all cores); never changes a result.
    executor
        Runs the sweep instead of threads, such as a `running.api.DaskExecutor`.  The caller closes it.
    on_progress
        Called ten times a second with the number of runs written and the episodes done, without those of the folder.

    Returns
    -------
    polars.DataFrame
        A row for each evaluation of each run, in the order of the combinations and seeds.  The columns are those of the
        files of `ttt-fast sweep`: the settings, and the curve with `episodes`, `value`, `best_value`, `regret` and all
        other measures.  `run_episodes` is the length of a run.  Only `seconds` differs between repetitions.

    Raises
    ------
    UsageError
        If a setting or a seed is invalid, or the folder contains unfinished runs of another sweep.
    FileFormatError
        If the folder belongs to another program.
    RunInterrupted
        If a signal has stopped the sweep; finished runs stay in the folder.

    Examples
    --------
    >>> curves = sweep({"opponent": "minimax", "seat": "o", "episodes": 5000, "epsilon": [0.1, 0.3]}, seeds=2)
    >>> curves.select("epsilon", "seed", "run_episodes").unique(maintain_order=True).rows()
    [('0.1', 0, 5000), ('0.1', 1, 5000), ('0.3', 0, 5000), ('0.3', 1, 5000)]
    >>> curves["regret"].min() >= 0
    True
    """
    from ttt_fast.core.frames import claim_threads
    from ttt_fast.training.sweep import Sweep

    claim_threads()
    if not isinstance(settings, Mapping):
        raise UsageError(f"expected settings by name, such as {{'epsilon': [0.1, 0.2]}}, got {shown(settings)}")
    many = [name for name, one in settings.items() if isinstance(one, Iterable) and not isinstance(one, str | Mapping)]
    grid = {name: list_of(settings[name], name) for name in many}
    plan = Sweep({name: settings[name] for name in settings if name not in grid}, grid, Sweep.parse_seeds(seeds))
    pool = closing(ThreadExecutor(threads)) if executor is None else nullcontext(executor)
    with TemporaryDirectory() if folder is None else nullcontext(folder) as place, pool as opened:
        where = Path(place)
        plan.check_folder(where)
        plan.run(plan.pending(where), where, opened, on_progress)
        return plan.merged(where).collect()


def compare(
    agents: Iterable[AgentLike],
    games: int | None = None,
    *,
    threads: int | None = None,
    executor: Executor | None = None,
    on_progress: Progress | None = None,
    **settings: Any,
) -> "pl.DataFrame":
    """Compare every pair of agents in both seats.

    Parameters
    ----------
    agents
        Two or more agents, in any form.
    games
        The number of games: for each seating of a pair if results are exact (default: 0), otherwise for each pair
        (default: 100).
    threads, executor, on_progress
        As for `contest`.
    **settings
        Other settings of `ContestConfig`, such as `game`.

    Returns
    -------
    polars.DataFrame
        A row for each seating, with the columns of `ttt-fast compare --all`; `contest` also returns a rating of each
        agent.

    Raises
    ------
    UsageError
        If there are fewer than two agents, or a setting does not apply to them.

    Examples
    --------
    >>> found = compare(["random", "minimax"])
    >>> found.select("x", "o", "exact_x_wins").rows()[2]
    ('minimax', 'random', 0.967811...)
    """
    listed = as_specs(list_of(agents, "agents"))  # each agent is found out once
    config = ContestConfig(0 if games is None else games, **settings)
    if games is None:
        config = config.with_usual_games(listed, executor=executor, round_robin=True)
    return frame_of(contest(listed, config=config, threads=threads, executor=executor, on_progress=on_progress).rows)
