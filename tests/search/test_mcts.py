"""The search against the plain one from the same random words; what it proves, what it plays."""

import numpy as np
import pytest

import mcts_reference
from conftest import random_states
from small_evaluators import tuple_values
from ttt_fast import parse_game
from ttt_fast.games import api
from ttt_fast.search import rollouts
from ttt_fast.search.mcts import MctsConfig, MctsPlayer
from ttt_fast.search.ultimate.playout import play_out


def some_states(spec, count, seed):
    """Ongoing states of random games, by ply."""
    first = parse_game(spec).initial_state
    return random_states([first], count, seed, api.max_plies(first))


def check_moves(config, states, evaluator=None, leaf=None):
    """Three moves of a game from each state, with the last legal action of the other player between them."""
    for seed, state in enumerate(states):
        player = MctsPlayer("mcts", config, evaluator)
        player.begin(np.uint64(seed))
        careful, is_all = config.rollout == "win-or-block", config.expand != "one" and leaf is not None
        plain = mcts_reference.Search(state, seed, config.c, config.formula, careful, config.solver, leaf, is_all)
        for _ in range(3):
            action = mcts_reference.assert_same_search(player, plain, state)
            answered = api.play(state, action)
            reply = max(api.legal_actions(answered), default=0)
            state = api.play(answered, reply) if api.status(answered) == api.ONGOING else answered
            if api.status(state) != api.ONGOING:
                break
            if config.reuse:
                plain.move_on(state, action, reply)
            else:
                plain.move_on(state)


CONFIGS = [
    MctsConfig(sims=700),
    MctsConfig(sims=500, c=0.5, solver=True, reuse=True),
    MctsConfig(sims=500, formula="log-ratio"),
    MctsConfig(sims=300, c=0.25, rollout="win-or-block", solver=True),
    MctsConfig(sims=200, c=0.25, rollout="win-or-block", reuse=True),
]


@pytest.mark.parametrize("config", CONFIGS, ids=range(len(CONFIGS)))
@pytest.mark.parametrize(
    "spec", ["tic-tac-toe", "tic-tac-toe:misere=yes", "connect4", "connect4:columns=4,rows=4,length=3"]
)
def test_it_is_the_plain_search_bit_for_bit(spec, config):
    check_moves(config, some_states(spec, 3, seed=1))


@pytest.mark.slow
@pytest.mark.parametrize("config", CONFIGS[:2], ids=range(2))
def test_ultimate_is_searched_as_the_plain_search_would(config, monkeypatch):
    """Its own rollout is called by both; everything else is plain."""

    def play_out_from_words(self, state):
        result, stream = play_out(state, np.uint64(self.words.stream), rollouts.rollout_evaluator())
        self.words.stream = int(stream)
        return result

    monkeypatch.setattr(mcts_reference.Search, "play_out", play_out_from_words)
    check_moves(config, some_states("ultimate", 3, seed=2))


@pytest.mark.parametrize("config", [{"solver": True}, {"reuse": True}, {"formula": "log-ratio"}])
@pytest.mark.parametrize("expand", ["one", "all"])
def test_with_an_evaluator_it_is_the_plain_search_bit_for_bit(expand, config):
    spec = "connect4:columns=4,rows=4,length=3"
    values, config = tuple_values(spec), MctsConfig(sims=300, c=0.5, expand=expand, **config)
    check_moves(config, some_states(spec, 8, seed=1), values.evaluator(), values.value)


def test_proved_values_are_the_minimax_values(table, solution):
    """Decision states of tic-tac-toe with at most five free cells, and what a search of each proves."""
    player = MctsPlayer("mcts", MctsConfig(sims=100_000, c=0.5, solver=True))
    decisions = np.flatnonzero(table.status == 0)
    for index in decisions[table.ply[decisions] >= 4][::5]:
        player.begin(np.uint64(index))
        result = player.search(table.state(index))
        assert result.value == solution.value[index] * (1 if table.player[index] == 1 else -1), table.board(index)
        assert solution.value[table.child[index, result.action]] == solution.value[index] and result.nodes < 100_000
