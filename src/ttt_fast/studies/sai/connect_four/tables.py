"""Sai's tables of Connect 4 as rows: every printed count beside the described and the coded match."""

from dataclasses import dataclass
from typing import Any

from ttt_fast.studies.sai.connect_four.learning import AS_CODED, CORRECTED, Trained, matches_of, seats_of
from ttt_fast.studies.sai.connect_four.match import BOARD_AS_CODED, BOARD_AS_DESCRIBED, exactly
from ttt_fast.studies.sai.connect_four.samples import MINIMAX, Samples
from ttt_fast.studies.sai.counts import Compared, count_rows, how
from ttt_fast.studies.sai.learning import EPSILONS, SKILLS
from ttt_fast.studies.sai.odds import Match, judge_match
from ttt_fast.studies.sai.published import (
    CONNECT_FOUR_TABLES,
    DEFAULT,
    EPSILON_IN_PLAY,
    PLAIN,
    TABLE,
    Published,
)

NOTICES = "the program's default opponent notices a win or a block one time in a hundred, not whenever there is one"
EXPLORES = "the program loads the values and goes on exploring: nine of its moves in ten are random"
CREDITS = "a win is credited to X first as a win and then as a loss, whoever has won, and never to O"
_WHY = {4: NOTICES, 5: NOTICES, 6: f"{NOTICES}; {EXPLORES}; and {CREDITS}", 10: f"{EXPLORES}; and {CREDITS}"}
VALUES = {"x": "policy-1 (X)", "o": "policy-2 (O)", "xo": "both"}


@dataclass(frozen=True)
class Reading:
    """A way to read a table: on which board, and who really played.

    Attributes
    ----------
    published
        The table.
    board
        The program's or the text's.
    skill
        Of the default opponent; empty where it does not play.
    learner, values, epsilon
        Variant of the learner, whose values it loads, and its exploration; empty where it does not play.
    """

    published: Published
    board: str
    skill: str = ""
    learner: str = ""
    values: str = ""
    epsilon: str = ""

    def results(self, runs: list[Trained], samples: Samples) -> list[Match]:
        """Return the results, from the first player's side: one a training run, or a single one."""
        published = self.published
        if self.learner:
            found = matches_of(runs, self.learner, self.values, self.epsilon, self.skill or "minimax")
            return [one.swapped() for one in found] if published.first.player == TABLE else found
        if not self.skill:
            return [exactly(samples.searchers[self.board])]
        if published.second.player == PLAIN and (self.board, self.skill) == (BOARD_AS_CODED, "0.01"):
            return [samples.unpruned.halves]
        return [samples.default[self.board, self.skill].halves]  # the same moves as without pruning

    def __str__(self) -> str:
        """Return the reading as text."""
        parts = [board_text(self.board)]
        parts += [f"default with skill {self.skill}"] if self.skill else []
        if self.learner:
            parts.append(f"learner {self.learner}, values of {VALUES[self.values]}, epsilon {self.epsilon}")
        return "; ".join(parts)


def board_text(board: str) -> str:
    """Return the size of a board in words.

    Examples
    --------
    >>> board_text("connect4:columns=6,rows=7")
    '6 columns of 7'
    """
    return {BOARD_AS_CODED: "6 columns of 7", BOARD_AS_DESCRIBED: "7 columns of 6"}[board]


def readings(published: Published) -> list[Reading]:
    """Return every reading of a table."""
    players = {published.first.player, published.second.player}
    skills = list(SKILLS) if DEFAULT in players else [""]
    if TABLE not in players:
        return [Reading(published, board, skill) for board in MINIMAX for skill in skills]
    return [
        Reading(published, board, skill, learner, values, epsilon)
        for learner, board in ((AS_CODED, BOARD_AS_CODED), (CORRECTED, BOARD_AS_DESCRIBED))
        for skill in skills
        for epsilon in EPSILONS
        for values in seats_of(learner)
    ]


def as_described(published: Published) -> Reading:
    """Return the match that the text describes: 7 x 6, corrected learner, greedy, with its values of both seats."""
    players = {published.first.player, published.second.player}
    skill = "1" if DEFAULT in players else ""
    learner = (CORRECTED, "xo", "0") if TABLE in players else ("", "", "")
    return Reading(published, BOARD_AS_DESCRIBED, skill, *learner)


def as_coded(published: Published) -> Reading:
    """Return the match that the program plays: 6 x 7, X's values in both seats, epsilon 0.9, skill 0.01."""
    players = {published.first.player, published.second.player}
    skill = "0.01" if DEFAULT in players else ""
    learner = (AS_CODED, "x", EPSILON_IN_PLAY) if TABLE in players else ("", "", "")
    return Reading(published, BOARD_AS_CODED, skill, *learner)


def cell_rows(runs: list[Trained], samples: Samples) -> list[dict[str, Any]]:
    """Return a row for every printed count, in the columns of the tic-tac-toe part."""
    rows = []
    for published in CONNECT_FOUR_TABLES:
        described, coded = as_described(published), as_coded(published)
        rows += count_rows(
            Compared(
                published,
                described.results(runs, samples),
                coded.results(runs, samples),
                str(coded),
                _WHY.get(published.number, ""),
            )
        )
    return rows


def reading_rows(runs: list[Trained], samples: Samples) -> list[dict[str, Any]]:
    """Return a row for every reading of every table, judged by its three counts together."""
    rows = []
    for published in CONNECT_FOUR_TABLES:
        for one in readings(published):
            results = one.results(runs, samples)
            row: dict[str, Any] = {
                "source": published.source,
                "match": published.label,
                "board": board_text(one.board),
                "default_skill": one.skill,
                "learner": one.learner,
                "values": VALUES.get(one.values, ""),
                "epsilon": one.epsilon,
                "how": how(results),
            }
            rows.append(row | judge_match(published, results))
    return rows


def value_rows(runs: list[Trained]) -> list[dict[str, Any]]:
    """Return, for every variant and kind of board, what its values are: sums and extremes over the runs."""
    rows = []
    for variant in dict.fromkeys(run.variant for run in runs):
        own = [run.values for run in runs if run.variant == variant]
        for kinds in zip(*own, strict=True):
            boards = sum(one.boards for one in kinds)
            rows.append(
                {
                    "learner": variant,
                    "boards of": kinds[0].name,
                    "boards a run": boards / len(kinds),
                    "above 0": sum(one.positive for one in kinds) / boards if boards else None,
                    "lowest": min(one.lowest for one in kinds) if boards else None,
                    "mean": sum(one.total for one in kinds) / boards if boards else None,
                    "highest": max(one.highest for one in kinds) if boards else None,
                }
            )
    return rows
