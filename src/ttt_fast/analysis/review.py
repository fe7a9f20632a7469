"""The exact mistakes in recorded games: a row for each player, or for each move.

Letters: G games, M moves, P players.
"""

import warnings
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast.analysis.judged import judged
from ttt_fast.core.errors import FileFormatError
from ttt_fast.core.frames import frame_of
from ttt_fast.core.manifest import JsonObject, available_cores
from ttt_fast.evaluate.over_runs import LEVEL, RESAMPLES
from ttt_fast.games import api
from ttt_fast.games.game import Game
from ttt_fast.games.results import Seat
from ttt_fast.play.recorded import Item, RecordedGames, read_games
from ttt_fast.play.session import PathLike
from ttt_fast.running.interrupts import check_interrupt

if TYPE_CHECKING:
    import polars as pl

ALL = "all"
"""The name in the row of all players."""
_BLOCK = 1 << 22  # numbers drawn at a time
_SHOWN = 3
"""Malformed lines in a warning."""


class Review:
    """Recorded games with the exact values of their moves.

    Parameters
    ----------
    games
        The games.
    threads
        Threads of the solver.

    Attributes
    ----------
    malformed
        Number and error of each line without a game: those of the reader, and games with an illegal opening.
    """

    def __init__(self, games: RecordedGames, threads: int = 1) -> None:
        self.games = games
        self._replay, self._positions = replay, _ = judged(games, threads)
        count, is_ongoing = np.diff(games.first), replay.mover != 0
        stops = replay.legal < count
        self._valid = ~(stops & is_ongoing & (replay.legal < games.opening))
        wrong = [(int(line), "expected legal moves in the opening") for line in games.line[~self._valid]]
        self.malformed = sorted([*games.malformed, *wrong])
        self._offender = np.where(stops & is_ongoing, np.where(replay.mover == api.X, games.x, games.o), -1)
        outcome = np.where(is_ongoing, 3 - replay.mover, replay.status)  # an illegal move loses
        unfinished = ~stops & is_ongoing
        self._of_games = {
            "after_end": stops & ~is_ongoing,
            "result_differs": (games.result != api.ONGOING) & ~unfinished & (games.result != outcome),
            "unfinished": unfinished,
        }
        self._find_mistakes()
        known, moves = dict[tuple[int, bytes], int](), games.actions.tobytes()  # two bytes each
        ends = (2 * (games.first[:-1] + replay.legal)).tolist()
        rows = zip(games.start.tolist(), (2 * games.first[:-1]).tolist(), ends, strict=True)
        keys = ((start, moves[first:end]) for start, first, end in rows)
        self._group = np.array([known.setdefault(key, len(known)) for key in keys], np.int64)

    def _find_mistakes(self) -> None:
        """Find the moves of players, in the order of games and plies, what they give away, and where they count."""
        games, replay, positions = self.games, self._replay, self._positions
        game, ply = games.of_moves, games.plies + 1
        self._at = at = np.flatnonzero((replay.position >= 0) & (ply > games.opening[game]) & self._valid[game])
        self._game, self._ply = game[at], ply[at]
        here, first = replay.position[at], positions.first[:-1]
        played = first[here] + replay.choice[at]

        def of_positions(ufunc: np.ufunc, column: NDArray[Any]) -> NDArray[Any]:
            found: NDArray[Any] = ufunc.reduceat(column, first)[here] if first.size else column[:0]
            return found

        known = positions.known[here]
        self._best = best = of_positions(np.maximum, positions.value)
        self._lost = lost = np.where(known, best - positions.value[played], 0)
        wins = known & of_positions(np.logical_or, positions.wins)
        exposing = of_positions(np.add, positions.exposes.astype(np.int16))
        blocks = known & ~wins & (exposing > 0) & (exposing == np.diff(positions.first)[here] - 1)
        self._player = np.where(positions.player[here] == api.X, games.x[game[at]], games.o[game[at]])
        self._of_moves = {
            "moves": np.ones(at.size, np.bool_),
            "open_decisions": known & (best != of_positions(np.minimum, positions.value)),
            "mistakes": lost > 0,
            "win_to_draw": (best == 1) & (lost == 1),
            "win_to_loss": lost == 2,
            "draw_to_loss": (best == 0) & (lost == 1),
            "missed_wins": wins & ~positions.wins[played],
            "win_chances": wins,
            "missed_blocks": blocks & positions.exposes[played],
            "block_chances": blocks,
            "not_judged": ~known,
        }

    def rows(self) -> list[JsonObject]:
        """Return a row for each player, in the order of their first games, and one for all of them (`ALL`)."""
        games, names = self.games, self.games.names
        valid, every = np.flatnonzero(self._valid), np.arange(self._at.size)
        both = valid[games.x[valid] != games.o[valid]]
        of_games = _parts(np.concatenate([games.x[valid], games.o[both]]), np.concatenate([valid, both]), len(names))
        of_moves, rows = _parts(self._player, every, len(names)), list[JsonObject]()
        for number, (own, moves) in enumerate(zip(of_games, of_moves, strict=True)):
            check_interrupt()
            if own.size:
                rows.append({"player": names[number], **self._row(own, moves, self._offender[own] == number)})
        everything = self._row(valid, every, self._offender[valid] >= 0)
        return [*rows, {"player": ALL, **everything, "malformed": len(self.malformed)}]

    def _row(self, games: NDArray[np.int64], moves: NDArray[np.int64], illegal: NDArray[np.bool_]) -> JsonObject:
        """Return the row of some games and of some moves in them, in their order."""
        counts = {name: int(column[moves].sum()) for name, column in self._of_moves.items()}
        wrong, known = moves[self._lost[moves] > 0], moves[~self._of_moves["not_judged"][moves]]
        firsts, is_open = wrong[_first_of_runs(self._game[wrong])], self._of_moves["open_decisions"]
        groups, _ = _distinct(self._group[games])
        number = np.searchsorted(groups, self._group[self._game[moves]])
        lost, decisions = (np.bincount(number, one[moves], groups.size) for one in (self._lost, is_open))
        low, high = _ratio_interval(lost, decisions)
        not_judged = counts.pop("not_judged")
        chances = {name: counts.pop(name) for name in ("missed_wins", "win_chances", "missed_blocks", "block_chances")}
        return {
            "games": games.size,
            "distinct_games": groups.size,
            **counts,
            "regret": float(lost.sum() / decisions.sum()) if counts["open_decisions"] else None,
            "low": low,
            "high": high,
            **chances,
            "first_mistake": float(np.median(self._ply[firsts])) if firsts.size else None,
            "without_mistake": int(_first_of_runs(self._game[known]).sum()) - firsts.size,
            "illegal": int(illegal.sum()),
            "not_judged": not_judged,
            **{name: int(column[games].sum()) for name, column in self._of_games.items()},
        }

    def move_rows(self) -> Iterator[JsonObject]:
        """Yield a row for each legal move of a player; values are those for X, as in `watch`."""
        games, positions, shown = self.games, self._positions, dict[int, dict[str, int]]()
        words = [games.game.format_moves([action]) for action in range(games.game.num_actions)]
        columns = (self._at, self._game, self._ply, self._player, self._of_moves["not_judged"], self._best, self._lost)
        for at, game, ply, player, is_unknown, best, lost in zip(*(one.tolist() for one in columns), strict=True):
            here, action = int(self._replay.position[at]), int(games.actions[at])
            sign = 1 if positions.player[here] == api.X else -1
            if here not in shown:
                own = slice(*positions.first[here : here + 2])
                pairs = zip(positions.action[own].tolist(), positions.value[own].tolist(), strict=True)
                shown[here] = {words[action]: sign * value for action, value in pairs}
            values = {"value_x": sign * (best - lost), "best_value_x": sign * best, "optimal": not lost}
            yield {
                "line": int(games.line[game]),
                "ply": ply,
                "player": games.names[player],
                "seat": Seat(int(positions.player[here])).text,
                "action": action,
                "move": words[action],
                **(dict.fromkeys([*values, "values"]) if is_unknown else values | {"values": shown[here]}),
            }


def _parts(owner: NDArray[np.int64], rows: NDArray[np.int64], count: int) -> list[NDArray[np.int64]]:
    """Return the rows of each of some owners, in their order."""
    order = np.argsort(owner, kind="stable")
    return np.split(rows[order], np.searchsorted(owner[order], np.arange(1, count)))


def _first_of_runs(values: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return whether each value, 0 or more, differs from the one before it."""
    differs: NDArray[np.bool_] = np.diff(values, prepend=-1) != 0
    return differs


def _distinct(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct values, in order, and how often each occurs; faster than `np.unique`."""
    ordered = np.sort(values)
    first = np.flatnonzero(_first_of_runs(ordered))
    return ordered[first], np.diff(first, append=values.size)


def _ratio_interval(lost: NDArray[Any], decisions: NDArray[Any], seed: int = 0) -> tuple[float | None, float | None]:
    """Return the 95 % interval of a ratio of sums by a percentile bootstrap over distinct games, (D,) each.

    Games with equal numbers are drawn together, which is the same distribution: their counts are multinomial.
    """
    if lost.size < 2 or not decisions.any():  # one game says nothing about others
        return None, None
    factor = int(decisions.max()) + 1
    codes, counts = _distinct((lost * factor + decisions).astype(np.int64))
    pairs, sums = np.stack(np.divmod(codes, factor), 1), list[NDArray[Any]]()
    generator, rows = np.random.default_rng(seed), max(1, _BLOCK // counts.size)
    for done in range(0, RESAMPLES, rows):
        drawn = generator.multinomial(lost.size, counts / lost.size, min(rows, RESAMPLES - done))
        sums.append(drawn @ pairs)
    total = np.concatenate(sums)
    total = total[total[:, 1] > 0]  # a resample without a decision has no ratio
    low, high = np.quantile(total[:, 0] / total[:, 1], [(1 - LEVEL) / 2, (1 + LEVEL) / 2]).tolist()
    return low, high


def review(
    games: PathLike | Iterable[Item],
    game: Game | str | None = None,
    *,
    moves: bool = False,
    first_action: int | None = None,
    strict: bool = False,
    threads: int | None = None,
) -> "pl.DataFrame":
    """Judge recorded games by exact values: a row for each player and one for all, or one for each move.

    The values are those of the table of the game, or of the solver of Connect 4.  In other games, a search judges late
    positions (`ExactAnalysis`), and earlier moves are not judged.
    Moves of a `start` and of an `opening` belong to nobody.  An illegal or unreadable move, also `illegal`, `none` or
    `timeout`, is the forfeit of its player; the moves before it count.

    Parameters
    ----------
    games
        A file (.txt, .csv, .jsonl, .parquet), a frame, or lines and rows as texts and mappings.  docs/REVIEW.md has
        the formats.
    game
        The game (default: that of a saved contest, otherwise tic-tac-toe).
    moves
        Return a row for each move, with the exact value of every legal move for X as JSON.
    first_action
        Moves are numbers of actions, of which this is the first (default: the notation of the game).
    strict
        Raise an error at a line without a game (default: a warning names such lines).
    threads
        Threads of the solver (default: all cores).

    Returns
    -------
    polars.DataFrame
        Of players: `games`, `distinct_games`; `moves`; `open_decisions`, in which some moves keep the value and others
        do not; `mistakes`, of which `win_to_draw`, `win_to_loss` and `draw_to_loss`; `regret`, the value lost in an
        open decision, with the 95 % interval `low` to `high` over distinct games; `missed_wins` of `win_chances`
        (moves that end the game won) and `missed_blocks` of `block_chances` (all moves but one lose to the next move);
        `first_mistake`, the median ply, and games `without_mistake`; `illegal` moves; moves `not_judged`; and games
        with moves `after_end`, whose result differs (`result_differs`), and `unfinished` ones.

    Raises
    ------
    FileFormatError
        If the file cannot be read or has no game; with `strict`, at a line without a game.

    Examples
    --------
    >>> found = review(["ann bob 41028", "bob ann 0 4 8 2 6 none"])
    >>> found.select("player", "games", "mistakes", "regret", "missed_wins", "win_chances", "illegal").row(0)
    ('ann', 2, 1, 0.25, 0, 1, 1)
    """
    recorded = read_games(games, game, first_action=first_action)
    found = Review(recorded, available_cores() if threads is None else threads)
    if found.malformed:
        lines, more = [f"line {line}: {text}" for line, text in found.malformed], len(found.malformed) - _SHOWN
        text = "; ".join([*lines[:_SHOWN], *([f"and {more} more lines"] if more > 0 else [])])
        if strict:
            raise FileFormatError(text)
        warnings.warn(text, stacklevel=2)
    return frame_of(found.move_rows() if moves else found.rows())
