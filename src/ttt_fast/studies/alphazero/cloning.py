"""Learning from recorded games of tic-tac-toe: of perfect players and of players who err, alone and before self-play.

Each run has games of its own, drawn with its seed.  They begin with zero to six random plies, equally often, which
belong to the opening and are not learned from.
"""

from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from ttt_fast import Policy, TrainingConfig, TrainingRun, agreement, as_policy, exploitability
from ttt_fast.files import make_folder
from ttt_fast.report.rows import write_bytes
from ttt_fast.studies.engine.tables import Rows
from ttt_fast.studies.engine.work import Runner
from ttt_fast.studies.statistics.samples import counted, mean_of

MOST_RANDOM_PLIES = 6


def teacher_of(random_share: float) -> Policy:
    """Return minimax, which plays each optimal move equally often, with a share of random moves.

    Examples
    --------
    >>> round(float(teacher_of(0.2).probabilities[0].max()), 4)  # all nine first moves are optimal
    0.1111
    """
    minimax, random = (as_policy(name).edge_probabilities for name in ("minimax", "random"))
    mixed = (1 - random_share) * minimax + random_share * random
    return Policy.from_probabilities(as_policy("minimax").table, mixed, "teacher")


def games_of(teacher: Policy, games: int, seed: int) -> list[str]:
    """Return lines of comma-separated values, `moves,opening`: games of a policy against itself.

    Examples
    --------
    >>> lines = games_of(teacher_of(0), 8, seed=0)
    >>> lines[0], [line[-1] for line in lines[1:]], all(len(line) > 6 for line in lines[1:])
    ('moves,opening', ['0', '1', '2', '3', '4', '5', '6', '0'], True)
    """
    random, table, drawn = np.random.default_rng((seed, games)), teacher.table, games + games // 4 + 9
    opening, state = np.arange(drawn) % (MOST_RANDOM_PLIES + 1), np.zeros(drawn, np.int64)
    moves, every = np.full(drawn, "", object), np.arange(drawn)
    # over all edges, so that a number between its bounds draws an edge of a state
    bounds = [np.append(0, np.cumsum(one.edge_probabilities)) for one in (teacher, as_policy("random"))]
    for ply in range(table.num_plies):
        for sums, is_random in zip(bounds, (False, True), strict=True):
            going = every[(table.player[state] > 0) & ((ply < opening) == is_random)]
            low, high = (sums[table.edge_start[state[going] + after]] for after in (0, 1))
            edge = np.searchsorted(sums, low + random.random(going.size) * (high - low), "right") - 1
            moves[going] += table.edge_action[edge].astype(str).astype(object)
            state[going] = table.edge_child[edge]
    lines = [f"{line},{plies}" for line, plies in zip(moves, opening, strict=True) if len(line) > plies]
    return ["moves,opening", *lines[:games]]  # without games that end in their openings


def recorded(work: Runner, random_share: float, games: int, seed: int) -> Path:
    """Return the file of the games of a run, which is written unless it exists."""
    path = work.kept / f"games-{random_share:g}-{games}-{seed}.csv"
    if not path.exists():
        make_folder(work.kept)
        write_bytes("\n".join(games_of(teacher_of(random_share), games, seed)).encode(), path)  # all or nothing
    return path


def settings_of(work: Runner, arm: dict[str, Any], seed: int) -> dict[str, Any]:
    """Return the fields of the configuration of a run of an arm."""
    settings = {key: value for key, value in arm.items() if key not in ("random_share", "games")}
    if arm["games"]:
        settings["games"] = str(recorded(work, arm["random_share"], arm["games"], seed))
    return {"opponent": "self", "keep": "last", "seed": seed, **settings}


def row_of(arm: dict[str, Any], runs: list[TrainingRun]) -> dict[str, Any]:
    """Return the exact strength of the last networks of an arm, the means over runs with their 95 % intervals."""
    policies = [run.policy() for run in runs]
    gains = [exploitability(policy) for policy in policies]
    recorded_episodes = arm["games"] * arm.get("epochs", 0)
    row = {
        "algorithm": arm["algorithm"],
        "random_share": arm.get("random_share"),
        "games": arm["games"],
        "epochs": arm.get("epochs", 0),
        "played": runs[0].config.episodes - recorded_episodes,
        **counted("unbeatable", [gain == 0 for gain in gains]),
    }
    against = [[row.regret for row in run.scorecard() if row.opponent == "random"] for run in runs]
    return {
        **row,
        **mean_of("exploitability", gains),
        **mean_of("regret", [float(np.mean(both)) for both in against]),
        **mean_of("agreement", [agreement(policy).share for policy in policies]),
    }


def cloning(work: Runner) -> Rows:
    """Return a row for each arm: the share of random moves of its teacher, its games, and the exact strength."""
    plan = work.plan(__package__)
    chosen = plan.cloning["arms"][:: 4 if work.quick else 1]
    arms = [arm | plan.smaller | (plan.smaller_games if arm["games"] else {}) for arm in chosen]
    runs = min(plan.cloning["runs"], getattr(plan, "runs", inf), work.seeds or inf)
    found = work.trainings_of(arms, lambda arm, seed: TrainingConfig(**settings_of(work, arm, seed)), lambda _: runs)
    return [row_of(arm, [run for run in runs if run is not None]) for arm, runs in found]
