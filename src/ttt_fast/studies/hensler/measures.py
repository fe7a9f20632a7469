"""The measures of Hensler's study: exact results of many self-play runs, with one change of the settings at a time."""

from itertools import product
from typing import Any, Final

import numpy as np

from ttt_fast import Policy, TrainingConfig, agreement, exact_outcome, exploitability, never_loses, table_of
from ttt_fast.learners import GeneralLearner, make_measures
from ttt_fast.studies.engine.evidence import KINDS, Evidence, Kind, agent
from ttt_fast.studies.engine.sources import Cell, lines_of_toml
from ttt_fast.studies.engine.tables import Row, Rows, Tables
from ttt_fast.studies.engine.work import Arrays, Runner
from ttt_fast.studies.statistics.samples import counted, spread


def shares(cell: Cell, words: str, tables: Tables) -> Evidence:
    """Return the evidence of `shares NAME`: that of `runs NAME`, for a quantity that is a share."""
    found = KINDS["runs"](cell, words, tables)
    return found._replace(low=max(found.low, 0.0), high=min(found.high, 1.0))


EVIDENCE_KINDS: Final[dict[str, Kind]] = {"shares": shares}


EPISODES, CHUNK, PRINTED_EVERY, FRESH, FLOOR = 100_000, 2_000, 10_000, 20_000, 0.05
SHORTER, LONGER = "runs of 100,000 episodes", "longer runs"
PUBLISHED, ENDS = "as published", "exploration ends"
LINES: Final = lines_of_toml("ttt_fast.studies.hensler", "variants.toml")
LONGEST: Final = {name: line["longest"] for name, line in LINES["variants"].items()}
"""Episodes of the longest runs of a variant, which determine its schedules; some published runs are extended."""
RESULTS: Final = ("wins", "draws", "losses")
CURVES: Final[dict[str, str]] = LINES["curves"]
"""Columns of the curves (wins and losses are against random), and the names of the measures of a run."""
ESTIMATES: Final = ("agreement", "rms_error")
"""Measures of the values, and of the greedy policy that takes the first of equal actions."""


def config_of(variant: str, seed: int, episodes: int) -> TrainingConfig:
    """Return the settings of a run."""
    changes = LINES["variants"][variant].get("changes", {})
    return TrainingConfig(**{**LINES["settings"], **changes, "episodes": episodes, "seed": seed})


def learned(config: TrainingConfig, before: Any, chunk: int, count: int) -> Any:
    """Return the values after the first episodes of a chunk, with epsilon set for each episode as in the program."""
    learner = GeneralLearner(config, [], before)
    learner.run_episodes(chunk, count)
    return learner.values()


def self_play(variant: str, seed: int, episodes: int) -> dict[str, Any]:
    """Train; return the curve by chunk, the number of X's states at each print, and the metrics at the end."""
    config, sizes, curve, marks = config_of(variant, seed, episodes), [], [], {}
    learner = GeneralLearner(config, [])
    measures = make_measures(config, [])
    greedy = measures.first_greedy()
    for chunk in range(config.num_chunks):
        if variant == PUBLISHED and chunk * CHUNK < EPISODES and chunk * CHUNK % PRINTED_EVERY == 0:
            values = learned(config, learner.values(), chunk, 1)  # the print after episode i is after the (i + 1)-th
            sizes.append(np.count_nonzero(values.held & (values.table.player == 1)))
        row = learner.run_measured(chunk, [chunk + 1], measures, greedy)[0]
        drawn = drawn_marks(learner.values())
        curve.append([*drawn.values(), *row[[measures.columns.index(one) for one in ESTIMATES]]])
        if config.episodes_after(chunk + 1) == (EPISODES if variant == PUBLISHED else episodes):
            marks = marks_of(learner.values())
    return {
        "columns": [*drawn, *ESTIMATES],
        "curve": curve,
        "sizes": sizes,
        "marks": [*marks],
        "values": [*marks.values()],
    }


def drawn_marks(values: Any) -> dict[str, float]:
    """Return the exact strength of greedy play with random ties, as in the program: against random, and at worst.

    Both agents are unbeatable if no line of play beats either, for any random tie-break.  Exploitability can be 0 even
    if an agent is beatable, when a tie gives the opponent as many chances to lose as to win.
    """
    greedy = Policy.from_values(values.table, values.q, held=values.held, tie="uniform")
    marks: dict[str, float] = {}
    for seat, letter in ((1, "x"), (2, "o")):
        exact = exact_outcome(*(greedy, agent("random"))[:: 3 - 2 * seat])
        results = (exact.x_wins, exact.draws, exact.o_wins)[:: 3 - 2 * seat]
        marks |= {f"{letter} {one}": float(two) for one, two in zip(RESULTS, results, strict=True)}
    is_safe = all(never_loses(greedy, seat) for seat in (1, 2))
    return marks | {"exploitability": exploitability(greedy), "unbeatable": float(is_safe)}


def marks_of(values: Any) -> dict[str, float]:
    """Return the exact strength of both agents: greedy with random ties as in the program, and as saved, exploring."""
    table, held, marks = values.table, values.held, {}
    greedy = Policy.from_values(table, values.q, held=held, tie="uniform")
    saved = Policy.from_values(table, values.q, held=held, tie="uniform", epsilon=FLOOR)
    for seat, letter in ((1, "x"), (2, "o")):
        marks[f"{letter} states"] = float(np.count_nonzero(held & (table.player == seat)))
        marks[f"{letter} agreement"] = agreement(Policy.from_values(table, values.q, held=held), seat).share
        for name, (policy, kind) in product(("random", "minimax"), ((greedy, ""), (saved, " as saved"))):
            exact = exact_outcome(*(policy, agent(name))[:: 3 - 2 * seat])
            results = (exact.x_wins, exact.draws, exact.o_wins)[:: 3 - 2 * seat]
            marks |= {f"{letter} {one} v {name}{kind}": float(two) for one, two in zip(RESULTS, results, strict=True)}
        marks[f"{letter} never loses"] = float(never_loses(greedy, seat))
    both = marks["x never loses"] * marks["o never loses"]
    return marks | {"neither loses": both, "exploitability": exploitability(greedy)}


def runs_of(work: Runner, variant: str = PUBLISHED, episodes: int = EPISODES) -> list[Arrays]:
    """Return runs of a variant: 100 seeds of two variants, 20 of others; the first 20 published runs are longer."""
    few, many, further = (1, 3, 120_000) if work.quick else (20, 100, 1_000_000)
    count = many if variant in (PUBLISHED, ENDS) else few
    ends = [further if variant == PUBLISHED and seed < few else episodes for seed in range(count)]
    settings = [{"variant": variant, "seed": seed, "episodes": end} for seed, end in enumerate(ends)]
    return work.pieces(self_play, settings)


def schedules() -> list[tuple[str, int]]:
    """Return each variant with the lengths of its runs: first the published length of all, then the longer ones."""
    return [*dict.fromkeys([(one, EPISODES) for one in LONGEST] + [*LONGEST.items()])]


def column(run: Arrays, name: str) -> Any:
    """Return a measure of a run after each chunk."""
    return run["curve"][:, run["columns"].tolist().index(name)]


def runs(work: Runner) -> Rows:
    """Return the final metrics of each run, and its strength against random where the author's runs were cut."""
    rows = []
    for seed, run in enumerate(runs_of(work)):
        marks = [("the end", *mark) for mark in zip(run["marks"].tolist(), run["values"].tolist(), strict=True)]
        for seat, one in product("xo", RESULTS):
            marks.append(("fresh", f"{seat} {one} v random", float(column(run, f"{seat} {one}")[FRESH // CHUNK - 1])))
        rows += [{"seed": seed, "name": name, "quantity": mark, "value": value} for name, mark, value in marks]
    return rows


def strength(work: Runner) -> Rows:
    """Return the spread of each metric over the runs."""
    found = runs_of(work)
    values = np.array([run["values"] for run in found]).T
    return [{"measure": mark, **spread(one)} for mark, one in zip(found[0]["marks"].tolist(), values, strict=True)]


def progress(work: Runner) -> Rows:
    """Return the lines that the program prints: epsilon by its loop and by the formula, and the size of X's table."""
    sizes, rows = np.array([run["sizes"] for run in runs_of(work)]), []
    loop = np.maximum(FLOOR, np.cumprod([0.9, *[0.99995] * EPISODES]))
    for place, episode in enumerate(range(0, EPISODES, PRINTED_EVERY)):
        formula = max(FLOOR, 0.9 * 0.99995 ** (episode + 1))
        shown = {"episode": episode, "p1_epsilon": f"{loop[episode + 1]:.4f}", "formula": f"{formula:.4f}"}
        rows.append(shown | spread(sizes[:, place], ["min", "median", "max"]))
    return rows


def curve(work: Runner) -> Rows:
    """Return the curve of each learner by the length of its runs: each chunk, then every tenth after the published end.

    For the published variant, only the end depends on the length, so its extended runs are the longer runs.
    """
    rows = []
    for variant, episodes in schedules():
        found = runs_of(work, variant, episodes)
        chunks = range(max(len(run["curve"]) for run in found))
        for chunk in chunks:
            is_longer = episodes > EPISODES or chunk >= EPISODES // CHUNK
            here = [run for run in found if len(run["curve"]) > chunk]
            if chunk < EPISODES // CHUNK or chunk % 10 == 9:
                unbeatable = counted("unbeatable", [column(run, "unbeatable")[chunk] for run in here])["share"]
                row: Row = {"learner": variant, "schedule": LONGER if is_longer else SHORTER}
                row |= {"episodes": (chunk + 1) * CHUNK, "runs": len(here), "unbeatable": unbeatable}
                for name, source in CURVES.items():
                    marks = spread([column(run, source)[chunk] for run in here], [])
                    row |= {name: marks["mean"], f"{name}_sd": marks["sd"]}
                rows.append(row)
    return rows


def ranks(work: Runner) -> Rows:
    """Return the wins against random of all runs, in ascending order, after two lengths."""
    rows, found = [], runs_of(work)
    for (seat, name), end in product((("X", "x wins"), ("O", "o wins")), (FRESH, EPISODES)):
        ranked = sorted(float(column(run, name)[end // CHUNK - 1]) for run in found)
        for rank, wins in enumerate(ranked):
            rows.append({"seat": seat, "episodes": f"{end:,}", "share": (rank + 0.5) / len(ranked), "wins": wins})
    return rows


def variants(work: Runner) -> Rows:
    """Return the number of runs of each kind that are unbeatable at the end, and the episodes until they first were."""
    rows = []
    for variant, episodes in schedules():
        found = runs_of(work, variant, episodes)
        gaps, safe = (
            [column(run, name)[: episodes // CHUNK] for run in found] for name in ("exploitability", "unbeatable")
        )
        first = sorted((int(one.argmax()) + 1) * CHUNK for one in safe if one.any())
        rows.append({
            "learner": variant, "episodes": episodes, **counted("unbeatable", [one[-1] for one in safe]),
            "exploitability": float(np.mean([one[-1] for one in gaps])), "at any time": len(first),
            "share of the second half": float(np.mean([one[len(one) // 2 :].mean() for one in safe])),
            "first, median": first[len(first) // 2] if first else None, "first, last run": first[-1] if first else None,
        })  # fmt: skip
    return rows


def bleeding(work: Runner) -> Rows:
    """Return the earliest ply at which values differ from 0, after the first episodes of a run."""
    rows, config = [], config_of(PUBLISHED, 0, EPISODES)
    for episodes in (1, 10, 100, 1000):
        values = learned(config, None, 0, episodes)
        states = np.repeat(np.arange(values.table.num_states), np.diff(values.table.edge_start))
        seen, filled = values.held[states], values.q != 0
        rows.append({
            "episodes": episodes, "values of seen states": int(seen.sum()), "other than 0": int(filled.sum()),
            "stones before the earliest": int(values.table.ply[states][filled].min()),
        })  # fmt: skip
    return rows


def boards(work: Runner) -> Rows:
    """Return the growth with the side of the board: cells, cells checked for wins, states, and bytes."""
    rows = []
    for side in (2, 3) if work.quick else (2, 3, 4):
        table = table_of(f"tic-tac-toe:rows={side},columns={side},length={side}", 20_000_000)
        looked = {"side": side, "cells": side * side, "cells looked at for wins": 2 * side * side + 2 * side}
        sizes = {"states": table.num_states, "values": table.num_edges, "bytes of the values": 8 * table.num_edges}
        rows.append(looked | sizes)
    return rows


_ALL: Final = (runs, strength, progress, curve, ranks, variants, bleeding, boards)
MEASURES: Final = {one.__name__: one for one in _ALL}
