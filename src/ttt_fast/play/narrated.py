"""A game move by move, with the views of both agents on each move."""

from collections.abc import Iterator
from math import isnan, nan
from typing import NamedTuple

from ttt_fast.agents.convert import as_player
from ttt_fast.agents.simple_players import PolicyPlayer, seated
from ttt_fast.core.rng import chunk_stream
from ttt_fast.games import api
from ttt_fast.games.game import Game
from ttt_fast.running.interrupts import check_interrupt
from ttt_fast.search.player import MixedPlayer, Player, Thought, checked


class View(NamedTuple):
    """An agent's view of a move.

    Attributes
    ----------
    value
        Its value of the position before the move, for X, in its own units; nan if it has none.
    share
        The probability with which it plays the move: 0 or 1 where it does not tell; nan where a policy has not learned
        the seat that is to move.
    """

    value: float
    share: float


NO_VIEW = View(nan, nan)


class Move(NamedTuple):
    """A move of a game.

    Attributes
    ----------
    number
        Its place in the game, from 1.
    seat
        Who has made it, 1 (X) or 2 (O).
    action
        The move.
    before, after
        The states around it.
    x, o
        The views of both agents.
    """

    number: int
    seat: int
    action: int
    before: api.GameState
    after: api.GameState
    x: View = NO_VIEW
    o: View = NO_VIEW


def narrated_game(game: Game, x: str, o: str, start: api.GameState, seed: int = 0) -> Iterator[Move]:
    """Play a game between two agents, and yield each move when it is made.

    Whoever is not to move is asked, too: a second player of its kind, so that the game is played as without it.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> game = parse_game("tic-tac-toe")
    >>> first = next(narrated_game(game, "minimax:tie=first", "random", game.initial_state))
    >>> first.action, first.x.share, round(first.o.share, 3)
    (0, 1.0, 0.111)
    """
    playing, asked = ([as_player(spec, game) for spec in (x, o)] for _ in range(2))
    for side in (0, 1):
        seated(playing[side], side + 1)
        playing[side].begin(chunk_stream(seed, side))
        asked[side].begin(chunk_stream(seed, side, 1))
    state, number = start, 0
    while api.status(state) == api.ONGOING:
        check_interrupt()
        number, seat = number + 1, int(api.player(state))
        thoughts: list[Thought | None] = [None, None]
        mover = playing[seat - 1]
        thoughts[seat - 1] = thought = checked(mover.think(state), mover, state)
        views = [_view(asked[side], state, thought.action, thoughts[side]) for side in (0, 1)]
        after = api.play(state, thought.action)
        yield Move(number, seat, thought.action, state, after, *views)
        state = after


def recorded_game(actions: list[int], start: api.GameState) -> Iterator[Move]:
    """Yield the moves of a game that has been played, without views."""
    state = start
    for number, action in enumerate(actions, start=1):
        after = api.play(state, action)
        yield Move(number, int(api.player(state)), action, state, after)
        state = after


def _view(player: Player, state: api.GameState, action: int, thought: Thought | None) -> View:
    """Return the view of a player on a move; `thought` is what it has thought as the mover."""
    if isinstance(player, PolicyPlayer) and not player.knows(state):
        return NO_VIEW
    if isinstance(player, MixedPlayer):
        return View(nan, float(player.probabilities(state)[action]))
    found = checked(player.think(state), player, state) if thought is None else thought
    sign = 1 if api.player(state) == api.X else -1
    return View(nan if isnan(found.value) else sign * found.value, float(found.action == action))
