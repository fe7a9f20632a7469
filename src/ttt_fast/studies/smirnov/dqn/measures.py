"""Smirnov's deep Q-learning: curves, runs, matches and strength of the kept networks; all exact.

Every run of the plots and statements is a line of `plan.toml`, in one of two readings.  `as coded` follows the program:
a copy of the network shares its memory, so there is no target network.  `as described` follows the page: it has a
target network, which selects the actions of Double DQN.

In the source, one of the 32 units in each of two hidden layers is always 1.  Such a layer corresponds to a layer of 31
nodes with biases here.  The first layer of the source has no biases; the first layer here has.

Two details are not reproduced.  All networks of the source start equal, with normally distributed weights of standard
deviation 0.001.  X and O in the source both see X as 1, whereas a player here sees its own marks as 1.
"""

from collections.abc import Sequence
from math import ceil
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast import Policy, Seat, TrainingConfig, TrainingRun, exact_outcome, never_loses, train
from ttt_fast.games import api
from ttt_fast.studies.engine.evidence import agent
from ttt_fast.studies.engine.sources import cells_of, plan_of
from ttt_fast.studies.engine.tables import Row, Rows
from ttt_fast.studies.engine.work import Runner
from ttt_fast.studies.smirnov import players
from ttt_fast.studies.smirnov.curves import estimated
from ttt_fast.studies.smirnov.learners import annealed_double
from ttt_fast.studies.smirnov.players import DRAWN, TABULAR, always_ties, best_against_random, lines_of, share_in
from ttt_fast.studies.statistics.samples import counted, spread

MOVES_AN_EPISODE: Final = 3
"""Moves of X in a random game after a drawn first move, rounded up; they determine how fast a buffer fills.

O has more moves, and starts to learn a little before its curve begins."""
FULL: Final = plan_of(__package__)


class DqnSetup(NamedTuple):
    """A setting of the plots or statements.

    Attributes
    ----------
    plot
        The plot, or the statement.
    name
        Name of the setting within the plot.
    reading
        `as coded` or `as described`.
    changes
        Changes relative to the reading.
    seats
        The seats that are trained, each separately.
    repeats
        The name of its number of runs.
    """

    plot: str
    name: str
    reading: str
    changes: dict[str, Any]
    seats: Sequence[int] = (api.X, api.O)
    repeats: str = "runs"

    def _settings(self, plan: Any) -> dict[str, Any]:
        """Return the fields of the setting; a buffer of one transition means no buffer, which needs no filling."""
        settings = {**plan.base, **plan.readings[self.reading], **self.changes}
        replay = ceil(settings["replay"] / plan.shrink)
        return settings | {"replay": replay, "warm_up": replay if settings["replay"] > 1 else 0}

    def config(self, plan: Any, seat: int, seed: int) -> TrainingConfig:
        """Return the configuration of a run; the buffer fills for whole chunks before the checkpoints of the curve.

        Examples
        --------
        >>> config = CURVES[0].config(FULL, 1, 0)
        >>> config.episodes, config.evaluations, config.settings.warm_up
        (600000, 60, 300000)
        """
        settings, every = self._settings(plan), plan.episodes // plan.points
        points = plan.points + ceil(settings["warm_up"] / MOVES_AN_EPISODE / every)
        learner = "both" if settings["opponent"] == "self" else seat
        return TrainingConfig(
            **settings, seat=learner, seed=seed, episodes=every * points, chunk_episodes=every, evaluations=points
        )


CURVES, PLAYED, CLAIMED, TAUGHT = (
    tuple(DqnSetup(**one) for one in of) for of in (FULL.curves, FULL.played, FULL.claimed, FULL.taught)
)


_SURE = 1e-9
_PLIES: Final = 9
"""Number of sweeps after which value iteration has converged."""
_DIGITS = 6
"""Digits of the curves; more would make their file large."""


def found_runs(work: Runner, settings: Sequence[DqnSetup]) -> list[tuple[DqnSetup, int, list[TrainingRun | None]]]:
    """Return the runs of some settings and their seats, None for a diverged run; they are computed seed by seed."""
    plan, heads = work.plan(__package__), [(one, seat) for one in settings for seat in one.seats]
    found = work.trainings_of(
        heads, lambda one, seed: one[0].config(plan, one[1], seed), lambda one: int(getattr(plan, one[0].repeats))
    )
    return [(*head, runs) for head, runs in found]


def found_wins(work: Runner, settings: Sequence[DqnSetup]) -> list[tuple[Row, float, list[NDArray[np.float64] | None]]]:
    """Return the labels of each setting, the optimum, and the win rates of its runs after the buffer is full."""
    found, points = [], work.plan(__package__).points
    for setting, seat, runs in found_runs(work, settings):
        head = {"plot": setting.plot, "setting": setting.name, "reading": setting.reading, "seat": Seat(seat).text}
        best = best_against_random(seat, "most wins")[setting.changes.get("random_opening", True)][0]
        wins = [None if run is None else run.history[-points:, run.columns.index("wins")] for run in runs]
        found.append((head, float(best), wins))
    return found


def curves(work: Runner) -> Rows:
    """Return mean, deviation and range over the runs of each setting at each checkpoint."""
    rows, plan = [], work.plan(__package__)
    for head, _, runs in found_wins(work, CURVES):
        found = [one for one in runs if one is not None]
        for place, wins in enumerate(np.array(found).T, 1):
            numbers = {name: round(number, _DIGITS) for name, number in spread(wins, ["min", "max"]).items()}
            rows.append({**head, "episodes": place * plan.episodes // plan.points, **numbers, "runs": len(found)})
    return rows


def settings(work: Runner) -> Rows:
    """Return summaries of the runs of each setting: best and last win rates, optima reached, diverged networks."""
    rows = []
    for head, optimum, runs in found_wins(work, (*CURVES, *PLAYED, *CLAIMED)):
        wins = [one for one in runs if one is not None]
        reached = counted("reach the optimum", [one is not None and one.max() > optimum - _SURE for one in runs])
        rows.append({**head, "diverged": len(runs) - len(wins), **_ends(wins), "optimum": optimum, **reached})
    return rows


def _ends(wins: Sequence[NDArray[np.float64]]) -> Row:
    """Return best and last win rates of some curves, and the difference, with their intervals; None without curves."""
    best, last = np.array([one.max() for one in wins]), np.array([one[-1] for one in wins])
    ends = {**estimated("best", best), **estimated("last", last), **estimated("lost", best - last)}
    return {**ends, "highest": float(best.max()) if wins else None}


def _players(work: Runner) -> dict[str, dict[str, list[Policy]]]:
    """Return the kept networks, by reading: of X with its first move drawn and chosen in training, and of O.

    A kept network is the best of its run by exact score; the source chooses it by sampled games.
    """
    found: dict[str, dict[str, list[Policy]]] = {}
    for setting, seat, runs in found_runs(work, (*(one for one in CURVES if one.plot == "main"), *PLAYED)):
        role = "o" if seat == api.O else "x chosen" if setting in PLAYED else "x drawn"
        found.setdefault(setting.reading, {})[role] = [one.policy() for one in runs if one is not None]
    return found


def runs(work: Runner) -> Rows:
    """Return each run's share in each printed match of a DQN; X and O with the same seed play each other."""
    rows, players = [], _players(work)
    (training,) = work.trainings([annealed_double(work.plan(__package__).tabular_episodes)])
    assert training is not None  # tables do not diverge
    tabular = {TABULAR: training.policy()}
    for reading, of in players.items():
        for cell in cells_of(__package__):
            pairs = zip(of["x drawn" if cell.table.endswith(DRAWN) else "x chosen"], of["o"], strict=False)
            name = f"{reading}: {cell.place}, {cell.table.removeprefix('pairs, ')}"
            rows += [
                {"name": name, "quantity": cell.quantity, "seed": seed,
                 "value": share_in(cell, *({**tabular, "DQN": network} for network in pair))}
                for seed, pair in enumerate(pairs)
            ]  # fmt: skip
    return rows


def strength(work: Runner) -> Rows:
    """Return how many of the kept networks never lose, by reading and training."""
    rows = []
    for reading, roles in _players(work).items():
        for role, policies in roles.items():
            seat = api.O if role == "o" else api.X
            safe = counted("never loses", [never_loses(policy, seat) for policy in policies])
            tied = sum(always_ties(policy, seat) for policy in policies)
            rows.append({"reading": reading, "network": role, **safe, "ties with minimax": tied})
    return rows


def fractions(work: Runner) -> Rows:
    """Return the results, in lines of random's moves, that are consistent with the printed shares against random."""
    return players.fractions_of(cells_of(__package__), "DQN")


def safest_runs(work: Runner) -> Rows:
    """Return the result of the safest checkpoint of each run as coded, in lines of random's moves.

    The safest checkpoint loses the fewest lines and, among these checkpoints, wins the most.  The probability that a
    deterministic player loses to random is a multiple of one line.  A player that loses no line never loses.
    """
    rows: Rows = []
    as_o, as_x = CURVES[0]._replace(seats=[api.O], repeats="taught_runs"), PLAYED[0]._replace(repeats="few_runs")
    for setting, seat, runs in found_runs(work, [as_o, as_x, *TAUGHT]):
        is_self_play = setting in TAUGHT
        for own in (api.X, api.O) if is_self_play else (seat,):
            network = "o" if own == api.O else "x drawn" if is_self_play else "x chosen"
            prefix = "o_v_random_" if is_self_play and own == api.O else ""
            columns = [f"{prefix}{one}" for one in ("wins", "draws", "losses")]
            head = {"opponent": "itself" if is_self_play else "random", "network": network}
            lines = lines_of(own, drawn=network == "x drawn")
            for seed, run in enumerate(runs):
                if run is not None:
                    rows.append({**head, "lines": lines, "seed": seed, **_safest(run, columns, lines, work)})
    return rows


def _safest(run: TrainingRun, names: Sequence[str], lines: int, work: Runner) -> Row:
    """Return the result of the checkpoint that loses the fewest lines and, among these, wins the most."""
    shares = run.history[-work.plan(__package__).points :, [run.columns.index(one) for one in names]]
    results = np.rint(shares * lines).astype(int).tolist()
    wins, draws, losses = min(results, key=lambda one: (one[2], -one[0]))
    return {"wins": wins, "draws": draws, "losses": losses, "safe checkpoints": sum(one[2] == 0 for one in results)}


def safest(work: Runner) -> Rows:
    """Return how many runs have a network that never loses, its wins, and how many runs end as printed."""
    printed, rows, runs = fractions(work), [], safest_runs(work)
    for opponent, network, lines in dict.fromkeys((row["opponent"], row["network"], row["lines"]) for row in runs):
        of = [row for row in runs if (row["opponent"], row["network"]) == (opponent, network)]
        safe = [row["wins"] for row in of if row["losses"] == 0]
        his = next(row for row in printed if row["lines"] == lines)
        alike = [
            his["fewest wins"] <= row["wins"] <= his["most wins"] and row["losses"] <= his["most losses"] for row in of
        ]
        rows.append({
            "opponent": opponent, "network": network, "lines": lines,
            **counted("never lose", [row["losses"] == 0 for row in of]),
            "fewest losses": min(row["losses"] for row in of), "most losses": max(row["losses"] for row in of),
            "fewest safe wins": min(safe, default=None), "most safe wins": max(safe, default=None),
            "as printed": sum(alike),
        })  # fmt: skip
    return rows


def aims(work: Runner) -> Rows:
    """Return the result, in lines of random's moves, of the player that the learners against random approach.

    This player has the exact maximum of the discounted reward against random.
    """
    random, rows = agent("random"), []
    for setting, seat in ((CURVES[0], api.O), (PLAYED[0], api.X), (CURVES[0], api.X)):
        config = setting.config(work.plan(__package__), seat, 0)
        settings = config.as_dict()
        problem = {one: settings[one] for one in ("seat", "discount", "win_reward", "draw_reward", "loss_reward")}
        best = train(opponent="random", algorithm="value-iteration", episodes=_PLIES, **problem).policy()
        found = exact_outcome(*(best, random)[:: 3 - 2 * seat], random_opening=config.random_opening)
        lines = lines_of(seat, drawn=config.random_opening)
        shares = (found.x_wins, found.draws, found.o_wins)[:: 3 - 2 * seat]
        wins, draws, losses = (round(lines * one) for one in shares)
        network = "o" if seat == api.O else "x drawn" if config.random_opening else "x chosen"
        row: Row = {"network": network, "discount": settings["discount"], "lines": lines}
        rows.append(row | {"wins": wins, "draws": draws, "losses": losses})
    return rows


_ALL: Final = (curves, settings, runs, strength, fractions, safest, safest_runs, aims)
MEASURES: Final = {one.__name__: one for one in _ALL}
