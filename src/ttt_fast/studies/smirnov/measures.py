"""The measures of Smirnov's study: the tabular learner, gamma and lengths; those without learning, and the curves."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ttt_fast.evaluate.outcome import Outcome, exact_outcome
from ttt_fast.evaluate.samples import Sample, counted, spread
from ttt_fast.evaluate.strength import agreement, exploitability, never_loses
from ttt_fast.games import api
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.settings import SELF_PLAY
from ttt_fast.policies.policy import Policy
from ttt_fast.studies.engine.evidence import agent
from ttt_fast.studies.engine.sources import Cell, cells_of
from ttt_fast.studies.engine.tables import Row, Rows
from ttt_fast.studies.engine.work import Work
from ttt_fast.studies.smirnov import curves, scripted
from ttt_fast.studies.smirnov.learners import CURVE_GAMMA, TABLE_GAMMA, annealed, player_of, trained
from ttt_fast.studies.smirnov.players import FAST_MINIMAX, HEURIBOT, MINIMAX, best_against_random
from ttt_fast.studies.smirnov.scripted import CHOSEN, DRAWN, PACKAGE

TABULAR: Final = "Tabular Q"
SCRIPTED: Final = {"Minimax": MINIMAX, "Heuribot": HEURIBOT, "Random": "random"}
GAMMA_TABLE, PRINTED, NEAREST = "gamma and win length", "printed", "nearest reading"
AS_DESCRIBED: Final = "trained by self-play, first move drawn; played with it drawn"
GAMMA_QUANTITIES: Final = ("x_wins", "wins_at_5", "wins_at_7", "wins_at_9")
HELD_OUT: Final = (0.1, 0.3, 0.5, 0.7, 0.9)
"""Gammas whose columns do not choose the reading of the table, and are judged by it."""
_SURE = 1e-9


def trainings(work: Work) -> dict[str, TrainingConfig]:
    """Return the ways in which the learner of the pair tables is trained: as the page says, and as its program does."""
    whole, half = (30_000, 15_000) if work.quick else (3_000_000, 1_500_000)
    double = {"algorithm": "double-q", "discount": TABLE_GAMMA}
    return {
        "as described": annealed(whole, **double),
        "first move chosen": annealed(whole, random_opening=False, **double),
        "as coded": annealed(half, random_opening=False, **double),
    }


def learners(work: Work, configs: Mapping[Any, TrainingConfig], runs: int) -> dict[Any, list[Policy]]:
    """Return the greedy policies of some settings, each with so many seeds."""
    jobs = [{"config": {**config.as_dict(), "seed": seed}} for config in configs.values() for seed in range(runs)]
    found = [player_of(one) for one in work.pieces(trained, jobs)]
    return {name: found[number * runs : (number + 1) * runs] for number, name in enumerate(configs)}


def tabular(work: Work) -> dict[str, list[Policy]]:
    """Return the learners of the pair tables, over the seeds."""
    return learners(work, trainings(work), 3 if work.quick else 40)


def pair_values(cell: Cell, policies: Sequence[Policy]) -> list[float]:
    """Return a quantity of the match that a cell names, for each learner; it plays itself where both seats are its."""
    x, o = (one.removeprefix("X ").removeprefix("O ") for one in cell.place.split(", "))
    found = []
    for policy in policies:
        pair = (policy if name == TABULAR else agent(SCRIPTED[name]) for name in (x, o))
        found.append(float(getattr(exact_outcome(*pair, random_opening=cell.table.endswith(DRAWN)), cell.quantity)))
    return found


def pairs(work: Work) -> Rows:
    """Return the learner's share in each match of the pair tables: the spread over the runs of each training."""
    cells = [cell for cell in cells_of(PACKAGE) if TABULAR in cell.place and "DQN" not in cell.place]
    return [
        {"training": training, "table": cell.table, "place": cell.place, "quantity": cell.quantity,
         "runs": len(policies), **spread(pair_values(cell, policies), ["min", "median", "max"])}
        for training, policies in tabular(work).items() for cell in cells
    ]  # fmt: skip


def runs(work: Work) -> Rows:
    """Return each run's share in the matches against random, and in the table of gammas by two of its readings."""
    cells = [cell for cell in cells_of(PACKAGE) if TABULAR in cell.place and "Random" in cell.place]
    found = [
        (training, cell.table, cell.place, cell.quantity, pair_values(cell, policies))
        for training, policies in tabular(work).items()
        for cell in cells
    ]
    read = _readings(work)
    for name, quantities in (("as described", read[AS_DESCRIBED]), (NEAREST, read[_ranked(read)[0]["reading"]])):
        for gamma, own in zip(_gammas(), quantities, strict=True):
            columns = zip(GAMMA_QUANTITIES, own.T.tolist(), strict=True)
            found += [(name, GAMMA_TABLE, f"gamma {gamma:g}", *column) for column in columns]
    return [
        {"name": name, "table": table, "place": place, "quantity": quantity, "seed": seed, "value": value}
        for name, table, place, quantity, own in found
        for seed, value in enumerate(own)
    ]


def strength(work: Work) -> Rows:
    """Return the learners' exact marks over the runs, the best that each could be, and how many runs reach it."""
    rows = []
    for training, policies in tabular(work).items():
        marks = [_marks(policy) for policy in policies]
        for mark, (_, best) in marks[0].items():
            found = [one[mark][0] for one in marks]
            at_best = counted("at best", [abs(one - best) < _SURE for one in found])
            row = {"training": training, "mark": mark, **spread(found, ["min", "median", "max"])}
            rows.append(row | {"best possible": best, **at_best})
    return rows


def _marks(policy: Policy) -> dict[str, tuple[float, float]]:
    """Return each mark of a policy with the best that it could be."""
    random, minimax, marks = agent("random"), agent(MINIMAX), {}
    for place, opening in enumerate((CHOSEN, DRAWN)):
        most = float(best_against_random(api.X, "most wins")[place][0])
        as_x = [exact_outcome(policy, one, random_opening=place == 1) for one in (random, minimax)]
        marks[f"X v random, {opening}: wins"] = float(as_x[0].x_wins), most
        marks[f"X v minimax, {opening}: ties"] = float(as_x[1].draws), 1.0
    wins = float(exact_outcome(random, policy).o_wins)
    marks["O v random: wins"] = wins, float(best_against_random(api.O, "most wins")[0][0])
    marks["O v random: wins, without a risk"] = wins, float(best_against_random(api.O, "never loses, most wins")[0][0])
    marks["O v minimax: ties"] = float(exact_outcome(minimax, policy).draws), 1.0
    marks |= {f"never loses as {'XO'[seat - 1]}": (float(never_loses(policy, seat)), 1.0) for seat in (api.X, api.O)}
    return marks | {
        "exploitability": (exploitability(policy), 0.0),
        "agreement with minimax, all positions": (agreement(policy).share, 1.0),
    }


def lengths(work: Work) -> Rows:
    """Return the exact shares of the lengths of games against random: scripted players and learners."""
    players = {
        "minimax": [agent(MINIMAX)], "minimax, utility less filled squares": [agent(FAST_MINIMAX)],
        "heuribot": [agent(HEURIBOT)], TABULAR: tabular(work)["as described"],
    }  # fmt: skip
    rows = []
    for (name, policies), (seat, opening) in (
        (one, two) for one in players.items() for two in (("X", CHOSEN), ("X", DRAWN), ("O", CHOSEN))
    ):
        shares = np.array([_lengths(policy, seat, opening == DRAWN) for policy in policies])
        mean = {f"{plies} plies": float(one.mean()) for plies, one in zip(range(5, 10), shares.T, strict=True)}
        plies = Sample(shares @ np.arange(5, 10))
        row = {"player": name, "seat": seat, "opening": opening, **mean, "mean plies": plies.mean, "sd": plies.sd}
        rows.append(row | {"runs": len(policies)})
    return rows


def _lengths(policy: Policy, seat: str, drawn: bool) -> NDArray[np.float64]:
    pair = (policy, agent("random")) if seat == "X" else (agent("random"), policy)
    found: NDArray[np.float64] = exact_outcome(*pair, random_opening=drawn).lengths.sum(axis=0)[5:]
    return found


def _printed() -> NDArray[np.float64]:
    """Return the printed table of gammas, (gammas, quantities) float64."""
    cells = [cell for cell in cells_of(PACKAGE) if cell.table == GAMMA_TABLE]
    return np.array([[one.value for one in cells if one.quantity == name] for name in GAMMA_QUANTITIES]).T


def _gammas() -> list[float]:
    cells = [cell for cell in cells_of(PACKAGE) if cell.table == GAMMA_TABLE and cell.quantity == "x_wins"]
    return [float(cell.place.removeprefix("gamma ")) for cell in cells]


def _readings(work: Work) -> dict[str, NDArray[np.float64]]:
    """Return the quantities of the table of gammas in each reading of the text, (gammas, runs, quantities)."""
    found, episodes = {}, 10_000 if work.quick else 2_000_000
    for opponent, trained_drawn in ((one, drawn) for one in (SELF_PLAY, "random") for drawn in (True, False)):
        training = "by self-play" if opponent == SELF_PLAY else "against random"
        configs = {
            gamma: annealed(episodes, opponent=opponent, random_opening=trained_drawn, discount=gamma)
            for gamma in _gammas()
        }
        count = 2 if work.quick else 40 if opponent == SELF_PLAY else 10
        policies = learners(work, configs, count)
        for drawn in (True, False):
            openings = ["drawn" if one else "chosen" for one in (trained_drawn, drawn)]
            name = f"trained {training}, first move {openings[0]}; played with it {openings[1]}"
            results = [
                [exact_outcome(one, agent("random"), random_opening=drawn) for one in policies[gamma]]
                for gamma in configs
            ]
            found[name] = np.array([[_won(one) for one in row] for row in results])
    return found


def _won(outcome: Outcome) -> list[float]:
    """Return X's wins, and its wins after five, seven and nine plies."""
    return [float(outcome.x_wins), *outcome.lengths[0, [5, 7, 9]].tolist()]


def _ranked(found: Mapping[str, NDArray[np.float64]]) -> Rows:
    printed, rows = _printed(), []
    chooses = np.array([gamma not in HELD_OUT for gamma in _gammas()])
    for name, quantities in found.items():
        off = np.abs(quantities.mean(axis=1) - printed)
        rows.append({
            "reading": name, "runs": quantities.shape[1], "off where it is chosen": float(off[chooses].mean()),
            "off where held out": float(off[~chooses].mean()), "greatest": float(off.max()),
            "within 0.005": int((off <= 0.005).sum()), "numbers": off.size,
        })  # fmt: skip
    ranked = sorted(rows, key=lambda row: (row["off where it is chosen"], row["reading"]))
    return [{"rank": rank, **row} for rank, row in enumerate(ranked, 1)]


def readings(work: Work) -> Rows:
    """Return how far each reading is from the printed table, the nearest first by the columns that choose."""
    return _ranked(_readings(work))


def gamma_lengths(work: Work) -> Rows:
    """Return every reading's means and deviations at every gamma, with the mean length of a win; and the table."""
    found, rows = _readings(work), []
    shown = {_ranked(found)[0]["reading"]: NEAREST, PRINTED: PRINTED}
    for name, quantities in {**found, PRINTED: _printed()[:, None]}.items():
        for gamma, one in zip(_gammas(), quantities, strict=True):
            row: Row = {"reading": name, "gamma": gamma, "runs": len(one)}
            for quantity, shares in zip(GAMMA_QUANTITIES, one.T, strict=True):
                row |= {quantity: float(shares.mean()), f"{quantity}_sd": Sample(shares).sd}
            won = one[:, 1:] @ np.array([5.0, 7.0, 9.0]) / one[:, 0]
            rows.append(row | curves.estimated("plies of a win", won) | {"shown": shown.get(name)})
    return rows


def ties(work: Work) -> Rows:
    """Return how many runs always tie with minimax, as X with its first move chosen or drawn, as O, and as trained."""
    rows, (few, many, count) = [], (3_000, 10_000, 2) if work.quick else (30_000, 300_000, 100)
    constant: dict[str, Any] = {
        "opponent": "random",
        "step_size": "0.1",
        "epsilon": "0.4",
        "discount": CURVE_GAMMA,
        "evaluations": 1,
    }
    for name, is_self in (("self-play, annealed", True), ("v random as X, constant", False)):
        for opening, episodes in ((one, two) for one in (CHOSEN, DRAWN) for two in (few, many)):
            more: dict[str, Any] = {"episodes": episodes, "random_opening": opening == DRAWN}
            config = annealed(**more) if is_self else TrainingConfig(**constant, **more)
            (policies,) = learners(work, {name: config}, count).values()
            tied = np.array([_ties(policy, is_self) for policy in policies])
            needed = tied[:, [1, 2]] if opening == DRAWN else tied[:, [0, 2]]
            by_seat = dict(zip(("X, chosen", "X, drawn", "O"), tied.sum(axis=0).tolist(), strict=True))
            always = counted("always", [bool(one.all()) for one in needed])
            row: Row = {"training": name, "opening": opening, "games": "few" if episodes == few else "many"}
            row |= {"episodes": episodes, **by_seat, **always}
            rows.append(row if is_self else row | {"O": None})
    return rows


def _ties(policy: Policy, learned_o: bool) -> list[bool]:
    minimax = agent(MINIMAX)
    draws = [exact_outcome(policy, minimax, random_opening=drawn).draws for drawn in (False, True)]
    draws.append(exact_outcome(minimax, policy).draws if learned_o else 1.0)
    return [one > 1 - 1e-12 for one in draws]


MEASURES: Final = {
    **scripted.MEASURES,
    **{one.__name__: one for one in (pairs, runs, strength, lengths, readings, gamma_lengths, ties)},
    **curves.MEASURES,
}
