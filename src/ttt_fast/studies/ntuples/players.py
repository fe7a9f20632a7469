"""Players of Connect 4 without or with search, judged by solved positions and by games against perfect play."""

from typing import Any

import numpy as np

from ttt_fast import as_player, parse_game
from ttt_fast.evaluate.kept_moves import judged_positions
from ttt_fast.games import api
from ttt_fast.kernels import chunk_stream
from ttt_fast.studies.engine.games import StudyKey
from ttt_fast.studies.engine.shipped import text_of

_GAME = parse_game("connect4")


def kept(agent: str) -> dict[str, Any]:
    """Return, for each judged position, whether an agent keeps its value, by a piece of work.

    Returns
    -------
    dict
        `source` and `keeps`, one for each position.
    """
    with text_of(agent) as text:
        player = as_player(text, _GAME)
    player.begin(np.uint64(0))
    positions = judged_positions()
    return {
        "source": np.array([one.source for one in positions]),
        "keeps": np.array([player.search(one.state).action in one.keeping for one in positions]),
    }


def first_games(agent: str, opening: str, games: int) -> dict[str, Any]:
    """Return games of an agent as first mover against a perfect player that draws among its best moves.

    Parameters
    ----------
    agent
        Its text.
    opening
        The first plies of every game.
    games
        Their number.

    Returns
    -------
    dict
        `moves` and `status`, one for each distinct game.
    """
    with text_of(agent) as text:
        players = as_player(text, _GAME), as_player("solver:tie=random", _GAME)
    found = dict[str, int]()
    for number in range(games):
        for side, player in enumerate(players):
            player.begin(chunk_stream(0, StudyKey.FIRST_MOVERS, number, side))
        state: Any = _GAME.state_after(opening)
        actions = _GAME.parse_moves(opening)
        while api.status(state) == api.ONGOING:
            actions = [*actions, players[api.player(state) - 1].search(state).action]
            state = api.play(state, actions[-1])
        found[_GAME.format_moves(actions)] = int(api.status(state))
    return {"moves": np.array(list(found)), "status": np.array(list(found.values()), np.int64)}
