"""Learning over a hash table: the kernels are a dictionary, and on tic-tac-toe the tabular learners, bit for bit."""

import afterstate_reference
import general_reference
import numpy as np
import pytest
from general_checks import rules_of
from hypothesis import given, settings, strategies as st
from training_checks import learn_plainly

from games_reference import GAMES
from pairwise import corners
from ttt_fast import TrainingConfig, table_of
from ttt_fast.algorithms.api import SAI
from ttt_fast.algorithms.learner import first_values
from ttt_fast.algorithms.tabular.learners import empty_hash_table, passes_of
from ttt_fast.algorithms.tabular.record import TABULAR
from ttt_fast.learners import GeneralLearner
from ttt_fast.training.opponents import opponents_of

SMALL = {"episodes": 60, "chunk_episodes": 25, "step_size": "0.3", "epsilon": "0.4", "seed": 3}
SAI_SETTINGS = {
    "algorithm": "afterstate", "step_size": "0.1", "epsilon": "cumulative:0.9,1e-4,0.3", "discount": 0.9, "tie": "last"
}  # fmt: skip


def learned(config, capacity=1):
    """A finished learner."""
    learner = GeneralLearner(config, [], empty_hash_table(config, capacity), np.zeros(3, np.int64))
    learner.run_chunks(0, config.num_chunks)
    return learner


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
    """The key of a position: its marks laid down by hand, field by field."""
    marks, start = dict(position.marks), game.initial_state
    is_square = game.name == "tic-tac-toe"
    column = position.game.columns if is_square else start.rows + 1

    def bit_of(cell):
        return cell[0] * column + cell[1]

    x, o = (sum(1 << bit_of(cell) for cell, mark in marks.items() if mark == who) for who in (1, 2))
    own, other = (x, o) if len(marks) % 2 == 0 else (o, x)
    return other << game.num_actions | own if is_square else (own | other) + start.bottom + own


def assert_as_dictionary(config):
    learner, game = learned(config), config.game
    rows = learner.store.sorted_rows()
    if config.algorithm == "afterstate":
        rules = rules_of(config, afterstate_reference.Rules)._replace(rewards=passes_of(config.settings))
        rules = rules._replace(learners=(1,) if config.settings.credit == SAI else (1, 2))
        plain = learn_plainly(afterstate_reference.AfterstateLearner(rules, None, PlainGame(config.game.spec)), config)
        values = {key_of(game, position): [value] for position, value in plain.values.items()}
        visits = {key_of(game, position): [number] for position, number in plain.updates.items()}
    else:
        plain = general_reference.GeneralLearner(rules_of(config), None, PlainGame(config.game.spec))
        learn_plainly(plain, config)
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
    assert learner.counts.tolist() == plain.results
    assert dict(zip(rows.keys.tolist(), rows.visits.tolist(), strict=True)) == visits
    assert dict(zip(rows.keys.tolist(), rows.values.tolist(), strict=True)) == values


@pytest.mark.parametrize(
    ("game", "algorithm", "tie", "changes"),
    corners(
        ["tic-tac-toe", "connect4", "connect4:columns=4,rows=4,length=3"],
        ["afterstate", "q", "double-q", "expected-sarsa"],
        ["first", "last", "random"],
        [
            {"discount": 0.9},
            {"epsilon": "linear:1,0", "initial_q": 0.25, "draw_reward": 0.5, "step_size": "visits:0.8"},
            {"step_size": "1", "epsilon": "0", "win_reward": 0.0, "loss_reward": 0.0},  # every value ties
        ],
    ),
)
def test_every_corner_is_a_dictionary(game, algorithm, tie, changes):
    assert_as_dictionary(TrainingConfig("self", game=game, **{**SMALL, "algorithm": algorithm, "tie": tie, **changes}))


@pytest.mark.parametrize(
    "game", ["tic-tac-toe", "connect4:columns=6,rows=7", "tic-tac-toe:rows=5,columns=5,length=4,misere=yes"]
)
def test_the_credit_of_sai_is_a_dictionary(game):
    config = TrainingConfig("self", game=game, **{**SMALL, **SAI_SETTINGS}, credit=SAI)
    assert passes_of(config.settings)[0] == ((1.0, 0.0), (-1.0, 0.0), (0.0, 0.0), (0.0, 0.0))
    assert passes_of(config.settings)[2] == ((1.0, 0.0), (-1.0, 0.0))
    assert_as_dictionary(config)


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
            "episodes": st.integers(0, 60),
            "chunk_episodes": st.integers(7, 70),
        }
    ),
    st.sampled_from(["tic-tac-toe", "connect4:columns=4,rows=4,length=3"]),
)
def test_any_settings_are_a_dictionary(values, game):
    assert_as_dictionary(TrainingConfig("self", game=game, **values))


# --- In a table of states the same words are drawn: all algorithms, seats, openings and schedules.

BIG = {"episodes": 4_000, "chunk_episodes": 1_500, "epsilon": "linear:0.9,0.1", "discount": 0.9, "seed": 11}
PLACES = [
    {"opponent": "self"},
    {"opponent": "self", "random_opening": True, "tie": "random"},
    {"opponent": "random", "seat": 1, "tie": "last"},
    {"opponent": "default", "seat": 2, "random_opening": True},
    {"opponent": "random@0.4>default", "seat": 3, "tie": "random", "initial_q": 0.25},
]


@pytest.mark.parametrize(
    ("algorithm", "step_size", "place", "game"),
    corners(
        [record.name for record in TABULAR],
        ["0.1", "visits"],
        PLACES,
        ["tic-tac-toe", "tic-tac-toe:misere=yes", "connect4:columns=4,rows=4,length=3"],
        together=1,
    ),
)
def test_the_learners_of_both_worlds_have_the_same_bits(algorithm, step_size, place, game):
    config = TrainingConfig(game=game, algorithm=algorithm, **{**BIG, "step_size": step_size, **place})
    by_rules, opponents = learned(config), opponents_of(config)
    known = GeneralLearner(config, opponents, first_values(config), np.zeros(3, np.int64))
    known.run_chunks(0, config.num_chunks)
    table, rows = table_of(config.game), known.store.rows
    found = by_rules.store.look_up(table.key)[0]
    if algorithm == "afterstate":
        own = np.isin(table.player[table.edge_state], config.seats)
        after = table.edge_child[own]
        assert found[after, 0].tobytes() == rows.first[after].tobytes()
        assert len(by_rules.store) == np.count_nonzero(rows.updates)
    else:
        edges = np.isin(table.player[table.edge_state], config.seats)
        state, action = table.edge_state[edges], table.edge_action[edges]
        tables = found.reshape(table.num_states, -1, table.num_actions)
        for number, values in enumerate(known.values().tables):
            assert tables[state, number, action].tobytes() == values[edges].tobytes()
        held = np.add.reduceat(rows.updates, table.edge_start[:-1][table.decision_mask]) > 0
        assert len(by_rules.store) == np.count_nonzero(held)
    assert by_rules.counts.tolist() == known.counts.tolist()


def test_ultimate_is_learned_too():
    config = TrainingConfig(game="ultimate", algorithm="afterstate", episodes=300, step_size="0.1")
    learner = learned(config)
    assert int(learner.counts.sum()) == 300
    # the last board of every game is worth something, and no two games of this length are the same
    rows = learner.store.sorted_rows()
    assert len(learner.store) > 300 * 30
    assert np.count_nonzero(rows.values) >= 250


# --- Growth.


@pytest.mark.parametrize("algorithm", ["afterstate", "q"])
def test_the_capacity_at_the_start_changes_nothing(algorithm):
    config = TrainingConfig(
        game="connect4", **{**SMALL, "algorithm": algorithm, "episodes": 1500, "chunk_episodes": None}
    )
    small, large = learned(config), learned(config, 1 << 18)
    assert 1 << 13 < small.store.capacity < large.store.capacity == 1 << 18
    assert small.store.peak_bytes == 3 * small.store.memory_bytes // 2
    for one, other in zip(small.store.sorted_rows(), large.store.sorted_rows(), strict=True):
        assert one.tobytes() == other.tobytes()
    assert small.counts.tolist() == large.counts.tolist()
