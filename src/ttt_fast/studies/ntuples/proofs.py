"""Self-taught players of small boards of Connect 4: self-play goes on from the positions that refute them.

The goal of a seat is what perfect play gives it.  After each round of self-play, all positions that can arise against
the player are enumerated, with the values that follow against any opponent.  No other value is used.  A player whose
first position reaches the goal is proven: no opponent gets more.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast import Seat, TrainingConfig, induced_table, solution_of
from ttt_fast.report.rows import write_bytes
from ttt_fast.studies.engine.tables import Rows
from ttt_fast.studies.engine.work import Runner


class Loop(NamedTuple):
    """Rounds of self-play with one seed.

    Attributes
    ----------
    board, seat, goal
        The game, the seat, and the value that perfect play gives it: 1 or 0.
    refuted
        Whether a share of the games of each further round begins in positions that were below the goal after a round.
    seed
        The seed of the first round.
    settings
        Settings of each round.
    """

    board: str
    seat: str
    goal: int
    refuted: bool
    seed: int
    settings: dict[str, Any]

    def round(self, number: int, before: Path | None, starts: Path | None) -> TrainingConfig:
        """Return the configuration of a round, which goes on from the values of the round before."""
        usual: dict[str, Any] = {"game": self.board, "algorithm": "td", "opponent": "self", "judges": ""}
        files = {name: str(file) for name, file in (("start_from", before), ("starts", starts)) if file is not None}
        return TrainingConfig(**usual | self.settings | files, evaluations=0, seed=1000 * self.seed + number)


def spread_over_plies(ply: NDArray[np.int64], most: int, seed: int) -> NDArray[np.int64]:
    """Return the places of at most so many elements, drawn evenly from all plies.

    Examples
    --------
    >>> spread_over_plies(np.array([4, 4, 4, 4, 4, 6]), most=2, seed=0).size
    2
    """
    order = np.random.default_rng(seed).permutation(ply.size)
    # the rank of each element within its ply, in a random order
    by_ply = order[np.argsort(ply[order], kind="stable")]
    rank = np.arange(ply.size) - np.searchsorted(ply[by_ply], ply[by_ply])
    return np.sort(by_ply[np.argsort(rank, kind="stable")[:most]])


def below_goal(file: str, board: str, seat: str, goal: int, most: int, seed: int) -> dict[str, Any]:
    """Return the positions below the goal with the player to move, of its own induced table: a piece of work.

    Returns
    -------
    dict
        `positions` and `below`, numbers; `is_reached`; `starts`, texts of at most `most` positions below the goal, and
        those of the refutation.
    """
    induced, side = induced_table(file, seat, board), Seat.parse(seat)
    table, game = induced.table, induced.game
    value = solution_of(table).value.astype(np.int64) * (1 if side == Seat.X else -1)
    below = np.flatnonzero((table.player == side) & (value < goal))
    chosen = below[spread_over_plies(np.searchsorted(table.ply_start, below, side="right"), most, seed)]
    texts = [game.format_position(table.state(int(place))) for place in chosen]
    state, refutation = game.initial_state, induced.refutation if value[0] < goal else None
    for action in () if refutation is None else refutation.actions:
        texts += [game.format_position(state)] if game.player(state) == side else []
        state = game.play(state, action)
    return {
        "positions": induced.positions, "below": below.size, "is_reached": value[0] >= goal,
        "starts": np.array(list(dict.fromkeys(texts)), np.str_),
    }  # fmt: skip


def starts_of(loop: Loop, before: Path | None, texts: Sequence[str]) -> Path | None:
    """Write the positions in which games of the next round begin to a file beside the values; None without any."""
    if before is None or not loop.refuted:
        return None
    path = before.with_suffix(f".{loop.seat}{loop.goal}.jsonl")
    write_bytes("".join(json.dumps({"moves": "", "start": text}) + "\n" for text in texts).encode(), path)
    return path


def rounds(work: Runner, loops: list[Loop], most_rounds: int, most: int) -> Rows:
    """Return the rows of loops, each of which ends with its first proof."""
    rows: Rows = []
    going: list[tuple[Loop, Path | None, list[str]]] = [(loop, None, []) for loop in loops]
    for number in range(most_rounds):
        configs = [loop.round(number, before, starts_of(loop, before, texts)) for loop, before, texts in going]
        learned = work.training_files(configs)
        found = work.pieces(below_goal, [
            {"file": str(file), "board": loop.board, "seat": loop.seat, "goal": loop.goal, "most": most, "seed": number}
            for (loop, *_), file in zip(going, learned, strict=True)
        ])  # fmt: skip
        done, going = going, []
        for (loop, _, texts), config, file, one in zip(done, configs, learned, found, strict=True):
            rows.append({
                "board": loop.board, "seat": loop.seat, "refutations": loop.refuted, "seed": loop.seed, "round": number,
                "games": (number + 1) * config.episodes, "positions": int(one["positions"]), "below": int(one["below"]),
                "reached": bool(one["is_reached"]),
            })  # fmt: skip
            if not one["is_reached"]:  # positions of all rounds, without repetitions
                going.append((loop, file, list(dict.fromkeys([*texts, *one["starts"].tolist()]))))
    return rows


def proofs(work: Runner) -> Rows:
    """Return a row for each round of each loop: the games so far, and the positions below the goal."""
    plan = work.plan(__package__)
    chosen: dict[str, Any] = plan.proofs
    rows: Rows = []
    for one in chosen["loops"][: 1 if work.quick else None]:
        settings = chosen["base"] | one["settings"] | plan.smaller
        seeds = one["seeds"][: min(work.seeds or plan.most_runs, plan.most_runs)]
        place = one["board"], one["seat"], one["goal"]
        loops = [Loop(*place, refuted, seed, settings) for seed in seeds for refuted in (True, False)]
        rows += rounds(work, loops, min(one["rounds"], plan.most_runs), chosen["most"])
    return rows
