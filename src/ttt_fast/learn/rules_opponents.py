"""The opponents of a learner on a game without a table of states: those that its kernels play, and other players."""

from collections.abc import Sequence

import numpy as np

from ttt_fast.agents.convert import as_player
from ttt_fast.agents.registry import agent_of
from ttt_fast.agents.spec import AgentSpec
from ttt_fast.core.errors import AgentError
from ttt_fast.games import api
from ttt_fast.games.game import Game
from ttt_fast.learn.dynamics import DEFAULT, NO_OPPONENT, PYTHON_PLAYER, RANDOM, RulesDynamics
from ttt_fast.tables import table_hint


def rules_dynamics(game: Game, opponents: Sequence[AgentSpec], any_player: bool = False) -> list[RulesDynamics]:
    """Return the dynamics with each opponent; in self-play a single one, without an opponent.

    Parameters
    ----------
    game, opponents
        The game, and the agents.
    any_player
        Whether opponents may be players that no kernel can play, WALKED.

    Raises
    ------
    AgentError
        If an opponent is not a player, or no kernel can play it without a table.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> from ttt_fast.agents.spec import parse_agent
    >>> opponents = [parse_agent("random"), parse_agent("default")]
    >>> [dynamics.opponent for dynamics in rules_dynamics(parse_game("connect4"), opponents)]
    [1, 2]
    """
    actions, plies = game.num_actions, int(api.max_plies(game.initial_state))
    codes = [_code_of(spec, game, any_player) for spec in opponents] or [NO_OPPONENT]
    return [RulesDynamics(actions, plies, game.initial_state, code, np.zeros(actions, np.uint8)) for code in codes]


def _code_of(spec: AgentSpec, game: Game, any_player: bool) -> int:
    """Return the code of an opponent."""
    if spec.name in ("random", "default") and spec.origin == "built in":
        options = agent_of(spec, game)[1]
        if options == ({"frozen": None} if spec.name == "random" else {"skill": 1}):
            return RANDOM if spec.name == "random" else DEFAULT
    if any_player:
        as_player(spec, game)  # raises AgentError
        return PYTHON_PLAYER
    raise AgentError(
        f"expected self, random or default as the opponent on {game.spec}, got {spec.text!r}: without a table of states"
        f" the learner's kernel plays no other{table_hint(game)}"
    )
