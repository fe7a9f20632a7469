"""The measures of Bichot's study: games of every pair and of what is changed, ratings, positions, networks."""

from collections.abc import Mapping
from itertools import product
from math import sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ttt_fast.evaluate.bradley_terry import bradley_terry
from ttt_fast.evaluate.homogeneity import homogeneity, total_p_value
from ttt_fast.evaluate.statistics import wilson_interval
from ttt_fast.play.pairs import play_game
from ttt_fast.studies.engine.sources import cells_of
from ttt_fast.studies.engine.tables import Row, Rows
from ttt_fast.studies.engine.work import Work
from ttt_fast.studies.ultimate import contests, positions
from ttt_fast.studies.ultimate.contests import AGENTS, CODED, DQN, PAIRS, PROGRAMS, Counts, results_of
from ttt_fast.studies.ultimate.matches import player_of
from ttt_fast.studies.ultimate.networks import UNTRAINED, network_games, networks

PRINTED: Final = "printed"
STEPS: Final = (1, 3, 5)
PLAYED: Final = tuple(agent for agent in AGENTS if agent != DQN)
READING, TABLE_1 = "c sqrt(ln(N / n)), minimax begins", "table I"
BLOCKS: Final = {
    "all": (), "minimax and random": ("mcts",), "MCTS against them": None, "MCTS against MCTS": ("minimax", "random"),
}  # fmt: skip
"""Kinds of cells, by the kinds of agents that are missing in both seats; one of each kind in `None`."""

Games = Mapping[tuple[str, str], Counts]


def games(work: Work) -> Rows:
    """Return the row of every contest."""
    found = [one for program in PROGRAMS for one in contests.pair_contests(program)] + contests.listed_contests()
    return [contests.row_of(*one) for one in results_of(work, found)] + network_games(work)


def pair_games(work: Work) -> dict[str, Games]:
    """Return the counts of the pairs: as printed, and by program."""
    found: dict[str, Games] = {PRINTED: contests.published()}
    for program in PROGRAMS:
        results = results_of(work, contests.pair_contests(program))
        found[program] = {
            pair: tuple(one["counts"].sum(axis=0).tolist()) for pair, (_, one) in zip(PAIRS, results, strict=True)
        }
    return found


def _is_in(block: str, pair: tuple[str, str]) -> bool:
    kinds = {agent.partition("-")[0] for agent in pair}
    absent = BLOCKS[block]
    return "mcts" in kinds and len(kinds) > 1 if absent is None else not kinds & set(absent)


def fit(work: Work) -> Rows:
    """Return how the printed counts fit each program, in all cells together and in blocks of them."""
    of, rows = pair_games(work), []
    for program, block in product(PROGRAMS, BLOCKS):
        cells = {pair: (of[PRINTED][pair], of[program][pair]) for pair in PAIRS if _is_in(block, pair)}
        tests = {pair: homogeneity(*counts) for pair, counts in cells.items()}
        worst = min(tests, key=lambda pair: tests[pair].p_value)
        gaps = [(_score(printed) - _score(ours)) ** 2 for printed, ours in cells.values()]
        rows.append({
            "program": program, "cells": block, "number": len(tests),
            "chi_square": sum(one.statistic for one in tests.values()),
            "expected": sum(one.mean for one in tests.values()), "p": total_p_value(list(tests.values())),
            "worst": " v ".join(worst), "its_p": tests[worst].p_value, "rms_difference": sqrt(sum(gaps) / len(gaps)),
        })  # fmt: skip
    return rows


def _score(counts: Counts) -> float:
    return (counts[0] + counts[1] / 2) / sum(counts)


def ratings(work: Work) -> Rows:
    """Return the Elo ratings of the agents by each program, `random` 0, with intervals from samples of the games."""
    rows: Rows = [{"agent": agent} for agent in PLAYED]
    for program, of in pair_games(work).items():
        generator, counts = np.random.default_rng(0), np.array([of[pair] for pair in PAIRS])
        drawn = [_elo(np.array([generator.multinomial(one.sum(), one / one.sum()) for one in counts]))
                 for _ in range(work.plan(__package__).samples)]  # fmt: skip
        low, high = np.quantile(drawn, (0.025, 0.975), axis=0)
        for row, *ends in zip(rows, _elo(counts), low, high, strict=True):
            names = (program, f"{program} low", f"{program} high")
            row |= {name: round(float(end), 1) for name, end in zip(names, ends, strict=True)}
    return rows


def _elo(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the rating of each agent above random, from the counts of the pairs, (pairs, 3)."""
    points, played = np.zeros((2, len(PLAYED), len(PLAYED)))
    for pair, (wins, draws, losses) in zip(PAIRS, counts.tolist(), strict=True):
        i, j = (PLAYED.index(agent) for agent in pair)
        if i != j:
            points[i, j], points[j, i] = wins + draws / 2, losses + draws / 2
            played[i, j] = played[j, i] = wins + draws + losses
    found = bradley_terry(points, played.astype(np.int64))
    found -= found[0]
    return found


def first_player(work: Work) -> Rows:
    """Return the score of the first player where an agent plays itself."""
    of = pair_games(work)
    rows: Rows = [{"agent": agent} for agent in PLAYED]
    for row, (program, counts) in product(rows, of.items()):
        row |= contests.scored(counts[row["agent"], row["agent"]], program)
    return rows


def scores(work: Work) -> Rows:
    """Return every cell of Fig. 5 in per cent: as printed, and by program; the DQN's by its untrained network."""
    printed = {cell.place: int(cell.printed) for cell in cells_of(__package__) if cell.table == "Fig. 5"}
    untrained = {row["name"]: row["score"] for row in network_games(work) if row["part"] == f"dqn {UNTRAINED}"}
    rows: Rows = [{"program": PRINTED, "row": one, "column": two, "score": printed[f"{one} v {two}"]}
                  for one, two in product(AGENTS, AGENTS)]  # fmt: skip
    for program, of in list(pair_games(work).items())[1:]:
        shown = {" v ".join(pair): _score(of[pair]) for pair in PAIRS} | (untrained if program == CODED else {})
        for one, two in product(AGENTS, AGENTS):
            name, mirrored = f"{one} v {two}", f"{two} v {one}"
            if name in shown or mirrored in shown:
                score = shown[name] if name in shown else 1 - shown[mirrored]
                rows.append({"program": program, "row": one, "column": two, "score": round(100 * score, 1)})
    return rows


def exploration(work: Work) -> Rows:
    """Return the share of games that MCTS wins by its exploration parameter: printed, as coded, corrected."""
    printed = {cell.place: (int(cell.printed), cell.games) for cell in cells_of(__package__) if cell.table == "Table I"}
    listed, rows = [one for one in contests.listed_contests() if one.part == TABLE_1], []
    of = {(one.variant, one.name): result["counts"].sum(axis=0).tolist() for one, result in results_of(work, listed)}
    for name in (name for variant, name in of if variant == "corrected"):
        c, ours = name.removeprefix("c = "), of["corrected", name]
        coded = of.get((READING, name))
        row: Row = {"c": c, "weight": sqrt(2) if c == "sqrt(2)" else float(c)}
        pairs = {PRINTED: printed.get(name), CODED: coded and (coded[2], sum(coded)), "corrected": (ours[0], sum(ours))}
        for kind, pair in pairs.items():
            low, high = wilson_interval(*pair) if pair else (None, None)
            row |= {kind: pair[0] / pair[1] if pair else None, f"{kind} low": low, f"{kind} high": high}
        rows.append({**row, "games": sum(ours)})
    return rows


def ties(work: Work) -> Rows:
    """Return how often a published minimax agent may play a move that its own values call worse."""
    count, rows = work.plan(__package__).positions["ties"], []
    found = work.pieces(positions.worse_ties, [{"steps": steps, "count": count} for steps in STEPS])
    for steps, one in zip(STEPS, found, strict=True):
        worse = int(np.count_nonzero(one["worse"]))
        low, high = wilson_interval(worse, count)
        rows.append({
            "agent": f"minimax-{steps}", "positions": count, "with_worse": worse / count, "low": low, "high": high,
            "chance": float(one["worse"].mean()),
        })  # fmt: skip
    return rows


def deterministic(work: Work) -> Rows:
    """Return the one game of each pair of minimax agents that take the first of their best moves.

    Of equal moves the first listed is played, as the published agents do without randomness: a later one must be
    better, and a bound that only equals the best is not.
    """
    rows, options = [], "eval=complex,rule=published,tie=first,order=no"
    for one, two in product(STEPS, STEPS):
        x, o = (player_of(f"alphabeta:depth={number},{options}", positions.GAME) for number in (one, two))
        game = play_game(positions.GAME, x, o, [])
        winner = {"x": "first", "o": "second", "draw": "nobody"}[game.result]
        rows.append({"first": f"minimax-{one}", "second": f"minimax-{two}", "winner": winner, "plies": game.plies,
                     "moves": game.moves})  # fmt: skip
    return rows


def pruning(work: Work) -> Rows:
    """Return the positions that minimax looks at with pruning and without, and whether the values are the same."""
    count, rows = work.plan(__package__).positions["pruning"], []
    jobs = [{"steps": steps, "evaluation": name, "count": count} for name in ("complex", "simple") for steps in STEPS]
    for job, one in zip(jobs, work.pieces(positions.pruned, jobs), strict=True):
        fewer, every = one["nodes"].mean(axis=0).tolist()
        rows.append({
            "steps": job["steps"], "reward": job["evaluation"], "positions": count, "nodes": fewer,
            "without_pruning": every, "share": fewer / every, "same_value": int(one["same"].sum()),
        })  # fmt: skip
    return rows


def openings(work: Work) -> Rows:
    """Return the share of the legal moves that a search finds equally good, by the plies before."""
    count, rows = work.plan(__package__).positions["openings"], []
    jobs = [{"steps": 5, "evaluation": reward, "plies": plies, "count": count}
            for reward in ("none", "complex") for plies in (0, 8, 16, 24, 32, 40)]  # fmt: skip
    for job, one in zip(jobs, work.pieces(positions.opening, jobs), strict=True):
        mean, half = float(one["equal"].mean()), 1.96 * (float(one["equal"].std(ddof=1)) / sqrt(count))
        reward = "victory alone" if job["evaluation"] == "none" else job["evaluation"]
        rows.append({"reward": reward, "plies": job["plies"], "positions": count, "equal": mean,
                     "low": max(0.0, mean - half), "high": min(1.0, mean + half)})  # fmt: skip
    return rows


def calibration(work: Work) -> Rows:
    """Return the simulations a move that take MCTS as long as 5-step minimax: measured once, and kept."""
    found = work.plan(__package__).equal_time
    return [{"program": program, "simulations": count} for program, count in found.items()]


def move_times(work: Work) -> Rows:
    """Return the milliseconds of a move of each agent, and how many times those of 5-step minimax they are."""
    rows: Rows = []
    for program in PROGRAMS:
        spent: dict[str, Any] = {agent: np.zeros(2) for agent in PLAYED}
        for pair, (_, one) in zip(PAIRS, results_of(work, contests.pair_contests(program)), strict=True):
            for side, agent in enumerate(pair):
                spent[agent] += one["moves"][side], one["spent"][side]
        each = {agent: float(1000 * seconds / moves) for agent, (moves, seconds) in spent.items()}
        rows += [
            {
                "program": program,
                "agent": agent,
                "milliseconds a move": took,
                "times minimax-5": took / each["minimax-5"],
            }
            for agent, took in each.items()
        ]
    return rows


MEASURES: Final = {
    one.__name__: one
    for one in (
        *(games, fit, ratings, first_player, scores, exploration, ties, deterministic, pruning, openings),
        *(calibration, networks),
    )
}
CLOCKS: Final = {"time of a move (the source: MCTS of 2000 more than 4.5 times minimax-5)": move_times}
