"""What the players of Connect 4 are worth: results against the default opponent, moves that keep the exact value."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ttt_fast.evaluate.statistics import wilson_interval
from ttt_fast.games.registry import parse_game
from ttt_fast.play.record import GameRecord
from ttt_fast.running.chunks import run_chunks
from ttt_fast.studies.sai.connect_four.learning import (
    VARIANTS,
    Trained,
    best_seats,
    board_of,
    matches_of,
)
from ttt_fast.studies.sai.connect_four.match import (
    BOARD_AS_CODED,
    BOARD_AS_DESCRIBED,
    MINIMAX_AS_CODED,
    MINIMAX_AS_DESCRIBED,
    Played,
    play_pairs,
    player_of,
)
from ttt_fast.studies.sai.connect_four.tables import board_text
from ttt_fast.studies.sai.connect_four.truth import decisions_of, judge, solver_of
from ttt_fast.studies.sai.learning import SKILLS
from ttt_fast.studies.sai.odds import Match, SampledHalves

OTHERS = (
    ("random", BOARD_AS_DESCRIBED, "random"),
    ("default opponent (skill 0.01)", BOARD_AS_DESCRIBED, SKILLS["0.01"]),
    ("default opponent (skill 1)", BOARD_AS_DESCRIBED, SKILLS["1"]),
    ("minimax of depth 5, as coded", BOARD_AS_CODED, MINIMAX_AS_CODED),
    ("minimax of depth 5", BOARD_AS_DESCRIBED, MINIMAX_AS_DESCRIBED),
    ("depth 5, quick wins first, ties drawn", BOARD_AS_DESCRIBED, "alphabeta:depth=5,prefer=fast"),
    ("depth 9, quick wins first, ties drawn", BOARD_AS_DESCRIBED, "alphabeta:depth=9,prefer=fast"),
    ("MCTS, 1,000 simulations", BOARD_AS_DESCRIBED, "mcts:sims=1000"),
)
"""Players that need no training: name, board, agent."""
_SEED = 2


def learner_name(variant: str) -> str:
    """Return what a variant of the learner is called among the players.

    Examples
    --------
    >>> learner_name("as coded")
    'learner, as coded'
    """
    return f"learner, {variant}"


class Other(NamedTuple):
    """A player that needs no training, and its games against the default opponent, who is named first."""

    name: str
    board: str
    against: dict[str, Played]


def play_others(pairs: int, threads: int) -> list[Other]:
    """Play the players that need no training against the default opponent; the same for any number of threads."""

    def play(number: int) -> Other:
        name, board, spec = OTHERS[number]
        game = parse_game(board)
        against = {
            skill: play_pairs(game, player_of(rival, game), player_of(spec, game), pairs, _SEED, (number, place))
            for place, (skill, rival) in enumerate(SKILLS.items())
        }
        return Other(name, board, against)

    return list(run_chunks(play, 0, len(OTHERS), threads))


def strength_rows(runs: list[Trained], others: list[Other]) -> list[dict[str, Any]]:
    """Return the results against both default opponents: of each variant at its best, and of the other players."""
    rows = []
    for variant in VARIANTS:
        seats = best_seats(variant)
        found = {skill: matches_of(runs, variant, seats, "0", skill) for skill in SKILLS}
        rows.append(_strength(learner_name(variant), board_of(variant), len(found["1"]), found))
    for other in others:
        rows.append(_strength(other.name, other.board, None, {k: [v.halves] for k, v in other.against.items()}))
    return rows


def _strength(name: str, board: str, runs: int | None, found: dict[str, list[Match]]) -> dict[str, Any]:
    row: dict[str, Any] = {"player": name, "board": board_text(board), "runs": runs}
    row["games"] = sum(one.games for one in found["1"] if isinstance(one, SampledHalves))
    for skill, matches in found.items():
        losses, wins, draws = np.mean([one.mean for one in matches], axis=0).tolist()
        low, high = wilson_interval(round(wins * row["games"]), row["games"])
        mark = f"v default (skill {skill})"
        row |= {f"wins {mark}": wins, f"wins {mark} low": low, f"wins {mark} high": high}
        row |= {f"draws {mark}": draws, f"losses {mark}": losses}
    return row


def truth_rows(runs: list[Trained], others: list[Other], limit: int, threads: int) -> list[dict[str, Any]]:
    """Return how many moves keep the exact value, in games against the default opponent that notices everything.

    Parameters
    ----------
    runs, others
        Whose games.
    limit
        Decisions of each player, of a learner those of its first run.
    threads
        Threads of the solver; they change no number.
    """
    games: list[tuple[str, str, Sequence[GameRecord]]] = []
    for variant in VARIANTS:
        games += [(learner_name(variant), board_of(variant), run.records) for run in runs if run.variant == variant][:1]
    games += [(other.name, other.board, other.against["1"].records) for other in others]
    solvers = {board: solver_of(parse_game(board), threads) for board in dict.fromkeys(_boards(games))}
    rows = []
    for name, board, records in games:
        kept = judge(solvers[board], decisions_of(parse_game(board), records, first=False, limit=limit))
        rows.append({"player": name, "board": board_text(board), **kept.row()})
    return rows


def _boards(games: Iterable[tuple[str, str, Sequence[GameRecord]]]) -> list[str]:
    return [board for _, board, _ in games]
