"""Games as plain Python functions, and what is true of them by recursion over these; nothing from the package."""

from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple


class Functions(NamedTuple):
    """The functions that `table_from_functions` asks for; `player` is always there."""

    initial: Any
    legal_actions: Any
    play: Any
    result: Any
    player: Any


MATCHES = Functions(  # a heap of seven, one to three are taken, who takes the last wins
    (7, 1),
    lambda state: range(1, min(3, state[0]) + 1),
    lambda state, taken: (state[0] - taken, 3 - state[1]),
    lambda state: None if state[0] else (1 if state[1] == 2 else -1),
    lambda state: state[1],
)
AGAIN = Functions(  # a heap of eight: who takes three moves again; the last match loses, and ends in a draw from one
    (8, 1),
    lambda state: [one for one in (3, 1, 2) if one <= state[0]],
    lambda state, taken: (state[0] - taken, state[1] if taken == 3 else 3 - state[1], state[0] == 1),
    lambda state: None if state[0] else (0 if state[2] else (1 if state[1] == 1 else -1)),
    lambda state: state[1],
)
GAMES = {"matches": MATCHES, "again": AGAIN}


def value(game: Functions, state: Any) -> int:
    """The value for X under best play."""
    end = game.result(state)
    if end is not None:
        return end
    best = max if game.player(state) == 1 else min
    return best(value(game, game.play(state, action)) for action in game.legal_actions(state))


def num_states(game: Functions) -> int:
    """The number of pairs of a state and the plies before it."""
    level, found = {game.initial}, 0
    while level:
        found += len(level)
        ongoing = [state for state in level if game.result(state) is None]
        level = {game.play(state, action) for state in ongoing for action in game.legal_actions(state)}
    return found


def action_values(game: Functions, discount: Fraction) -> Any:
    """Q(state, action) for its mover against a random player: the discount counts the mover's own decisions."""

    @cache
    def after(state: Any, seat: int) -> Fraction:
        end = game.result(state)
        if end is not None:
            return Fraction(end if seat == 1 else -end)
        parts = [after(game.play(state, action), seat) for action in game.legal_actions(state)]
        return discount * max(parts) if game.player(state) == seat else sum(parts) / len(parts)

    return lambda state, action: after(game.play(state, action), game.player(state))
