"""AlphaZero on tables: how often nobody can beat its network, by settings, games and other learners.

An arm is a setting of a learner on a game, with runs of many seeds.  A run is unbeatable if the exploitability of its
last network, whose moves are greedy, is exactly 0.
"""

from collections.abc import Sequence
from functools import lru_cache, partial
from math import inf, isnan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ttt_fast import Policy, StateTable, TrainingConfig, TrainingRun, as_policy, exploitability, solution_of, table_of
from ttt_fast.studies.alphazero.cloning import cloning
from ttt_fast.studies.alphazero.nim import nim
from ttt_fast.studies.engine.tables import Row, Rows
from ttt_fast.studies.engine.work import Runner
from ttt_fast.studies.statistics.samples import counted, mean_of

_NIM: Final = "nim-"
_LARGEST: Final = 10_000_000
"""Most states of a table."""
_SEARCH: Final = 100
"""Simulations of the search that plays at the end of a run."""


class Arm(NamedTuple):
    """A setting of a learner on a game.

    Attributes
    ----------
    game, setting
        The game, and the setting in words.
    runs
        Number of seeds.
    settings
        Fields of `TrainingConfig`.
    """

    game: str
    setting: str
    runs: int
    settings: dict[str, Any]

    @property
    def algorithm(self) -> str:
        """The algorithm."""
        return str(self.settings.get("algorithm", "alphazero"))

    def config(self, seed: int) -> TrainingConfig:
        """Return the configuration of a run.

        Examples
        --------
        >>> Arm("tic-tac-toe", "default", 1, {}).config(7).settings.simulations
        50
        """
        settings = {"algorithm": self.algorithm, "opponent": "self", **self.settings}
        return TrainingConfig(**settings, game=table(self.game).game.spec, seed=seed)


@lru_cache
def table(game: str) -> StateTable:
    """Return the table of a game, which may be Nim with heaps: `nim-1-3-5`."""
    is_nim = game.startswith(_NIM)
    return nim(*map(int, game.removeprefix(_NIM).split("-"))) if is_nim else table_of(game, _LARGEST)


def arms(work: Runner, part: str) -> list[Arm]:
    """Return the arms of a part of the plan."""
    plan, found = work.plan(__package__), []
    chosen = getattr(plan, part)
    for arm in chosen["arms"][: 2 if work.quick else None]:
        changes = {key: value for key, value in arm.items() if key not in ("game", "setting", "runs")}
        settings = {**chosen.get("base", {}), **changes, **plan.smaller}
        runs = min(arm.get("runs", chosen["runs"]), getattr(plan, "runs", inf), work.seeds or inf)
        found.append(Arm(arm.get("game", chosen.get("game")), arm["setting"], int(runs), settings))
    return found


def runs_of(work: Runner, part: str) -> list[tuple[Arm, list[TrainingRun]]]:
    """Return the arms of a part with their runs; none of them diverges."""
    found = work.trainings_of(arms(work, part), lambda arm, seed: arm.config(seed), lambda arm: arm.runs)
    return [(arm, [run for run in runs if run is not None]) for arm, runs in found]


def column(run: TrainingRun, name: str) -> list[float]:
    """Return a column of a run's curve; nan where it has none."""
    curve = run.curve()
    found = curve[name] if name in curve.columns else pl.Series([None] * len(curve), dtype=pl.Float64)
    return [np.nan if value is None else float(value) for value in found]


def first_at_zero(run: TrainingRun) -> float:
    """Return the episodes at the first checkpoint that is unbeatable; infinity if none is."""
    curve = zip(column(run, "episodes"), column(run, "exploitability"), strict=True)
    return next((at for at, value in curve if value == 0), inf)


def middle(values: Sequence[float]) -> int | None:
    """Return the lower median; None if it is infinite."""
    found = sorted(values)[(len(values) - 1) // 2]
    return None if found == inf else int(found)


def rate_row(arm: Arm, runs: Sequence[TrainingRun]) -> Row:
    """Return how many runs of an arm end unbeatable, and when they first are."""
    last = [column(run, "exploitability")[-1] for run in runs]
    return {
        "game": arm.game,
        "setting": arm.setting,
        "algorithm": arm.algorithm,
        "episodes": runs[0].config.episodes,
        **counted("unbeatable", [value == 0 for value in last]),
        "unbeatable_once": sum(first_at_zero(run) < inf for run in runs),
        "median_first": middle([first_at_zero(run) for run in runs]),
        **mean_of("policy_exploitability", [column(run, "policy_exploitability")[-1] for run in runs]),
    }


def rates(work: Runner, part: str) -> Rows:
    """Return a row for each arm of a part: settings on tic-tac-toe, or learners with equal computing time."""
    return [rate_row(arm, runs) for arm, runs in runs_of(work, part)]


def headline(work: Runner) -> Rows:
    """Return, for each checkpoint, how many runs are unbeatable: with the last network, and with the best one kept."""
    rows: Rows = []
    for _, runs in runs_of(work, "headline"):
        is_so = np.array([column(run, "exploitability") for run in runs]) == 0
        for network, found in (("the last one", is_so), ("the best one kept", np.logical_or.accumulate(is_so, axis=1))):
            for place, episodes in enumerate(column(runs[0], "episodes")):
                head = {"network": network, "episodes": int(episodes), "looks": place + 1}
                rows.append(head | counted("unbeatable", found[:, place].tolist()))
    return rows


def searched(run: TrainingRun, game: str) -> float:
    """Return the exploitability of the search with the last network of a run."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "last.npz"
        run.save(path)
        return exploitability(as_policy(f"puct:net={path},sims={_SEARCH}", table(game).game))


def games(work: Runner) -> Rows:
    """Return a row for each game: the network alone, and the search with it, at the end and on the way."""
    rows = []
    for arm, runs in runs_of(work, "games"):
        at_end = counted("search_unbeatable", [searched(run, arm.game) == 0 for run in runs])
        on_the_way = [value for run in runs for value in column(run, "search_exploitability") if not isnan(value)]
        of_search = {
            "search_unbeatable": at_end["search_unbeatable"], "search_low": at_end["low"],
            "search_high": at_end["high"], "search_rows": len(on_the_way),
            "search_rows_unbeatable": on_the_way.count(0),
        }  # fmt: skip
        rows.append({"states": table(arm.game).num_states, **rate_row(arm, runs), **of_search})
    return rows


def curve(work: Runner) -> Rows:
    """Return reference curves: exploitability of greedy play and of the probabilities, by the number of games."""
    rows: Rows = []
    for arm, runs in runs_of(work, "curve"):
        marks = {10**power for power in range(1, 7)} | {runs[0].config.episodes}
        for place, episodes in enumerate(column(runs[0], "episodes")):
            if int(episodes) in marks:
                stochastic, greedy = (
                    [column(run, name)[place] for run in runs] for name in ("policy_exploitability", "exploitability")
                )
                head = {"game": arm.game, "episodes": int(episodes), "exploitability": float(np.mean(greedy))}
                unbeatable = counted("unbeatable", [value == 0 for value in greedy])
                rows.append(head | mean_of("policy_exploitability", stochastic) | unbeatable)
    return rows


def positions_of(states: StateTable) -> NDArray[np.int64]:
    """Return one state of each position that is not over, (P,): a custom game has a position at several plies.

    Positions differ in what the player to move observes.

    Examples
    --------
    >>> states = table("nim-1-2-3")
    >>> positions_of(states).size, int((states.player > 0).sum())
    (23, 46)
    """
    ongoing = np.flatnonzero(states.player)
    return ongoing[np.unique(states.observe(ongoing.astype(np.int32)), axis=0, return_index=True)[1]]


def won_positions(policy: Policy) -> float:
    """Return the share of the positions won by the player to move in which a policy plays a winning move.

    Examples
    --------
    >>> won_positions(as_policy("minimax")), round(won_positions(as_policy("random")), 3)
    (1.0, 0.51)
    """
    states, solution, places = policy.table, solution_of(policy.table), positions_of(policy.table)
    is_won = (solution.value * np.where(states.player == 1, 1, -1) > 0)[places]
    return float(states.row_sums(policy.edge_probabilities * solution.optimal)[places][is_won].mean())


def heaps(work: Runner) -> Rows:
    """Return a row for each Nim: unbeatable from the start (champion), and right in all won positions (expert)."""
    rows = []
    for arm, runs in runs_of(work, "heaps"):
        states = table(arm.game)
        right = [won_positions(run.policy()) for run in runs]
        shares = {**mean_of("won_positions", right), "won_positions_most": max(right)}
        head = {"states": states.num_states, "positions": positions_of(states).size, **rate_row(arm, runs)}
        head["search_unbeatable"] = sum(searched(run, arm.game) == 0 for run in runs)
        rows.append(head | shares | {"won_positions_of_random": won_positions(as_policy("random", states.game))})
    return rows


MEASURES: Final = {
    "headline": headline, "games": games, "heaps": heaps, "curve": curve, "cloning": cloning,
    **{part: partial(rates, part=part) for part in ("settings", "plies", "beside")},
}  # fmt: skip
