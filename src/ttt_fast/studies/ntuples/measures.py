"""The measures of learning Connect 4 by n-tuples."""

from collections.abc import Sequence
from itertools import combinations
from math import inf
from typing import Any, Final

from ttt_fast import TrainingConfig
from ttt_fast.evaluate.statistics import wilson_interval
from ttt_fast.games import api
from ttt_fast.studies.engine.shipped import known
from ttt_fast.studies.engine.tables import Row, Rows
from ttt_fast.studies.engine.work import Runner
from ttt_fast.studies.ntuples.players import first_games, kept
from ttt_fast.studies.ntuples.proofs import proofs
from ttt_fast.studies.ntuples.recipe import config_of, judged
from ttt_fast.studies.statistics.samples import counted, mean_of

ROUNDING: Final = 1e-9
MIRRORED: Final = str.maketrans("1234567", "7654321")


def runs_of(work: Runner, chosen: dict[str, Any]) -> int:
    """Return the number of runs of a setting, within the limits of the plan and of the command."""
    runs: int = chosen["runs"]
    return min(runs, work.seeds or runs, int(work.plan(__package__).most_runs))


def recipe(work: Runner) -> Rows:
    """Return the mean agreement of the runs of each setting."""
    plan = work.plan(__package__)
    chosen: dict[str, Any] = plan.recipe
    runs = runs_of(work, chosen)
    arms = {arm["setting"]: chosen["base"] | arm | plan.smaller for arm in chosen["arms"][: 2 if work.quick else None]}
    settings = [{key: value for key, value in arm.items() if key != "setting"} for arm in arms.values()]
    done = work.pieces(judged, [{"seed": seed, "settings": one} for seed in range(runs) for one in settings])
    rows = []
    for place, (setting, arm) in enumerate(arms.items()):
        agreement = [float(one["agreement"]) for one in done[place :: len(arms)]]
        rows.append({"setting": setting, "games": arm["episodes"], "runs": runs, **mean_of("agreement", agreement)})
    return rows


def full(work: Runner) -> Rows:
    """Return the mean agreement of long runs, by the number of tuples."""
    plan = work.plan(__package__)
    chosen: dict[str, Any] = plan.full
    arms = [chosen["base"] | arm | plan.smaller for arm in chosen["arms"][: 1 if work.quick else None]]
    runs = runs_of(work, chosen)
    rows = []
    for arm, own in work.trainings_of(arms, lambda arm, seed: config_of(seed, **arm), lambda _: runs):
        agreement = [run.curve()["agreement"].to_list()[-1] for run in own if run is not None]
        head = {"tuples": arm["tuples"], "games": arm["episodes"], "runs": runs, "first_agreement": agreement[0]}
        rows.append(head | mean_of("agreement", agreement))
    return rows


def share_row(name: str, is_so: Sequence[bool]) -> Row:
    """Return a count, its share, and the 95 % interval of the share."""
    low, high = wilson_interval(sum(is_so), len(is_so))
    return {name: sum(is_so), "share": sum(is_so) / len(is_so), "low": low, "high": high}


def kept_moves(work: Runner) -> Rows:
    """Return, for each agent, how many of its moves keep the value of a solved position, by source."""
    agents = work.plan(__package__).judged
    rows = []
    for agent, found in zip(agents, work.pieces(kept, [{"agent": known(agent)} for agent in agents]), strict=True):
        for source in (*sorted(set(found["source"].tolist())), "all"):
            own = found["keeps"][(found["source"] == source) | (source == "all")].tolist()
            rows.append({"agent": agent, "source": source, "positions": len(own), **share_row("agreeing", own)})
    return rows


def first_mover(work: Runner) -> Rows:
    """Return the distinct games of each agent as first mover against perfect play; mirror images are one game."""
    plan = work.plan(__package__)
    rows = []
    for agent in plan.first_movers[: 1 if work.quick else None]:
        settings = [{"agent": known(agent), "opening": one, "games": plan.games_of_opening} for one in plan.openings]
        found = work.pieces(first_games, settings)
        games = {
            min(moves, moves.translate(MIRRORED)): status
            for one in found
            for moves, status in zip(one["moves"].tolist(), one["status"].tolist(), strict=True)
        }
        statuses = list(games.values())
        row = {"agent": agent, "played": len(settings) * plan.games_of_opening, "distinct": len(games)}
        row |= share_row("won", [status == api.X_WINS for status in statuses])
        rows.append(row | {"drawn": statuses.count(api.DRAW), "lost": statuses.count(api.O_WINS)})
    return rows


def separation(ends: Sequence[float], others: Sequence[float]) -> float:
    """Return the two-sided p-value of the rank sum of two samples, by all ways to divide the ranks.

    Examples
    --------
    >>> round(separation([1, 2, 3], [4, 5, inf]), 3), separation([1, 2], [1, 2])
    (0.1, 1.0)
    """
    every = [*ends, *others]
    ranks = [sum(one < end for one in every) + (sum(one == end for one in every) - 1) / 2 for end in every]
    middle, sums = sum(ranks) * len(ends) / len(every), [sum(some) for some in combinations(ranks, len(ends))]
    off = abs(sum(ranks[: len(ends)]) - middle)
    return sum(abs(one - middle) >= off - ROUNDING for one in sums) / len(sums)


def reached(work: Runner) -> Rows:
    """Return how many runs of each board reach the goal within the rounds, and when, with refutations and without.

    `p_value` is that of the games until then, with refutations against without; a run that does not reach the goal
    comes last.
    """
    of: dict[tuple[str, str], dict[bool, dict[int, Row]]] = {}
    for row in proofs(work):
        last = of.setdefault((row["board"], row["seat"]), {True: {}, False: {}})[row["refutations"]]
        last[row["seed"]] = row
    rows = []
    for (board, seat), arms in of.items():
        ends = {
            refutations: sorted(row["games"] if row["reached"] else inf for row in last.values())
            for refutations, last in arms.items()
        }
        for refutations, own in ends.items():
            is_so = [end < inf for end in own]
            rows.append({
                "board": board, "seat": seat, "refutations": refutations, **counted("reached", is_so),
                "most_games": max(row["games"] for row in arms[False].values()),
                "first": own[0] if is_so[0] else None, "last": own[sum(is_so) - 1] if is_so[0] else None,
                "p_value": separation(own, ends[False]) if refutations else None,
            })  # fmt: skip
    return rows


def elsewhere(work: Runner) -> Rows:
    """Return how strong networks of other algorithms are on small boards, by the most random plies of an opening.

    A network is the last one of its run, and its moves are greedy.  `p_value` is that of the agreement against the row
    before, which differs in one thing.
    """
    plan = work.plan(__package__)
    chosen: dict[str, Any] = plan.elsewhere
    arms = [chosen["base"] | arm | plan.smaller for arm in chosen["arms"][: 2 if work.quick else None]]
    seeds = runs_of(work, chosen)
    rows: Rows = []
    before: tuple[object, list[float]] | None = None
    for arm, own in work.trainings_of(arms, lambda arm, seed: TrainingConfig(**arm, seed=seed), lambda _: seeds):
        runs = [run for run in own if run is not None]
        curves = [run.curve() for run in runs]
        agreement = [float(curve["agreement"][-1]) for curve in curves]
        learner = arm["game"], arm["algorithm"]
        rows.append({
            "board": arm["game"], "algorithm": arm["algorithm"],
            "opening_plies": arm["opening_plies"], "games": runs[0].config.episodes,
            **counted("unbeatable", [curve["exploitability"][-1] == 0 for curve in curves]),
            "unbeatable_once": sum((curve["exploitability"] == 0).any() for curve in curves),
            **mean_of("agreement", agreement),
            "p_value": separation(agreement, before[1]) if before and before[0] == learner else None,
        })  # fmt: skip
        before = learner, agreement
    return rows


MEASURES: Final = {
    "recipe": recipe, "full": full, "kept_moves": kept_moves, "first_mover": first_mover, "elsewhere": elsewhere,
    "loops": proofs, "reached": reached,
}  # fmt: skip
