"""Perft: the number of lines of play of a given length, the usual test of a move generator."""

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.checks import whole_number
from ttt_fast.core.jit import kernel
from ttt_fast.core.manifest import available_cores
from ttt_fast.games import api
from ttt_fast.games.api import GameState
from ttt_fast.games.game import Game
from ttt_fast.games.registry import parse_game
from ttt_fast.running.executors import run_chunks
from ttt_fast.running.interrupts import StopRequest, stop_between_chunks

STEPS_AT_ONCE = 1 << 22
"""Steps between two checks of Ctrl-C: one or two tenths of a second."""
_WARM_DEPTHS = (2, 4)  # compile and load what is timed afterwards


@kernel
def _count_lines(
    root: api.State,
    depth: int,
    budget: int,
    level: int,
    states: NDArray[np.int64],
    actions: NDArray[np.uint8],
    waiting: NDArray[np.int64],
) -> tuple[int, int]:
    """Return the number of lines of `depth` plies, at least 2, found in `budget` steps, and the level for continuing.

    Level d of the work arrays contains the state after d plies from the root, its legal actions, and the number of
    remaining ones.  The level is -1 at the start and at the end.  The last ply is not played; its legal actions are
    only counted.
    """
    lines = 0
    if level < 0:
        level = 0
        api.store_state(root, states, 0)
        waiting[0] = api.fill_legal_actions(root, actions[0])
    here = api.load_state(root, states, level)
    for _ in range(budget):
        if waiting[level] == 0:
            level -= 1
            if level < 0:
                return lines, level
            here = api.load_state(root, states, level)
            continue
        waiting[level] -= 1
        child = api.play(here, actions[level, waiting[level]])
        if api.status(child) != api.ONGOING:
            continue
        if level + 2 == depth:
            lines += api.num_legal_actions(child)
            continue
        level += 1
        here = child
        api.store_state(child, states, level)
        waiting[level] = api.fill_legal_actions(child, actions[level])
    return lines, level


def _count(state: GameState, depth: int, stop: StopRequest) -> int:
    """Return the number of lines of `depth` plies from any state, or an arbitrary number if a stop is requested."""
    if depth < 2 or api.status(state) != api.ONGOING:
        return len(api.legal_actions(state)) ** depth  # type: ignore[no-any-return]  # no action after the end
    levels = min(depth, api.max_plies(state) + 1)  # no game is longer
    states, actions = np.empty((levels, len(state)), np.int64), np.empty((levels, api.num_actions(state)), np.uint8)
    waiting, lines, level = np.empty(levels, np.int64), 0, -1
    while True:
        found, level = _count_lines(state, depth, STEPS_AT_ONCE, level, states, actions, waiting)
        lines += found
        if level < 0 or stop.requested:
            return lines


def perft_by_action(
    state: GameState,
    depth: int,
    threads: int | None = None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[int, int]:
    """Return the number of lines of `depth` plies that begin with each legal action.

    Parameters
    ----------
    state
        Start of the lines: a state of any game.
    depth
        Plies, at least 1.
    threads
        Threads that share the work (default: all cores); never changes a count.
    on_progress
        Called with the number of counted subtrees and the number of all subtrees.

    Raises
    ------
    UsageError
        If the depth is less than 1.
    RunInterrupted
        Shortly after Ctrl-C (in the main thread).

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> perft_by_action(parse_game("connect4:columns=3,rows=2,length=2").initial_state, 4)
    {0: 7, 1: 0, 2: 7}
    """
    depth = whole_number(depth, "depth", 1)
    threads = available_cores() if threads is None else whole_number(threads, "threads", 1)
    lines = dict.fromkeys(api.legal_actions(state), 0)
    subtrees, left = [(action, api.play(state, action)) for action in lines], depth - 1
    if depth > 3:  # threads share the subtrees: there are then enough of them, and they are not too small
        subtrees = [(first, api.play(here, action)) for first, here in subtrees for action in api.legal_actions(here)]
        left -= 1
    with stop_between_chunks() as stop:
        counts = run_chunks(lambda index: _count(subtrees[index][1], left, stop), 0, len(subtrees), threads)
        for done, ((first, _), found) in enumerate(zip(subtrees, counts, strict=True), 1):
            if stop.requested:
                break
            lines[first] += found
            on_progress(done, len(subtrees))
    return lines


def perft(state: GameState | Game | str, depth: int, threads: int | None = None) -> int:
    """Return the number of lines of play of `depth` plies; a line ends when its game ends.

    Parameters
    ----------
    state
        The first state of the lines: a state, or a game or its name for the initial state.
    depth
        Plies, 0 or more.
    threads
        Threads that share the work (default: all cores); never changes the count.

    Raises
    ------
    UsageError
        If the depth is negative.

    Examples
    --------
    >>> perft("tic-tac-toe", 5), perft(parse_game("connect4").state_after("4444"), 1)
    (15120, 7)
    """
    if isinstance(state, Game | str):
        state = (parse_game(state) if isinstance(state, str) else state).initial_state
    if depth == 0:
        return 1
    return sum(perft_by_action(state, depth, threads).values())


def perft_rows(
    game: Game,
    start: GameState,
    depth: int,
    threads: int | None = None,
    *,
    by_action: bool = False,
    on_progress: Callable[[int, int, int], None] = lambda depth, done, total: None,
) -> Iterator[dict[str, Any]]:
    """Yield the counts of lines of 1 to `depth` plies as rows, until no line is left, or those by first action.

    Parameters
    ----------
    game, start, depth, threads
        A game and one of its states; the others as for `perft_by_action`.
    by_action
        Whether to yield only rows of `depth` plies, with `move` and `leaves` for each first action.
    on_progress
        Called with the plies, the number of subtrees counted and of all subtrees.

    Examples
    --------
    >>> game = parse_game("tic-tac-toe")
    >>> [row["leaves"] for row in perft_rows(game, game.initial_state, 3)]
    [9, 72, 504]
    """
    if by_action:
        lines = perft_by_action(start, depth, threads, partial(on_progress, depth))
        yield from ({"move": game.format_moves([action]), "leaves": count} for action, count in lines.items())
        return
    for plies in _WARM_DEPTHS:
        perft(start, plies, threads)
    for plies in range(1, depth + 1):
        began = time.perf_counter()
        leaves = sum(perft_by_action(start, plies, threads, partial(on_progress, plies)).values())
        seconds = time.perf_counter() - began
        rate = leaves / seconds
        yield {"game": game.spec, "depth": plies, "leaves": leaves, "seconds": seconds, "leaves_per_second": rate}
        if not leaves:
            return
