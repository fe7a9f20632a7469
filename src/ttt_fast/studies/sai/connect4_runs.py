"""Further runs of the Connect 4 learner: the match of table 6, and the moves that keep the exact value, by run."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ttt_fast.studies.engine.tables import Row, Rows
from ttt_fast.studies.engine.work import Arrays, Runner
from ttt_fast.studies.sai.learners import CORRECTED, VARIANTS, best_of, board_of, connect4_run, name_of
from ttt_fast.studies.sai.matches import BOARDS, CONNECT_FOUR, summaries
from ttt_fast.studies.sai.truth import kept_moves
from ttt_fast.studies.statistics.samples import RunSample

LEARNERS: Final = {variant: (variant, False) for variant in VARIANTS} | {
    f"{CORRECTED} (four times as long)": (CORRECTED, True)
}
"""The variants by their names on the page, each with a flag for longer training, which exists in Connect 4 alone."""


def _runs(work: Runner, variant: str, seeds: int) -> list[Arrays]:
    """Return runs of a learner for a number of seeds, each with its best settings against `default 1`."""
    plan = work.plan(__package__)
    settings = {"variant": variant, "episodes": plan.episodes[CONNECT_FOUR], "pairs": plan.pairs}
    return work.pieces(connect4_run, [{**settings, "seed": seed} for seed in range(seeds)])


def table_6_runs(work: Runner) -> Rows:
    """Return the match of table 6 as described, over many runs, in the format of `matches`."""
    runs = _runs(work, CORRECTED, work.plan(__package__).seeds["table_6"])
    name = name_of(BOARDS[CONNECT_FOUR], CORRECTED, best_of(CONNECT_FOUR, CORRECTED))
    found = summaries(np.array([run["counts"] for run in runs]))
    of = zip(("default wins", "learner wins", "ties"), found, strict=True)
    return [{"name": name, "quantity": quantity, **one} for quantity, one in of]


def kept_rows(work: Runner, games: Sequence[tuple[Row, str, Any]]) -> Rows:
    """Return the share of moves that keep the exact value, for the labels, the board and the lines of some games."""
    limit = work.plan(__package__).decisions
    settings = [{"board": board, "lines": lines.tolist(), "limit": limit} for _, board, lines in games]
    rows = []
    for (labels, _, _), of in zip(games, work.pieces(kept_moves, settings), strict=True):
        found, times = int(of["kept"]), max(1, int(of["open"]))
        rows.append(labels | {"decisions": int(of["decisions"]), "open": int(of["open"]), "kept": found / times,
                              "by chance": float(of["by chance"]) / times})  # fmt: skip
    return rows


def kept_runs(work: Runner) -> Rows:
    """Return the share of moves of each run that keep the exact value, in games against `default 1`."""
    games: list[tuple[Row, str, Any]] = []
    for name, seeds in work.plan(__package__).kept.items():
        board = board_of(CONNECT_FOUR, name)
        for seed, run in enumerate(_runs(work, name, seeds)):
            games.append(({"player": f"learner, {name}", "board": BOARDS[board], "seed": seed}, board, run["lines"]))
    return kept_rows(work, games)


def kept_means(work: Runner) -> Rows:
    """Return the mean over the runs of the share of moves that keep the exact value, and its gain over chance.

    The intervals are those of the mean over the runs, because the moves of one game, and of one run, are dependent.
    """
    rows, of = [], kept_runs(work)
    for player in dict.fromkeys(row["player"] for row in of):
        own = [row for row in of if row["player"] == player]
        found = {name: RunSample([row[name] for row in own]) for name in ("kept", "by chance")}
        found["gain"] = RunSample([row["kept"] - row["by chance"] for row in own])
        row = {"player": player, "board": own[0]["board"], "runs": len(own), "open": sum(row["open"] for row in own)}
        for name, sample in found.items():
            low, high = sample.mean_interval()
            ends = {f"{name} low": max(-1.0, low), f"{name} high": min(1.0, high)}
            row |= {name: sample.mean} | ({} if name == "by chance" else ends)
        rows.append(row)
    return rows
