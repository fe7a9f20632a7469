"""The measures of Bichot's study: games of every pair and of single changes, positions, networks."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from math import sqrt
from typing import Any, Final

import numpy as np

from ttt_fast.evaluate.statistics import wilson_interval
from ttt_fast.play.pairs import play_game
from ttt_fast.studies.engine.sources import cells_of
from ttt_fast.studies.engine.tables import Row, Rows
from ttt_fast.studies.engine.work import Arrays, Runner
from ttt_fast.studies.statistics.distributions import binomial, two_sided
from ttt_fast.studies.statistics.homogeneity import homogeneity, total_p_value
from ttt_fast.studies.ultimate import contests
from ttt_fast.studies.ultimate.contests import AGENTS, CODED, DQN, PACKAGE, PAIRS, PROGRAMS, Counts, scored
from ttt_fast.studies.ultimate.evidence import EVIDENCE_KINDS as EVIDENCE_KINDS
from ttt_fast.studies.ultimate.matches import player_of
from ttt_fast.studies.ultimate.networks import UNTRAINED, network_games, network_means, network_runs, networks
from ttt_fast.studies.ultimate.positions import GAME, legal_counts, missed, opening, pruned, worse_ties

PRINTED, CORRECTED = "printed", "corrected"
STEPS: Final = (1, 3, 5)
FIRST_OF_TIES: Final = "alphabeta:depth={},eval=complex,rule=published,tie=first,order=no"
PLAYED: Final = tuple(agent for agent in AGENTS if agent != DQN)
READING, TABLE_1 = "c sqrt(ln(N / n)), minimax begins", "table I"
BLOCKS: Final = {
    "all": (), "minimax and random": ("mcts",), "MCTS against them": None, "MCTS against MCTS": ("minimax", "random"),
}  # fmt: skip
"""Kinds of cells, by the kinds of agents that are excluded from both seats; `None` requires one agent of each kind."""
EQUAL_TIME: Final = {CODED: 85, "corrected": 200, "ours, corrected": 200}
"""Simulations per move with which MCTS takes as long as 5-step minimax (Intel Xeon, one thread); see `contests.csv`."""

Games = Mapping[tuple[str, str], Counts]


def games(work: Runner) -> Rows:
    """Return the row of every contest."""
    found = [one for program in PROGRAMS for one in contests.pair_contests(program)] + contests.listed_contests()
    return [contests.row_of(*one) for one in contests.results_of(work, found)] + network_games(work)


def _arms(work: Runner, part: str) -> Rows:
    """Return the rows of the contests of `arms.csv` that form a separate table."""
    listed = [one for one in contests.listed_contests("arms.csv") if one.part == part]
    return [contests.row_of(*one) for one in contests.results_of(work, listed)]


def improved_ties(work: Runner) -> Rows:
    """Return the improved minimax against its base with the same ties, true or false, and all else equal."""
    return _arms(work, "improved_ties")


def swapped_as_coded(work: Runner) -> Rows:
    """Return the strongest agents as coded against each other, each beginning half of the games."""
    return _arms(work, "swapped_as_coded")


def printed_time(work: Runner) -> Rows:
    """Return MCTS against 5-step minimax, with the simulations that follow from the printed ratio of their times."""
    return _arms(work, "printed_time")


def pair_games(work: Runner) -> dict[str, Games]:
    """Return the counts of the pairs: as printed, and by program."""
    found: dict[str, Games] = {PRINTED: contests.published()}
    for program in PROGRAMS:
        results = contests.results_of(work, contests.pair_contests(program))
        found[program] = {
            pair: tuple(one["counts"].sum(axis=0).tolist()) for pair, (_, one) in zip(PAIRS, results, strict=True)
        }
    return found


def _is_in(block: str, pair: tuple[str, str]) -> bool:
    kinds = {agent.partition("-")[0] for agent in pair}
    absent = BLOCKS[block]
    return "mcts" in kinds and len(kinds) > 1 if absent is None else not kinds & set(absent)


def fit(work: Runner) -> Rows:
    """Return how well the printed counts fit each program, in all cells together and in blocks of them."""
    of, rows = pair_games(work), []
    for program, block in product(PROGRAMS, BLOCKS):
        cells = {pair: (of[PRINTED][pair], of[program][pair]) for pair in PAIRS if _is_in(block, pair)}
        tests = {pair: homogeneity(*counts) for pair, counts in cells.items()}
        worst, found = min(tests.items(), key=lambda one: one[1].p_value)
        gaps = [(_score(printed) - _score(ours)) ** 2 for printed, ours in cells.values()]
        rows.append({
            "program": program, "cells": block, "number": len(tests),
            "chi_square": sum(one.statistic for one in tests.values()),
            "expected": sum(one.mean for one in tests.values()), "p": total_p_value(list(tests.values())),
            "worst": " v ".join(worst), "its_p": found.p_value, "rms_difference": sqrt(sum(gaps) / len(gaps)),
        })  # fmt: skip
    return rows


def _score(counts: Counts) -> float:
    return (counts[0] + counts[1] / 2) / sum(counts)


def first_player(work: Runner) -> Rows:
    """Return the score of the first player when an agent plays itself."""
    rows: Rows = [{"agent": agent} for agent in PLAYED]
    for (program, counts), row in product(pair_games(work).items(), rows):
        row |= scored(counts[row["agent"], row["agent"]], program)
    return rows


def scores(work: Runner) -> Rows:
    """Return every cell of Fig. 5 in per cent: as printed, and by program; the DQN is its untrained network."""
    printed = [cell for cell in cells_of(PACKAGE) if cell.table == "Fig. 5"]
    shown: dict[str, dict[Any, float]] = {PRINTED: {cell.place: int(cell.printed) for cell in printed}}
    plays = {row["name"]: row["score"] for row in network_games(work) if row["part"] == f"dqn {UNTRAINED}"}
    for program, of in pair_games(work).items():
        if program != PRINTED:
            found = {" v ".join(pair): _score(of[pair]) for pair in PAIRS} | (plays if program == CODED else {})
            mirrored = {" v ".join(name.split(" v ")[::-1]): 1 - score for name, score in found.items()}
            shown[program] = {name: round(100 * score, 1) for name, score in (mirrored | found).items()}
    return [
        {"program": program, "row": one, "column": two, "score": of[f"{one} v {two}"]}
        for program, of in shown.items()
        for one, two in product(AGENTS, repeat=2)
        if f"{one} v {two}" in of
    ]


def exploration(work: Runner) -> Rows:
    """Return the share of games won by MCTS by its exploration parameter: printed, as coded, corrected."""
    printed = [cell for cell in cells_of(PACKAGE) if cell.table == "Table I"]
    of = {PRINTED: {cell.place: (int(cell.printed), cell.games) for cell in printed}, CODED: {}, CORRECTED: {}}
    kinds = {READING: (CODED, 2), CORRECTED: (CORRECTED, 0)}  # and the place of MCTS among the counts
    listed = [one for one in contests.listed_contests() if one.part == TABLE_1 and one.variant in kinds]
    for one, result in contests.results_of(work, listed):
        counts, (kind, place) = result["counts"].sum(axis=0).tolist(), kinds[one.variant]
        of[kind][one.name] = counts[place], sum(counts)
    rows = []
    for name, (_, number) in of[CORRECTED].items():
        c = name.removeprefix("c = ")
        row: Row = {"c": c, "weight": sqrt(2) if c == "sqrt(2)" else float(c)}
        for kind, wins in of.items():
            low, high = wilson_interval(*wins[name]) if name in wins else (None, None)
            share = wins[name][0] / wins[name][1] if name in wins else None
            row |= {kind: share, f"{kind} low": low, f"{kind} high": high}
        rows.append(row | {"games": number})
    return rows


def printed_games(work: Runner) -> Rows:
    """Return the printed games of each match, and the p-value of its decided games for equal players."""
    rows = []
    for (first, second), (wins, draws, losses) in contests.published().items():
        p = two_sided(binomial(wins + losses, 0.5), wins) if wins + losses else 1.0
        rows.append({"name": f"{first} v {second}", "wins": wins, "draws": draws, "losses": losses, "p": p})
    return rows


def legal_moves(work: Runner) -> Rows:
    """Return the number of legal moves in games of an agent against itself."""
    rows = []
    jobs = [{"agent": agent, "games": 5 if work.quick else 500} for agent in ("random", "minimax-5")]
    for job, one in _measured(work, legal_counts, jobs):
        counts = one["counts"]
        row = {"agent": job["agent"], "games": job["games"], "positions": len(counts), "mean": float(counts.mean())}
        rows.append({**row, "less than 9": float((counts < 9).mean()), "at most 9": float((counts <= 9).mean())})
    return rows


def missed_wins(work: Runner) -> Rows:
    """Return the wins within a few more plies that five steps with the complex reward miss, at random positions."""
    rows = []
    jobs = [{"plies": plies, "deeper": 7, "count": 20 if work.quick else 1000} for plies in (40, 50)]
    for job, one in _measured(work, missed, jobs):
        shares, row = one["shares"], {"plies": job["plies"], "deeper": job["deeper"], "positions": job["count"]}
        low, high = wilson_interval(int(np.count_nonzero(shares)), max(1, len(shares)))
        rows.append({
            **row, "wins": len(shares), "missed by some best move": float(np.mean(shares > 0)) if len(shares) else None,
            "low": low, "high": high, "chance": float(shares.mean()) if len(shares) else None,
        })  # fmt: skip
    return rows


def _measured(work: Runner, worker: Callable[..., Any], jobs: Sequence[Row]) -> Iterable[tuple[Row, Arrays]]:
    """Return some settings, each with its piece."""
    return zip(jobs, work.pieces(worker, jobs), strict=True)


def ties(work: Runner) -> Rows:
    """Return how often a published minimax agent may play a move that is worse by its own values."""
    count, rows = (60 if work.quick else 3000), []
    for job, one in _measured(work, worse_ties, [{"steps": steps, "count": count} for steps in STEPS]):
        worse = int(np.count_nonzero(one["worse"]))
        low, high = wilson_interval(worse, count)
        rows.append({
            "agent": f"minimax-{job['steps']}", "positions": count, "with_worse": worse / count, "low": low,
            "high": high, "chance": float(one["worse"].mean()),
        })  # fmt: skip
    return rows


def deterministic(work: Runner) -> Rows:
    """Return the single game of each pair of minimax agents that take the first of their best moves.

    The first of equal moves in list order is played, as by the published agents without randomness.  A later move must
    be strictly better; a bound that only equals the best value is insufficient.
    """
    rows = []
    for steps in product(STEPS, repeat=2):
        x, o = (player_of(FIRST_OF_TIES.format(number), GAME) for number in steps)
        game = play_game(GAME, x, o)
        names = {seat: f"minimax-{number}" for seat, number in zip(("first", "second"), steps, strict=True)}
        winner = {"x": "first", "o": "second", "draw": "nobody"}[game.result]
        rows.append({**names, "winner": winner, "plies": game.plies, "moves": game.moves})
    return rows


def pruning(work: Runner) -> Rows:
    """Return the nodes of minimax with and without pruning, and whether the values are the same."""
    count, rows = (20 if work.quick else 300), []
    kinds = product(("complex", "simple"), STEPS)
    jobs = [{"steps": steps, "evaluation": name, "count": count} for name, steps in kinds]
    for job, one in _measured(work, pruned, jobs):
        fewer, all_of_them = one["nodes"].mean(axis=0).tolist()
        rows.append({
            "steps": job["steps"], "reward": job["evaluation"], "positions": count, "nodes": fewer,
            "without_pruning": all_of_them, "share": fewer / all_of_them, "same_value": int(one["same"].sum()),
        })  # fmt: skip
    return rows


def openings(work: Runner) -> Rows:
    """Return the share of the legal moves that a search considers equally good, by the preceding plies."""
    count, rows = (10 if work.quick else 200), []
    kinds = product(("none", "complex"), (0, 8, 16, 24, 32, 40))
    jobs = [{"steps": 5, "evaluation": reward, "plies": plies, "count": count} for reward, plies in kinds]
    for job, one in _measured(work, opening, jobs):
        name = "victory alone" if job["evaluation"] == "none" else job["evaluation"]
        mean, error = float(one["equal"].mean()), float(one["equal"].std(ddof=1)) / sqrt(count)
        low, high = max(0.0, mean - 1.96 * error), min(1.0, mean + 1.96 * error)
        rows.append({"reward": name, "plies": job["plies"], "positions": count, "equal": mean, "low": low,
                     "high": high})  # fmt: skip
    return rows


def calibration(work: Runner) -> Rows:
    """Return the simulations per move with which MCTS takes as long as 5-step minimax, as measured once and stored."""
    return [{"program": program, "simulations": count} for program, count in EQUAL_TIME.items()]


_OF_PAIRS = (games, fit, first_player, scores, exploration)
_OF_POSITIONS = (ties, deterministic, pruning, openings)
_APART = (
    *(improved_ties, swapped_as_coded, printed_time, network_runs, network_means),
    *(printed_games, legal_moves, missed_wins),
)
MEASURES: Final = {one.__name__: one for one in (*_OF_PAIRS, *_OF_POSITIONS, calibration, networks, *_APART)}
