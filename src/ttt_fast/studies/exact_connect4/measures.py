"""The measures of the study: strength, outcomes, sizes and mistakes of agents in a fixed seat, as rows."""

import json
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ttt_fast.evaluate.statistics import wilson_interval
from ttt_fast.studies.engine.tables import Row, Rows
from ttt_fast.studies.engine.work import Runner
from ttt_fast.studies.exact_connect4.cases import cases_of, settings_of
from ttt_fast.studies.exact_connect4.decisions import COLUMNS, QUICK_CELLS, UNKNOWN, decisions
from ttt_fast.studies.exact_connect4.strength import RESULTS, measured

Decisions = dict[str, NDArray[np.int64]]
"""Decisions by column (`decisions.COLUMNS`)."""
RANDOM: Final = "random"
_QUARTILES: Final = ("lost in first quartile", "lost in median", "lost in third quartile")
_CHANGES: Final = {"win to draw": (1, 0), "win to loss": (1, -1), "draw to loss": (0, -1)}


def _names(case: Row) -> Row:
    return {"board": case["size"], "agent": case["label"], "seat": case["seat"]}


def _panel(work: Runner, names: Row) -> Row:
    """Return the panel of a table in the pictures, and whether it is drawn."""
    is_drawn = names["board"] in work.plan(__package__).pictured
    return {"panel": f"{names['board']}, {names['seat'].upper()}", "pictured": is_drawn}


def _measured(work: Runner) -> list[tuple[Row, Row]]:
    """Return the tables, as `cases_of` does, with their strength."""
    opponents, cases = work.plan(__package__).opponents, cases_of(work)
    made = work.pieces(measured, [settings_of(case, opponents=opponents) for case in cases])
    return [(case, json.loads(str(one["found"]))) for case, one in zip(cases, made, strict=True)]


def _found(work: Runner) -> list[tuple[Row, Row]]:
    """Return the names of the tables with their strength."""
    return [(_names(case), found) for case, found in _measured(work)]


def _decided(work: Runner) -> list[tuple[Row, Rows, Decisions]]:
    """Return the tables of agents with one move in each position: mistakes by ply, and decisions by column."""
    plan = work.plan(__package__)
    cases = [case for case, found in _measured(work) if found.get("deterministic")]
    made = work.pieces(decisions, [settings_of(case, sampled=plan.sampled, seed=plan.seed) for case in cases])
    return [
        (_names(case), json.loads(str(one["rows"])), dict(zip(COLUMNS, one["decisions"].T, strict=True)))
        for case, one in zip(cases, made, strict=True)
    ]


def in_pairs(moves: str) -> str:
    """Return a line of moves with a blank after each move of O, so that a csv file does not hold it as a number.

    Examples
    --------
    >>> in_pairs("4424351")
    '44 24 35 1'
    """
    return " ".join(moves[place : place + 2] for place in range(0, len(moves), 2))


def strength(work: Runner) -> Rows:
    """Return a row for each agent, seat and board: its strength, or the forecast of a refused table.

    Wins, draws and losses are the agent's against random; of a refused table, those that are certain so far.
    """
    rows, opponents = [], work.plan(__package__).opponents
    for case, found in _measured(work):
        names = _names(case)
        is_exact = found["status"] == "exact"
        of = found["outcomes"][RANDOM] if is_exact else found
        ends = [of[name] for name in RESULTS][:: 1 if names["seat"] == "x" else -1]
        row = names | {"status": found["status"], "positions": found.get("positions"), "forecast": None, "plies": None}
        row |= {"game": case["board"], "limit": int(case["limit"])}
        if not is_exact:
            row |= {"forecast": int(float(f"{found['forecast']:.2g}")), "plies": found["plies"]}
        row |= dict(zip(("wins", "draws", "losses"), ends, strict=True))
        for opponent in opponents:
            row[f"value v {opponent}"] = found["outcomes"].get(opponent, {}).get("value") if is_exact else None
        kept = ("best_value", "never_loses", "refutation", "refutation_plies", "refutation_result")
        row |= {name: found.get(name) for name in kept}
        rows.append(row | {"refutation": in_pairs(row["refutation"] or "")})
    return rows


def outcomes(work: Runner) -> Rows:
    """Return a row for each exact match: the probabilities of the results, as floats and as fractions."""
    return [
        names | {"opponent": opponent, **row}
        for names, found in _found(work)
        for opponent, row in found.get("outcomes", {}).items()
    ]


def sizes(work: Runner) -> Rows:
    """Return the number of positions of each induced table by ply."""
    return [
        names | {"ply": ply, "positions": count} | _panel(work, names)
        for names, found in _found(work)
        for ply, count in enumerate(found.get("positions_by_ply", ()))
    ]


def mistakes(work: Runner) -> Rows:
    """Return the share of positions in which an agent gives value away, by ply."""
    return [names | row | _panel(work, names) for names, by_ply, _ in _decided(work) for row in by_ply]


def given(work: Runner) -> Rows:
    """Return a row for each table: how many mistakes the samples hold, what they give away, and how far the loss is."""
    rows, plan = list[Row](), work.plan(__package__)
    for names, by_ply, of in _decided(work):
        wrong, is_open = of["after"] < of["before"], of["is_open"] == 1
        losing = of["plies_to_loss"][wrong & (of["plies_to_loss"] != UNKNOWN)]
        weighed = sum(row["share"] * row["positions"] for row in by_ply) / sum(row["positions"] for row in by_ply)
        opened, count = max(int(is_open.sum()), 1), int(wrong.sum())
        low, high = wilson_interval(count, opened)
        row = names | {
            "limit": plan.sampled, "cells": QUICK_CELLS, "checked": sum(row["checked"] for row in by_ply),
            "share": weighed, "open": opened, "mistakes": count,
            "of open": count / opened, "of open low": low, "of open high": high,
        }  # fmt: skip
        for name, (before, after) in _CHANGES.items():
            row[name] = int((wrong & (of["before"] == before) & (of["after"] == after)).sum())
        cuts = np.quantile(losing, [0.25, 0.5, 0.75], method="nearest").tolist() if losing.size else [None] * 3
        rows.append(row | dict(zip(_QUARTILES, cuts, strict=True)))
    return rows


MEASURES: Final = {one.__name__: one for one in (strength, outcomes, sizes, mistakes, given)}
