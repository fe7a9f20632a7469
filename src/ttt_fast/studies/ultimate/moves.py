"""The number of legal moves in games of Ultimate, and the wins that five steps with the complex reward miss."""

from typing import Any, Final

from ttt_fast.evaluators import AlphaBeta, SearchOptions
from ttt_fast.games import api
from ttt_fast.kernels import chunk_stream
from ttt_fast.studies.engine.games import StudyKey
from ttt_fast.studies.ultimate.matches import player_of
from ttt_fast.studies.ultimate.positions import GAME, random_positions

STEPS: Final = 5


def legal_counts(agent: str, games: int) -> dict[str, Any]:
    """Return the number of legal moves at each position of an agent's games against itself: a piece of work."""
    player, counts = player_of(agent, GAME), []
    for number in range(games):
        player.begin(chunk_stream(0, StudyKey.ULTIMATE_MOVES, number))
        state: Any = GAME.initial_state
        while api.status(state) == api.ONGOING:
            counts.append(len(api.legal_actions(state)))
            state = api.play(state, player.think(state).action)
    return {"counts": counts}


def missed(plies: int, deeper: int, count: int) -> dict[str, Any]:
    """Return how far wins within `deeper` plies, but not within STEPS, are missed: a piece of work.

    There is a value for each position with such a win: the share of the best moves after which a search of `deeper`
    plies no longer finds a win.  The best moves are those of the search with the complex reward, as printed: one ply
    per step, and true ties.
    """
    near, far = (AlphaBeta(GAME.initial_state, SearchOptions(depth)) for depth in (STEPS, deeper))
    chooser = AlphaBeta(GAME.initial_state, SearchOptions(STEPS, "complex"))
    shares = []
    for state in random_positions(count, plies):
        if far.search(state).value <= 0 or near.search(state).value > 0:
            continue
        values, chosen = far.action_values(state), chooser.best_actions(state)
        shares.append(sum(values[action] <= 0 for action in chosen) / len(chosen))
    return {"shares": shares}
