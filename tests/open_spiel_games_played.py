"""Games played in OpenSpiel by its own rules, for the tests of its agents; nothing from the adapters."""

from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.bots.uniform_random import UniformRandomBot

from ttt_fast.games import api
from ttt_fast.games.registry import parse_game

PEERS = {"tic-tac-toe": "tic_tac_toe", "connect4": "connect_four", "ultimate": "ultimate_tic_tac_toe"}
STATUS = {1.0: api.X_WINS, -1.0: api.O_WINS, 0.0: api.DRAW}


def uniform_bot(game: Any, player: int, seed: int) -> Any:
    """Written in Python."""
    return UniformRandomBot(player, np.random.RandomState(seed))


def search_bot(game: Any, player: int, seed: int) -> Any:
    """Written in C++, with a few simulations a move."""
    return pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(1, seed), 2.0, 10, 10, False, seed, False)


BOTS = {"uniform": uniform_bot, "search": search_bot}


def choice_of_board(state: Any) -> bool:
    """Whether OpenSpiel asks for a board of Ultimate, by its own words for the first of its legal actions."""
    return state.action_to_string(state.legal_actions()[0]).startswith("Choose local board")


def theirs_after(spec: str, actions: Any) -> Any:
    """OpenSpiel's state after actions of ours, each of which its rules must allow."""
    state = pyspiel.load_game(PEERS[spec]).new_initial_state()
    for action in actions:
        steps = [action]
        if spec == "ultimate":
            steps = [action // 9, action % 9] if choice_of_board(state) else [action % 9]
        for step in steps:
            assert step in state.legal_actions()
            state.apply_action(step)
    return state


def our_status(spec: str, actions: list[int]) -> int:
    """How a game stands after actions of ours, each of which our rules must allow."""
    game = parse_game(spec)
    state = game.initial_state
    for action in actions:
        assert action in game.legal_actions(state)
        state = api.play(state, action)
    return api.status(state)
