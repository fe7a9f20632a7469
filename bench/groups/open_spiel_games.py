"""OpenSpiel's C++ playouts and search of Connect 4 and Ultimate, as candidates and as an opponent.

On a free move of Ultimate it takes two actions, a board and then a cell of it, both by the same player; and its
results lie in [-1, 1], ours in [0, 1], so that its c is twice ours.
"""

from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from random_games import play_random_games
from ttt_fast.core.rng import chunk_stream
from ttt_fast.games import api
from ttt_fast.games.api import GameState
from ttt_fast.games.registry import parse_game
from ttt_fast.games.ultimate import rules as ultimate
from ttt_fast.running.timing import Candidate
from ttt_fast.search.player import Player

PEER_NAMES = {"connect4": "connect_four", "ultimate": "ultimate_tic_tac_toe"}
PEER_C = 2 * sqrt(2)
"""Our sqrt(2), on its scale."""
_PLAYOUTS = 20_000
_MEGABYTES = 1000


class Position(NamedTuple):
    """The same position in both programs."""

    game: str
    ours: GameState
    theirs: Any


def random_actions(game: str, plies: int, seed: int = 0) -> list[int]:
    """Return random moves to an ongoing position, of the first of the streams of `seed` that lead to one."""
    attempt = 0
    while True:
        state, actions = parse_game(game).initial_state, []
        for ply in range(plies):
            if api.status(state) == api.ONGOING:
                actions.append(int(api.random_action(state, chunk_stream(seed, plies, attempt, ply))))
                state = api.play(state, actions[-1])
        if api.status(state) == api.ONGOING:
            return actions
        attempt += 1


def random_state(game: str, plies: int, seed: int = 0) -> GameState:
    """Return the position after random moves in our program, which needs no other."""
    state = parse_game(game).initial_state
    for action in random_actions(game, plies, seed):
        state = api.play(state, action)
    return state


def random_position(game: str, plies: int, seed: int = 0) -> Position:
    """Return the position after random moves in both programs."""
    import pyspiel

    start = pyspiel.load_game(PEER_NAMES[game]).new_initial_state()
    position = Position(game, parse_game(game).initial_state, start)
    for action in random_actions(game, plies, seed):
        position = played(position, action)
    return position


def played(position: Position, action: int) -> Position:
    """Return the position after one of our actions."""
    for step in peer_actions(position, action):
        position.theirs.apply_action(step)
    return position._replace(ours=api.play(position.ours, action))


def peer_actions(position: Position, action: int) -> tuple[int, ...]:
    """Return an action of ours as OpenSpiel spells it."""
    peer = parse_game(position.game).open_spiel
    assert peer is not None
    return peer.steps(position.ours, action)


def playouts(position: Position) -> Candidate:
    """Return the candidate that plays random games, all in one C++ call.

    `MCTSBot` with one simulation calls its evaluator once, on the root itself.
    """
    import pyspiel

    expected = play_random_games(position.ours, 100_000, seed=1, threads=1)
    score = (expected.x_wins - expected.o_wins) / 100_000
    seat = 1 if api.player(position.ours) == api.X else -1
    game = position.theirs.get_game()

    def run() -> None:
        evaluator = pyspiel.RandomRolloutEvaluator(_PLAYOUTS, 1)
        bot = pyspiel.MCTSBot(game, evaluator, PEER_C, 1, _MEGABYTES, False, 7, False)
        mean = seat * float(bot.mcts_search(position.theirs).total_reward)
        assert abs(mean - score) < 0.05, (mean, score)

    return Candidate("OpenSpiel C++ rollouts", "games", _PLAYOUTS, run)


def new_bot(position: Position, simulations: int, seed: int) -> Any:
    """Return OpenSpiel's search: UCT with one random playout a leaf."""
    import pyspiel

    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    return pyspiel.MCTSBot(position.theirs.get_game(), evaluator, PEER_C, simulations, _MEGABYTES, False, seed, False)


def search(position: Position, simulations: int) -> Candidate:
    """Return the candidate that searches from nothing."""
    bot = new_bot(position, simulations, 7)

    def run() -> None:
        assert bot.mcts_search(position.theirs).explore_count == simulations

    return Candidate("OpenSpiel C++ MCTSBot", "simulations", simulations, run)


def play_matches(player: Player, simulations: int, games: int) -> list[int]:
    """Return how many games of Ultimate a player of ours lost, drew and won against it, the seats in turn."""
    counts = [0, 0, 0]
    for number in range(games):
        seat = 1 + number % 2
        player.begin(chunk_stream(3, number))
        position = random_position("ultimate", 0)
        bot = new_bot(position, simulations, number)
        while not position.theirs.is_terminal():
            if api.player(position.ours) == seat:
                action = player.search(position.ours).action
            else:
                action = _action_of_peer(position, bot)
            position = played(position, action)
        result = api.status(position.ours)
        returns = position.theirs.returns()
        assert np.sign(returns[0]) == {api.DRAW: 0, api.X_WINS: 1, api.O_WINS: -1}[result]
        counts[1 if result == api.DRAW else 2 * (result == seat)] += 1
    return counts


def _action_of_peer(position: Position, bot: Any) -> int:
    """Return what it plays, as an action of ours; on a free move it searches twice."""
    state = position.theirs.clone()
    board = position.ours.target  # type: ignore[union-attr]
    if board == ultimate.ANYWHERE:
        board = bot.step(state)
        state.apply_action(board)
    return 9 * int(board) + int(bot.step(state))
