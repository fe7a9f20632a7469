"""Positions in which an agent gives value away, labelled by the Connect 4 solver, ply by ply."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.manifest import JsonObject
from ttt_fast.evaluate.statistics import wilson_interval
from ttt_fast.games import api
from ttt_fast.games.api import GameState
from ttt_fast.games.results import Seat, result_of
from ttt_fast.running.interrupts import check_interrupt
from ttt_fast.running.progress import report_progress
from ttt_fast.search.connect_four.book import stored_plies
from ttt_fast.search.connect_four.positions import board_size, words_of
from ttt_fast.search.connect_four.solver import Solver
from ttt_fast.tables.state_table import StateTable

QUICK_CELLS = 30
"""Empty cells up to which the solver takes milliseconds for a position."""
EARLY_POSITIONS = 20
"""Positions of each ply with more empty cells that are labelled, apart from the plies whose scores are stored."""
_VALUES = {1: "a win", 0: "a draw", -1: "a loss"}


class Mistake(NamedTuple):
    """A position in which an agent may play a move that gives value away.

    Attributes
    ----------
    state
        The position.
    actions
        The moves of the agent that give value away.
    before, after
        The value of the position for the player to move, 1, 0 or -1, and the lowest value after these moves.
    """

    state: GameState
    actions: tuple[int, ...]
    before: int
    after: int

    @property
    def caption(self) -> str:
        """A description, such as `ply 12: a win becomes a loss`."""
        return f"ply {api.ply(self.state)}: {_VALUES[self.before]} becomes {_VALUES[self.after]}"


@dataclass(frozen=True)
class PlyMistakes:
    """The mistakes of an agent at one ply.

    Attributes
    ----------
    ply, positions
        The ply, and the number of positions of the agent's seat.
    checked
        The number of these that were labelled: all of them, or a random sample.
    mistakes
        The positions among them in which the agent gives value away.
    """

    ply: int
    positions: int
    checked: int
    mistakes: tuple[Mistake, ...]

    def row(self) -> JsonObject:
        """Return the counts as a row, with the share of mistakes and its interval of 95 %, if it is a sample."""
        count = len(self.mistakes)
        low, high = wilson_interval(count, self.checked)
        share = count / self.checked
        if self.checked == self.positions:
            low = high = share
        return {
            "ply": self.ply,
            "positions": self.positions,
            "checked": self.checked,
            "mistakes": count,
            "share": share,
            "share_low": low,
            "share_high": high,
        }


def mistakes_of(table: StateTable, per_ply: int = 100, *, seed: int = 0, threads: int = 1) -> list[PlyMistakes]:
    """Return the mistakes of an agent among its positions, ply by ply.

    Parameters
    ----------
    table
        The states of Connect 4 with four in a row that can arise against the agent.
    per_ply
        Positions of each ply that are labelled; at most EARLY_POSITIONS while they take long.
    seed
        Seed of the samples.
    threads
        Threads of the solver.

    Raises
    ------
    UsageError
        If the solver does not support the game.

    Examples
    --------
    >>> from ttt_fast import induced_table
    >>> found = mistakes_of(induced_table("centre-first", "x", game="connect4:columns=4,rows=4").table, 1000)
    >>> sum(one.checked for one in found), sum(len(one.mistakes) for one in found)
    (574, 30)
    """
    size, found = board_size(table.game), []
    solver, stored = Solver(size, threads=threads), stored_plies(size)

    def most(ply: int) -> int:
        is_slow = size.cells - ply > QUICK_CELLS and ply >= stored
        return min(per_ply, EARLY_POSITIONS) if is_slow else per_ply

    assert table.fixed is not None
    random, positions = np.random.default_rng(seed), table.player == table.fixed.seat
    for ply in range(table.num_plies):
        own = table.ply_start[ply] + np.flatnonzero(positions[slice(*table.ply_start[ply : ply + 2])])
        if own.size:
            chosen = np.sort(random.permutation(own.size)[: most(ply)])
            wrong = _mistakes_in(table, own[chosen], solver)
            found.append(PlyMistakes(ply, int(own.size), int(chosen.size), tuple(wrong)))
        check_interrupt()
        report_progress("positions labelled by the solver", ply + 1, table.num_plies, "plies")
    return found


def _mistakes_in(table: StateTable, places: NDArray[np.integer], solver: Solver) -> list[Mistake]:
    """Return the mistakes among some positions of the agent's seat."""
    states = [table.state(int(place)) for place in places]
    moves = [table.edge_action[slice(*table.edge_start[place : place + 2])].tolist() for place in places]
    children = [[api.play(state, action) for action in of] for state, of in zip(states, moves, strict=True)]
    after = iter(solved_values([child for of in children for child in of], solver))
    values = [[-next(after) for _ in of] for of in children]  # for the agent
    doubtful = [place for place, of in enumerate(values) if min(of) < 1]
    before = dict(zip(doubtful, solved_values([states[place] for place in doubtful], solver), strict=True))
    return [
        Mistake(
            states[place],
            tuple(action for action, value in zip(moves[place], values[place], strict=True) if value < best),
            best,
            min(values[place]),
        )
        for place, best in before.items()
        if min(values[place]) < best
    ]


def solved_values(
    states: list[GameState], solver: Solver, on_progress: Callable[[int, int], None] | None = None
) -> list[int]:
    """Return the value of each state for the player to move, or who would move if the game were not over."""
    found, open_places = [0] * len(states), []
    for place, state in enumerate(states):
        status = api.status(state)
        if status == api.ONGOING:
            open_places.append(place)
        else:
            found[place] = 1 - result_of(status, int(Seat.X if api.ply(state) % 2 == 0 else Seat.O))
    words = np.array([words_of(states[place]) for place in open_places], np.uint64).reshape(-1, 2)
    solved = solver.scores(words, weak=True, on_progress=on_progress)
    for place, score in zip(open_places, solved.scores.tolist(), strict=True):
        found[place] = score
    return found
