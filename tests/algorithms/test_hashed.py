"""Learning over a hash table: the kernels are a dictionary of positions, bit for bit."""

import afterstate_reference
import general_reference
import numpy as np
import pytest
from general_checks import rules_of
from hypothesis import given, settings, strategies as st
from training_checks import TABULAR, learn_plainly

from games_reference import GAMES
from pairwise import diagonal
from ttt_fast import TrainingConfig, train

SMALL = {
    "game": "connect4", "episodes": 40, "chunk_episodes": 15, "step_size": "0.3", "epsilon": "0.4", "seed": 3,
    "judges": "", "evaluations": 1,
}  # fmt: skip


class Position:
    """A position of a plain game: the same one whatever the moves that led to it."""

    def __init__(self, game, moves=()):
        self.game, self.moves, self.status = game, moves, game.status(moves)
        self.marks = frozenset(game.marks(moves).items())

    def __eq__(self, other):
        return self.marks == other.marks

    def __hash__(self):
        return hash(self.marks)


class PlainGame:
    """A game of `games_reference` with the functions of `reference`."""

    def __init__(self, spec):
        self.START = Position(GAMES[spec])

    def legal_actions(self, position):
        return position.game.legal(position.moves)

    def after(self, position, action):
        return Position(position.game, (*position.moves, action))

    def is_over(self, position):
        return position.status != 0

    def mover(self, position):
        return 1 + len(position.moves) % 2

    def winner(self, position):
        return position.status % 3


def key_of(game, position):
    """The key of a position: its stones laid down by hand, and a bit above each column."""
    marks, start = dict(position.marks), game.initial_state
    x, o = (
        sum(1 << column * (start.rows + 1) + row for (column, row), mark in marks.items() if mark == who)
        for who in (1, 2)
    )
    own = x if len(marks) % 2 == 0 else o
    return (x | o) + start.bottom + own


def chances_of(agent):
    """What the player `random` or `default` of Connect 4 does in a position: the chances of its actions."""

    def chances(position):
        me, legal = 1 + len(position.moves) % 2, position.game.legal(position.moves)
        urgent = [position.game.threats(position.moves, who)[:1] for who in (me, 3 - me) if agent == "default"]
        chosen = next(filter(None, urgent), legal)
        return [1 / len(chosen) if action in chosen else 0.0 for action in range(position.game.columns)]

    return chances


def assert_as_dictionary(config, passes=None, learners=(1, 2)):
    run, game = train(config), config.game
    rows, rivals = run.hashed.sorted_rows(), [chances_of(spec.text) for spec in config.opponent.agents]
    if config.by_board:
        rules = rules_of(config, afterstate_reference.Rules)
        rules = rules._replace(rewards=passes or rules.rewards, learners=learners)
        plain = afterstate_reference.AfterstateLearner(rules, None, PlainGame(game.spec))
        learn_plainly(plain, config, rivals=rivals)
        values = {key_of(game, position): [value] for position, value in plain.values.items()}
        visits = {key_of(game, position): [number] for position, number in plain.updates.items()}
    else:
        plain = general_reference.GeneralLearner(rules_of(config), None, PlainGame(game.spec))
        learn_plainly(plain, config, rivals=rivals)
        values, visits = {}, {}
        for (position, action), number in plain.updates.items():
            key = key_of(game, position)
            for table, known in enumerate(plain.tables):
                place = table * game.num_actions + action
                row = values.setdefault(key, [config.settings.initial_q] * game.num_actions * len(plain.tables))
                row[place] = plain.value(known, position, action)
            visits.setdefault(key, [0] * game.num_actions)[action] = number
        if not config.settings.step_size.by_visits:
            visits = {key: [sum(numbers)] for key, numbers in visits.items()}
    assert run.counts.tolist() == (plain.results[::-1] if config.seats == (2,) else plain.results)
    assert dict(zip(rows.keys.tolist(), rows.visits.tolist(), strict=True)) == visits
    assert dict(zip(rows.keys.tolist(), rows.values.tolist(), strict=True)) == values
    return run


PLACES = [
    {"discount": 0.9},
    {"tie": "random", "epsilon": "linear:1,0", "step_size": "visits:0.8", "random_opening": True, "draw_reward": 0.5},
    {"tie": "last", "step_size": "1", "epsilon": "0", "win_reward": 0.0, "loss_reward": 0.0},  # every value ties
    {"opponent": "random", "seat": 1, "tie": "last", "step_size": "visits"},
    {"opponent": "default", "seat": 2, "random_opening": True, "discount": 0.9},
    {"opponent": "random@0.4>default", "seat": 3, "tie": "random", "initial_q": 0.25},
]


@pytest.mark.parametrize(("algorithm", "place"), diagonal(TABULAR, PLACES))
def test_every_algorithm_is_a_dictionary(algorithm, place):
    assert_as_dictionary(TrainingConfig(**{**SMALL, "algorithm": algorithm, **place}))


def test_the_credit_of_sai_is_a_dictionary():
    """X alone learns at the end of a game, and a win is followed by a second update, with the rewards of a draw."""
    changes = {"game": "connect4:columns=6,rows=7", "algorithm": "afterstate", "credit": "sai", "discount": 0.9}
    config = TrainingConfig(**{**SMALL, **changes, "epsilon": "cumulative:0.9,1e-4,0.3", "tie": "last"})
    both = (1.0, 0.0), (-1.0, 0.0)
    passes = (*both, (0.0, 0.0), (0.0, 0.0)), ((0.0, 0.0),) * 2, both
    assert_as_dictionary(config, passes, learners=(1,))


@settings(max_examples=15)
@given(
    st.fixed_dictionaries(
        {
            "algorithm": st.sampled_from(["afterstate", "q", "sarsa", "double-q", "monte-carlo"]),
            "tie": st.sampled_from(["first", "last", "random"]),
            "step_size": st.sampled_from(["visits", "steps:1,0.9,100"]) | st.floats(0.001, 1).map(str),
            "epsilon": st.sampled_from(["cumulative:0.9,1e-3,0.3", "0", "1"]) | st.floats(0, 1).map(str),
            "discount": st.floats(0, 1),
            **dict.fromkeys(("win_reward", "draw_reward", "loss_reward", "initial_q"), st.floats(-3, 3)),
            "seed": st.integers(0, 2**70),
            "episodes": st.integers(0, 20),
            "chunk_episodes": st.integers(7, 30),
        }
    )
)
def test_any_settings_are_a_dictionary(values):
    assert_as_dictionary(TrainingConfig(**{**SMALL, **values}))


@pytest.mark.slow
def test_ultimate_is_learned_too():
    run = train(game="ultimate", algorithm="afterstate", episodes=300, step_size="0.1", judges="", evaluations=1)
    assert int(run.counts.sum()) == 300
    # the last board of every game is worth something, and no two games of this length are the same
    assert len(run.hashed) > 300 * 30
    assert np.count_nonzero(run.hashed.sorted_rows().values) >= 250


@pytest.mark.parametrize("algorithm", ["afterstate", "q"])
def test_a_table_that_has_grown_is_a_dictionary(algorithm):
    """From 1,024 slots; old and new arrays of the last doubling stand side by side."""
    config = TrainingConfig(**{**SMALL, "algorithm": algorithm, "episodes": 50, "chunk_episodes": 30})
    hashed = assert_as_dictionary(config).hashed
    assert hashed.capacity >= 1 << 11 and hashed.peak_bytes == 3 * hashed.memory_bytes // 2
