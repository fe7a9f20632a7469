"""The measures of Smirnov's study: the tabular learner, gamma, game lengths, scripted players, and the curves."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ttt_fast import Policy, TrainingConfig, agreement, exact_outcome, exploitability, never_loses
from ttt_fast.games import api
from ttt_fast.studies.engine.evidence import agent
from ttt_fast.studies.engine.sources import Cell, cells_of
from ttt_fast.studies.engine.tables import Row, Rows
from ttt_fast.studies.engine.work import Runner
from ttt_fast.studies.smirnov import curves, players, scripted
from ttt_fast.studies.smirnov.evidence import EVIDENCE_KINDS as EVIDENCE_KINDS
from ttt_fast.studies.smirnov.learners import annealed, annealed_double, constant, player_of, trained
from ttt_fast.studies.smirnov.players import CHOSEN, DRAWN, TABULAR
from ttt_fast.studies.statistics.samples import RunSample, counted, spread

GAMMA_TABLE, PRINTED, NEAREST = "gamma and win length", "printed", "nearest reading"
AS_DESCRIBED: Final = "trained by self-play, first move drawn; played with it drawn"
GAMMA_QUANTITIES: Final = ("x_wins", "wins_at_5", "wins_at_7", "wins_at_9")
HELD_OUT: Final = (0.1, 0.3, 0.5, 0.7, 0.9)
"""Held-out gammas: their columns judge the reading of the table, but are not used to choose it."""
_SURE = 1e-9


def learners(work: Runner, configs: Mapping[Any, TrainingConfig], runs: int) -> dict[Any, list[Policy]]:
    """Return the greedy policies of some settings, with a number of seeds for each."""
    jobs = [{"config": {**config.as_dict(), "seed": seed}} for config in configs.values() for seed in range(runs)]
    found = [player_of(one) for one in work.pieces(trained, jobs)]
    return {name: found[number * runs : (number + 1) * runs] for number, name in enumerate(configs)}


def tabular(work: Runner) -> dict[str, list[Policy]]:
    """Return the learners of the pair tables over the seeds, trained as described on the page and as coded."""
    plan = work.plan(__package__)
    configs = {
        "as described": annealed_double(plan.table),
        "first move chosen": annealed_double(plan.table, random_opening=False),
        "as coded": annealed_double(plan.table_coded, random_opening=False),
    }
    return learners(work, configs, plan.seeds["table"])


def pair_values(cell: Cell, policies: Sequence[Policy]) -> list[float]:
    """Return a quantity of the match named by a cell, for each learner; a learner in both seats plays itself."""
    return [players.share_in(cell, {TABULAR: policy}, {TABULAR: policy}) for policy in policies]


def pairs(work: Runner) -> Rows:
    """Return the learner's share in each match of the pair tables, with the spread over the runs of each training."""
    cells = [cell for cell in cells_of(__package__) if TABULAR in cell.place and "DQN" not in cell.place]
    return [
        {"training": training, "table": cell.table, "place": cell.place, "quantity": cell.quantity,
         "runs": len(policies), **spread(pair_values(cell, policies), ["min", "median", "max"])}
        for training, policies in tabular(work).items() for cell in cells
    ]  # fmt: skip


def runs(work: Runner) -> Rows:
    """Return each run's share in the matches against random, and in the table of gammas by two of its readings."""
    cells = [cell for cell in cells_of(__package__) if TABULAR in cell.place and "Random" in cell.place]
    found = [
        (training, cell.table, cell.place, cell.quantity, pair_values(cell, policies))
        for training, policies in tabular(work).items() for cell in cells
    ]  # fmt: skip
    read, (gammas, _) = _readings(work), _printed()
    for name, quantities in (("as described", read[AS_DESCRIBED]), (NEAREST, read[_ranked(read)[0]["reading"]])):
        for gamma, own in zip(gammas, quantities, strict=True):
            columns = zip(GAMMA_QUANTITIES, own.T.tolist(), strict=True)
            found += [(name, GAMMA_TABLE, f"gamma {gamma:g}", *column) for column in columns]
    return [
        {"name": name, "table": table, "place": place, "quantity": quantity, "seed": seed, "value": value}
        for name, table, place, quantity, own in found for seed, value in enumerate(own)
    ]  # fmt: skip


def strength(work: Runner) -> Rows:
    """Return the learners' exact metrics over the runs, the optimum of each, and the number of runs that reach it."""
    rows = []
    for training, policies in tabular(work).items():
        marks = [_marks(policy) for policy in policies]
        for mark, (_, best) in marks[0].items():
            found = [one[mark][0] for one in marks]
            at_best = counted("at best", [abs(one - best) < _SURE for one in found])
            row = {"training": training, "mark": mark, **spread(found, ["min", "median", "max"])}
            rows.append({**row, "best possible": best, **at_best})
    return rows


def _marks(policy: Policy) -> dict[str, tuple[float, float]]:
    """Return each metric of a policy with its optimum."""
    random, minimax, marks = agent("random"), agent(players.MINIMAX), {}
    for place, opening in enumerate((CHOSEN, DRAWN)):
        most = float(players.best_against_random(api.X, "most wins")[place][0])
        as_x = [exact_outcome(policy, one, random_opening=place == 1) for one in (random, minimax)]
        marks[f"X v random, {opening}: wins"] = float(as_x[0].x_wins), most
        marks[f"X v minimax, {opening}: ties"] = float(as_x[1].draws), 1.0
    wins = float(exact_outcome(random, policy).o_wins)
    for name, goal in (("", "most wins"), (", without a risk", "never loses, most wins")):
        marks[f"O v random: wins{name}"] = wins, float(players.best_against_random(api.O, goal)[0][0])
    marks["O v minimax: ties"] = float(exact_outcome(minimax, policy).draws), 1.0
    marks |= {f"never loses as {'XO'[seat - 1]}": (float(never_loses(policy, seat)), 1.0) for seat in (api.X, api.O)}
    marks["exploitability"] = exploitability(policy), 0.0
    return marks | {"agreement with minimax, all positions": (agreement(policy).share, 1.0)}


def lengths(work: Runner) -> Rows:
    """Return the exact distribution of game lengths against random: scripted players and learners."""
    of_players = {
        "minimax": [agent(players.MINIMAX)], "minimax, utility less filled squares": [agent(players.FAST_MINIMAX)],
        "heuribot": [agent(players.HEURIBOT)], TABULAR: tabular(work)["as described"],
    }  # fmt: skip
    rows = []
    for (name, policies), (seat, opening) in product(of_players.items(), (("X", CHOSEN), ("X", DRAWN), ("O", CHOSEN))):
        matches = [(policy, agent("random"))[:: 1 if seat == "X" else -1] for policy in policies]
        found = [exact_outcome(*match, random_opening=opening == DRAWN).lengths.sum(axis=0)[5:] for match in matches]
        plies, shares = RunSample(np.array(found) @ np.arange(5, 10)), np.mean(found, axis=0).tolist()
        mean = {f"{number} plies": share for number, share in enumerate(shares, 5)}
        row = {"player": name, "seat": seat, "opening": opening, **mean, "mean plies": plies.mean, "sd": plies.sd}
        rows.append({**row, "runs": len(policies)})
    return rows


def _printed() -> tuple[list[float], NDArray[np.float64]]:
    """Return the printed table of gammas: the gammas, and their quantities, (gammas, quantities) float64."""
    cells = [cell for cell in cells_of(__package__) if cell.table == GAMMA_TABLE]
    values = np.array([[one.value for one in cells if one.quantity == name] for name in GAMMA_QUANTITIES]).T
    return [float(cell.place.removeprefix("gamma ")) for cell in cells if cell.quantity == "x_wins"], values


def _readings(work: Runner) -> dict[str, NDArray[np.float64]]:
    """Return the quantities of the table of gammas in each reading of the text, (gammas, runs, quantities)."""
    found, plan = {}, work.plan(__package__)
    for opponent, trained_drawn in product(("self", "random"), (True, False)):
        more = {"opponent": opponent, "random_opening": trained_drawn}
        configs = {gamma: annealed(plan.lengths, discount=gamma, **more) for gamma in _printed()[0]}
        policies = learners(work, configs, plan.seeds["lengths"][opponent])
        training = "by self-play" if opponent == "self" else "against random"
        for drawn in (True, False):
            openings = ["drawn" if one else "chosen" for one in (trained_drawn, drawn)]
            name = f"trained {training}, first move {openings[0]}; played with it {openings[1]}"
            found[name] = np.array([[_won(one, drawn) for one in own] for own in policies.values()])
    return found


def _won(policy: Policy, drawn: bool) -> list[float]:
    """Return X's wins against random, and its wins after five, seven and nine plies."""
    outcome = exact_outcome(policy, agent("random"), random_opening=drawn)
    return [float(outcome.x_wins), *outcome.lengths[0, [5, 7, 9]].tolist()]


def _ranked(found: Mapping[str, NDArray[np.float64]]) -> Rows:
    (gammas, printed), rows = _printed(), []
    chooses = ~np.isin(gammas, HELD_OUT)
    for name, quantities in found.items():
        off = np.abs(quantities.mean(axis=1) - printed)
        rows.append({
            "reading": name, "runs": quantities.shape[1], "off where it is chosen": float(off[chooses].mean()),
            "off where held out": float(off[~chooses].mean()), "greatest": float(off.max()),
            "within 0.005": int((off <= 0.005).sum()), "numbers": off.size,
        })  # fmt: skip
    ranked = sorted(rows, key=lambda row: (row["off where it is chosen"], row["reading"]))
    return [{"rank": rank, **row} for rank, row in enumerate(ranked, 1)]


def readings(work: Runner) -> Rows:
    """Return the distance of each reading from the printed table, sorted by distance in the columns not held out."""
    return _ranked(_readings(work))


def gamma_lengths(work: Runner) -> Rows:
    """Return means and deviations of every reading at every gamma, and the mean length of a win; and the table."""
    found, (gammas, printed), rows = _readings(work), _printed(), []
    shown = {_ranked(found)[0]["reading"]: NEAREST, PRINTED: PRINTED}
    for name, quantities in {**found, PRINTED: printed[:, None]}.items():
        for gamma, one in zip(gammas, quantities, strict=True):
            row: Row = {"reading": name, "gamma": gamma, "runs": len(one)}
            for quantity, shares in zip(GAMMA_QUANTITIES, one.T, strict=True):
                row |= {quantity: float(shares.mean()), f"{quantity}_sd": RunSample(shares).sd}
            won = one[:, 1:] @ np.array([5.0, 7.0, 9.0]) / one[:, 0]
            rows.append({**row, **curves.estimated("plies of a win", won), "shown": shown.get(name)})
    return rows


def ties(work: Runner) -> Rows:
    """Return how many runs always tie with minimax: as X with first move chosen or drawn, as O, and as trained."""
    rows, plan = [], work.plan(__package__)
    trainings = {"self-play, annealed": annealed, "v random as X, constant": constant}
    for (name, training), opening, games in product(trainings.items(), (CHOSEN, DRAWN), plan.ties):
        config = training(plan.ties[games], random_opening=opening == DRAWN)
        (policies,) = learners(work, {name: config}, plan.seeds["ties"]).values()
        tied = np.array([_ties(policy, config.is_self_play) for policy in policies])
        needed = np.all(tied[:, [opening == DRAWN, 2]], axis=1).tolist()
        row: Row = {"training": name, "opening": opening, "games": games, "episodes": config.episodes}
        row |= dict(zip(("X, chosen", "X, drawn", "O"), tied.sum(axis=0).tolist(), strict=True))
        row |= counted("always", needed)
        rows.append(row if config.is_self_play else {**row, "O": None})
    return rows


def _ties(policy: Policy, learned_o: bool) -> list[bool]:
    as_x = [players.always_ties(policy, api.X, drawn=drawn) for drawn in (False, True)]
    return [*as_x, not learned_o or players.always_ties(policy, api.O)]


MEASURES: Final = {
    **scripted.MEASURES,
    **{one.__name__: one for one in (pairs, runs, strength, lengths, readings, gamma_lengths, ties)},
    **curves.MEASURES,
}
