"""The exact mistakes in recorded games: a row for each player, or for each move.

Letters: G games, N judged or unknown moves of players, P players.
"""

import warnings
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.analysis.judged import Positions, Replay, judged
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


class _Moves(NamedTuple):
    """The legal moves of players (N), in the order of games and plies, without those of openings.

    Attributes
    ----------
    at, game : (N,) int64
        Its place among all moves, and its game.
    ply
        Its number in the record, from 1.
    player
        Its player, as a place in the names.
    known, is_open
        Whether the position is judged, and whether some legal move keeps its value and another does not.
    best, lost
        The value of the position for its player, and what the move gives away of it: 0, 1 or 2.
    wins, missed_win
        Whether a move ends the game won, and whether the player has not played one.
    blocks, missed_block
        Whether every move but one lets the opponent end the game won, and whether that one was not played.
    """

    at: NDArray[Any]
    game: NDArray[Any]
    ply: NDArray[Any]
    player: NDArray[Any]
    known: NDArray[Any]
    is_open: NDArray[Any]
    best: NDArray[Any]
    lost: NDArray[Any]
    wins: NDArray[Any]
    missed_win: NDArray[Any]
    blocks: NDArray[Any]
    missed_block: NDArray[Any]


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
        self._replay, self._positions = judged(games, threads)
        replay, count = self._replay, np.diff(games.first)
        stops = replay.legal < count
        self._is_valid = ~(stops & (replay.mover != 0) & (replay.legal < games.opening))
        wrong = [(int(line), "expected legal moves in the opening") for line in games.line[~self._is_valid]]
        self.malformed = sorted([*games.malformed, *wrong])
        player = np.where(replay.mover == api.X, games.x, games.o)
        self._offender = np.where(stops & (replay.mover != 0), player, -1)
        self._unfinished = ~stops & (replay.mover != 0)
        outcome = np.where(replay.mover == 0, replay.status, 3 - replay.mover)  # an illegal move loses
        self._differs = (games.result != api.ONGOING) & ~self._unfinished & (games.result != outcome)
        self._after_end = stops & (replay.mover == 0)
        self._moves = _moves_of(games, replay, self._positions, self._is_valid)

    @cached_property
    def _group(self) -> NDArray[np.int64]:
        """The number of each game among the distinct ones, (G,): equal first states and equal legal moves."""
        games, known, moves = self.games, dict[tuple[int, bytes], int](), self.games.actions.tobytes()
        ends = games.first[:-1] + self._replay.legal
        rows = zip(games.start.tolist(), (2 * games.first[:-1]).tolist(), (2 * ends).tolist(), strict=True)
        keys = ((start, moves[first:end]) for start, first, end in rows)  # two bytes each
        return np.array([known.setdefault(key, len(known)) for key in keys], np.int64)

    def rows(self) -> list[JsonObject]:
        """Return a row for each player, in the order of their first games, and one for all of them (`ALL`)."""
        games, moves, names = self.games, self._moves, self.games.names
        valid = np.flatnonzero(self._is_valid)
        both = valid[games.x[valid] != games.o[valid]]
        players = np.concatenate([games.x[valid], games.o[both]])
        rows = []
        of_games = _parts(players, np.concatenate([valid, both]), len(names))
        of_moves = _parts(moves.player, np.arange(moves.at.size), len(names))
        for number, (own, chosen) in enumerate(zip(of_games, of_moves, strict=True)):
            check_interrupt()
            if own.size:
                illegal = int((self._offender[own] == number).sum())
                rows.append({"player": names[number], **self._row(own, chosen, illegal)})
        everything = self._row(valid, np.arange(moves.at.size), int((self._offender[valid] >= 0).sum()))
        return [*rows, {"player": ALL, **everything, "malformed": len(self.malformed)}]

    def _row(self, games: NDArray[np.int64], chosen: NDArray[np.int64], illegal: int) -> JsonObject:
        """Return the row of some games and of some moves in them."""
        moves = _Moves(*(column[chosen] for column in self._moves))
        wrong = np.flatnonzero(moves.lost)
        given = {"win_to_draw": (1, 1), "win_to_loss": (1, 2), "draw_to_loss": (0, 1)}
        firsts = wrong[_first_of_runs(moves.game[wrong])]
        groups, _ = _distinct(self._group[games])
        number = np.searchsorted(groups, self._group[moves.game])
        lost, decisions = (np.bincount(number, one, groups.size) for one in (moves.lost, moves.is_open))
        total = int(moves.is_open.sum())
        low, high = _ratio_interval(lost, decisions)
        judged = int(_first_of_runs(moves.game[moves.known]).sum())
        return {
            "games": games.size,
            "distinct_games": groups.size,
            "moves": moves.at.size,
            "open_decisions": total,
            "mistakes": wrong.size,
            **{name: int(((moves.best == best) & (moves.lost == loss)).sum()) for name, (best, loss) in given.items()},
            "regret": float(moves.lost.sum()) / total if total else None,
            "low": low,
            "high": high,
            "missed_wins": int(moves.missed_win.sum()),
            "win_chances": int(moves.wins.sum()),
            "missed_blocks": int(moves.missed_block.sum()),
            "block_chances": int(moves.blocks.sum()),
            "first_mistake": float(np.median(moves.ply[firsts])) if firsts.size else None,
            "without_mistake": judged - firsts.size,
            "illegal": illegal,
            "not_judged": int((~moves.known).sum()),
            "after_end": int(self._after_end[games].sum()),
            "result_differs": int(self._differs[games].sum()),
            "unfinished": int(self._unfinished[games].sum()),
        }

    def move_rows(self) -> Iterator[JsonObject]:
        """Yield a row for each legal move of a player; values are those for X, as in `watch`."""
        games, positions, moves = self.games, self._positions, self._moves
        words = [games.game.format_moves([action]) for action in range(games.game.num_actions)]
        shown = dict[int, dict[str, int]]()
        columns = (moves.at, moves.game, moves.ply, moves.player, moves.known, moves.best, moves.lost)
        for at, game, ply, player, known, best, lost in zip(*(one.tolist() for one in columns), strict=True):
            here = int(self._replay.position[at])
            sign = 1 if positions.player[here] == api.X else -1
            if here not in shown:
                own = slice(*positions.first[here : here + 2])
                pairs = zip(positions.action[own].tolist(), positions.value[own].tolist(), strict=True)
                shown[here] = {words[action]: sign * value for action, value in pairs}
            action = int(games.actions[at])
            yield {
                "line": int(games.line[game]),
                "ply": ply,
                "player": games.names[player],
                "seat": Seat(int(positions.player[here])).text,
                "action": action,
                "move": words[action],
                "value_x": sign * (best - lost) if known else None,
                "best_value_x": sign * best if known else None,
                "optimal": not lost if known else None,
                "values": shown[here] if known else None,
            }


def _moves_of(games: RecordedGames, replay: Replay, positions: Positions, is_valid: NDArray[np.bool_]) -> _Moves:
    """Return the moves of players with what they give away."""
    count = np.diff(games.first)
    game = np.repeat(np.arange(count.size), count)
    ply = np.arange(game.size) - games.first[game] + 1
    at = np.flatnonzero((replay.position >= 0) & (ply > games.opening[game]) & is_valid[game])
    here, first = replay.position[at], positions.first[:-1]
    played = first[here] + replay.choice[at]

    def of_positions(ufunc: np.ufunc, column: NDArray[Any]) -> NDArray[Any]:
        found: NDArray[Any] = ufunc.reduceat(column, first)[here] if first.size else column[:0]
        return found

    known = positions.known[here]
    best, worst = (of_positions(one, positions.value) for one in (np.maximum, np.minimum))
    wins = known & of_positions(np.logical_or, positions.wins)
    exposing = of_positions(np.add, positions.exposes.astype(np.int16))
    blocks = known & ~wins & (exposing > 0) & (exposing == np.diff(positions.first)[here] - 1)
    player = np.where(positions.player[here] == api.X, games.x[game[at]], games.o[game[at]])
    return _Moves(
        at,
        game[at],
        ply[at],
        player,
        known,
        known & (best != worst),
        best,
        np.where(known, best - positions.value[played], 0).astype(np.int8),
        wins,
        wins & ~positions.wins[played],
        blocks,
        blocks & positions.exposes[played],
    )


def _parts(owner: NDArray[np.int32], rows: NDArray[np.int64], count: int) -> list[NDArray[np.int64]]:
    """Return the rows of each of some owners, in their order."""
    order = np.argsort(owner, kind="stable")
    return np.split(rows[order], np.searchsorted(owner[order], np.arange(1, count)))


def _first_of_runs(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Return whether each value differs from the one before it."""
    differs: NDArray[np.bool_] = np.diff(values, prepend=-1) != 0
    return differs


def _distinct(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct values from 0 on, in order, and how often each occurs; faster than `np.unique`."""
    ordered = np.sort(values)
    first = np.flatnonzero(_first_of_runs(ordered))
    return ordered[first], np.diff(first, append=values.size)


def _ratio_interval(lost: NDArray[Any], decisions: NDArray[Any], seed: int = 0) -> tuple[float | None, float | None]:
    """Return the 95 % interval of a ratio of sums by a percentile bootstrap over distinct games, (D,) each.

    Games with equal numbers are drawn together, which is the same distribution: their counts are multinomial.
    """
    if not decisions.any():
        return None, None
    factor = int(decisions.max()) + 1
    codes, counts = _distinct((lost * factor + decisions).astype(np.int64))
    pairs = np.stack(np.divmod(codes, factor), 1)
    generator, rows = np.random.default_rng(seed), max(1, _BLOCK // counts.size)
    sums = [
        generator.multinomial(lost.size, counts / lost.size, min(rows, RESAMPLES - done)) @ pairs
        for done in range(0, RESAMPLES, rows)
    ]
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

    The values are those of the table of the game, or of the solver of Connect 4.  In other games, moves are not judged.
    Moves of a `start` and of an `opening` belong to nobody.  An illegal or unreadable move, also `illegal`, `none` or
    `timeout`, is the forfeit of its player; the moves before it count.

    Parameters
    ----------
    games
        A file (.txt, .csv, .jsonl, .parquet), or its lines and rows as texts and mappings.  docs/REVIEW.md has the
        formats.
    game
        The game (default: that of the file, otherwise tic-tac-toe).
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
    >>> found.select("player", "games", "mistakes", "regret", "missed_wins", "win_chances", "illegal").rows()
    [('ann', 2, 1, 0.5, 0, 0, 1), ...
    """
    recorded = read_games(games, game, first_action=first_action)
    found = Review(recorded, available_cores() if threads is None else threads)
    if found.malformed:
        lines = [f"line {line}: {text}" for line, text in found.malformed[:_SHOWN]]
        more = len(found.malformed) - _SHOWN
        text = "; ".join([*lines, *([f"and {more} more lines"] if more > 0 else [])])
        if strict:
            raise FileFormatError(text)
        warnings.warn(text, stacklevel=2)
    return frame_of(found.move_rows() if moves else found.rows())
