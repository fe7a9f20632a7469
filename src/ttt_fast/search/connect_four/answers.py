"""Requests to the Connect 4 solver and their results as rows: scores of positions, and of each move."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ttt_fast.core.errors import BoardError, FileFormatError
from ttt_fast.core.manifest import JsonObject
from ttt_fast.games.api import GameState
from ttt_fast.games.game import Game
from ttt_fast.games.plain_text import numbered_lines
from ttt_fast.search.connect_four.geometry import BoardSize
from ttt_fast.search.connect_four.positions import Words, board_size, plies_to_end, words_of
from ttt_fast.search.connect_four.solver import DEFAULT_TABLE_MB, Solver, load_kernels, solve_positions
from ttt_fast.search.connect_four.workers import SearchProgress

_SCORE = re.compile("-?[0-9]{1,3}")
VALUES = {1: "win", 0: "draw", -1: "loss"}
"""The meaning of a score for the player to move."""
StatusUpdate = Callable[[int, str], None]
"""Called with the number of nodes visited, and a short text about the state of the search."""


class Line(NamedTuple):
    """A line of a file of positions: its number, the moves, the words, and the score after them."""

    number: int
    text: str
    words: Words
    expected: int | None


class Answer(NamedTuple):
    """The rows of a result, the number of positions, and the cost."""

    rows: list[JsonObject]
    positions: int
    nodes: int
    seconds: float

    def judged(self) -> list[bool]:
        """Return, for each row with an expected score, whether it has that score."""
        return [bool(row["as_expected"]) for row in self.rows if "as_expected" in row]


def _judged(score: int, ply: int, size: BoardSize, weak: bool) -> JsonObject:
    outcome = VALUES[(score > 0) - (score < 0)]
    if weak:
        return {"outcome": outcome}
    return {"score": score, "outcome": outcome, "distance": plies_to_end(score, ply, size)}


@dataclass(frozen=True)
class Question:
    """A request to the Connect 4 solver.

    Attributes
    ----------
    game
        Connect 4 with four in a row, on any board.
    weak
        Whether to determine only the winner.
    actions
        The actions of a position to score: `all`, `best` or `none`.
    table_mb, threads
        The size of the transposition table in MiB (if None, the default size), and the number of threads.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> asked = Question(parse_game("connect4"), actions="best")
    >>> text = "2252576253462244111563365343671351441"
    >>> [(row["action"], row["score"], row["distance"]) for row in asked.answer(text, asked.read(text)).rows]
    [('6', -1, 4)]
    """

    game: Game
    weak: bool = False
    actions: str = "all"
    table_mb: float | None = None
    threads: int = 1

    def __post_init__(self) -> None:
        """Raise UsageError for games that the solver does not support."""
        board_size(self.game)

    def read(self, text: str) -> GameState:
        """Return the ongoing state of a text: moves (`4453`) or rows of marks."""
        return self.game.parse_ongoing(text)

    def read_file(self, path: Path) -> list[Line]:
        """Return the positions of a file: one per line, optionally followed by a space and its score.

        This is the format of Pons: a line that begins with a space contains the score of the empty board.

        Raises
        ------
        FileFormatError
            If a line is not a position; the message contains its number.
        UsageError
            If there are no positions.
        """
        lines = []
        for number, line in numbered_lines(path):
            text, *scores = [""] * line[0].isspace() + line.split()
            if len(scores) > 1 or not all(_SCORE.fullmatch(one) for one in scores):
                wanted = "a position without spaces, and optionally a space and its score"
                raise FileFormatError(f"{str(path)!r}, line {number}: expected {wanted}, got {line!r}")
            try:
                words = words_of(self.read(text))
            except BoardError as error:
                raise BoardError(f"{str(path)!r}, line {number}: {error}") from None
            lines.append(Line(number, text, words, int(scores[0]) if scores else None))
        return lines

    def answer(self, text: str, state: GameState, on_progress: StatusUpdate = lambda nodes, text: None) -> Answer:
        """Return a row for each legal action or each best one, or the row of the position itself."""
        load_kernels()
        size, words = board_size(self.game), words_of(state)
        ply, weak = words[1].bit_count(), self.weak
        solver = Solver(size, table_mb=self.table_mb or DEFAULT_TABLE_MB, threads=self.threads)
        rows: list[JsonObject]

        def show(now: SearchProgress) -> None:
            on_progress(now.nodes, f"score {now.lower} to {now.upper}")

        if self.actions == "none":
            one = solver.score(words, weak=weak, on_progress=show)
            nodes, seconds = one.nodes, one.seconds
            row = {"position": text, "ply": ply, **_judged(one.score, ply, size, weak)}
            rows = [row | {"nodes": nodes, "seconds": seconds}]
        else:
            best_only = self.actions == "best"
            found, nodes, seconds = solver.action_scores(words, weak=weak, best_only=best_only, on_progress=show)
            rows = [
                {"position": text, "action": self.game.format_moves([action]),
                 **_judged(score, ply, size, weak), "best": is_best}
                for action, score, is_best in found
                if score is not None
            ]  # fmt: skip
        return Answer(rows, 1, nodes, seconds)

    def answer_file(self, lines: Sequence[Line], on_progress: StatusUpdate = lambda nodes, text: None) -> Answer:
        """Return a row for each line of a file: score, outcome, distance, nodes, and comparison with the file."""
        load_kernels()
        size = board_size(self.game)
        solved = solve_positions(
            np.array([line.words for line in lines], np.uint64).reshape(-1, 2),
            size,
            weak=self.weak,
            table_mb=self.table_mb,
            threads=self.threads,
            on_progress=lambda done, nodes: on_progress(nodes, f"{done:,} solved"),
        )
        rows = []
        for line, score, nodes in zip(lines, solved.scores.tolist(), solved.nodes.tolist(), strict=True):
            ply = line.words[1].bit_count()
            row = {"position": line.text, "ply": ply, **_judged(score, ply, size, self.weak), "nodes": nodes}
            if line.expected is not None:
                truth = max(-1, min(1, line.expected)) if self.weak else line.expected
                row |= {"expected": line.expected, "as_expected": truth == score}
            rows.append(row)
        return Answer(rows, len(rows), int(solved.nodes.sum()), solved.seconds)
