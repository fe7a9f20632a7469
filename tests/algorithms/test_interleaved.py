"""Several episodes in turn: the tables of a plain reference, bit for bit, and the values to which they converge."""

from itertools import islice

import learn_reference
import numpy as np
import pytest
from training_checks import BOARDS, INDEX, TABLE, bits, check_resumed

import reference
from conftest import random_policy
from pairwise import covering
from ttt_fast import TrainingConfig, as_policy, train
from ttt_fast.algorithms.tabular import record as tabular
from ttt_fast.kernels import chunk_stream

LANES = 32
"""Episodes in turn: a part of the draws."""
SEATS = {"x": {"seat": 1}, "o": {"seat": 2}, "alternating": {"seat": 3}, "self": {"opponent": "self"}}
SETTINGS = [
    {"step_size": "0.1", "epsilon": "0.1"},
    {"step_size": "0.5", "epsilon": "linear:1,0.1", "discount": 0.9, "initial_q": 0.6, "draw_reward": 0.5},
    {"step_size": "geometric:0.8,0.01", "epsilon": "1", "win_reward": 3.0, "loss_reward": -0.25},
    {"episodes": LANES + 1},
    {"episodes": 2},
]


class Episode:
    """An episode under way: the board, and the last move of each seat that learns."""

    def __init__(self, number):
        self.number, self.board, self.last = number, reference.START, {}


class PlainLearner:
    """Dictionaries keyed by boards; a turn of every episode, then a move of every episode."""

    def __init__(self, config, opponent):
        self.config, self.opponent = config, opponent
        self.q, self.results = {}, [0, 0, 0]

    def value(self, board, action):
        return self.q.get((board, action), self.config.settings.initial_q)

    def update(self, move, target, alpha):
        self.q[move] = self.value(*move) + alpha * (target - self.value(*move))

    def drawn(self, board, x):
        """The opponent's move: the first whose running sum exceeds the fraction."""
        chances = self.opponent(board)
        row = {action: chances[action] for action in reference.legal_actions(board)}
        total = 0.0
        for action, chance in row.items():
            total += chance
            if total > x * 2.0**-40 and chance > 0:
                return action
        return max(action for action, chance in row.items() if chance > 0)

    def choose(self, episode, word, seat, alpha, epsilon):
        board, x = episode.board, word >> 24
        legal = reference.legal_actions(board)
        ranked = legal[learn_reference.pick(x, len(legal))[0]]
        mover = reference.mover(board)
        if seat not in (0, mover):
            return ranked if self.opponent == "uniform" else self.drawn(board, x)
        best = max(self.value(board, action) for action in legal)
        if mover in episode.last:
            self.update(episode.last[mover], self.config.settings.discount * best, alpha)
        action = next(action for action in legal if self.value(board, action) == best)
        if (word & learn_reference.MASK_24) < round(epsilon * 2**24):
            action = ranked
        episode.last[mover] = board, action
        return action

    def learn(self, chunk):
        config = self.config
        first, end = (min(one * config.chunk_episodes, config.episodes) for one in (chunk, chunk + 1))
        alphas = config.settings.step_size.values(first, end - first, config.episodes).tolist()
        epsilons = config.settings.epsilon.values(first, end - first, config.episodes).tolist()
        words = learn_reference.words(int(chunk_stream(config.seed, chunk)))
        waiting = iter(range(end - first))
        lanes = [Episode(number) for number in islice(waiting, LANES)]
        while any(lanes):
            for lane, episode in enumerate(lanes):
                if episode and reference.is_over(episode.board):
                    winner = reference.winner(episode.board)
                    self.results[{1: 0, 0: 1, 2: 2}[winner]] += 1
                    for seat, move in sorted(episode.last.items()):
                        rewards = config.settings.rewards.tolist()
                        self.update(move, rewards[0 if winner == seat else 2 if winner else 1], alphas[episode.number])
                    number = next(waiting, None)
                    lanes[lane] = None if number is None else Episode(number)
            for episode in filter(None, lanes):
                seat = 0 if config.is_self_play else config.seat
                seat = 1 + (first + episode.number) % 2 if seat == 3 else seat
                number = episode.number
                action = self.choose(episode, next(words), seat, alphas[number], epsilons[number])
                episode.board = reference.after(episode.board, action)


NUMBERS = range(len(SETTINGS))
CASES = covering(["x", "o", "alternating"], ["random", "rows", "best-response:random", "default"], NUMBERS)


@pytest.fixture
def tables_are_large(monkeypatch):
    monkeypatch.setattr(tabular, "CACHED_STATES", 10)
    monkeypatch.setattr("ttt_fast.tables.state_table.NARROW_STATES", 10)


@pytest.mark.parametrize(("seat", "opponent", "number"), [*CASES, *(("self", "random", number) for number in NUMBERS)])
def test_it_learns_what_the_plain_reference_learns(tables_are_large, seat, opponent, number):
    policy = random_policy(5) if opponent == "rows" else as_policy(opponent)
    rival = policy.signature if opponent == "rows" else opponent
    usual = {"opponent": rival, "episodes": 450, "chunk_episodes": 200, "seed": 17 + number}
    config = TrainingConfig(**usual | SETTINGS[number] | SEATS[seat])
    rows = policy.probabilities.tolist()
    plain = PlainLearner(config, "uniform" if opponent == "random" else lambda board: rows[INDEX[board]])
    for chunk in range(config.num_chunks):
        plain.learn(chunk)
    run = train(config, [] if config.is_self_play else policy)
    own = np.isin(TABLE.player, config.seats)[TABLE.edge_state]
    keys = [(BOARDS[state], int(action)) for state, action in zip(TABLE.edge_state, TABLE.edge_action, strict=True)]
    first = config.settings.initial_q
    expected = [plain.q.get(key, first) if mine else 0.0 for key, mine in zip(keys, own, strict=True)]
    assert run.values.q.tolist() == expected
    assert run.values.updates.tolist() == [int(key in plain.q) for key in keys]
    assert run.counts.tolist() == (plain.results[::-1] if config.seats == (2,) else plain.results)
    assert run.counts.sum() == config.episodes


def test_only_q_learning_over_tables_of_more_than_a_million_states_takes_it(monkeypatch):
    config = TrainingConfig(game="connect4:columns=4,rows=4,length=3", episodes=1000)
    others = ({"algorithm": "sarsa"}, {"tie": "random"}, {"step_size": "visits"}, {"random_opening": True})
    plain = [bits(train(config.replace(**other))) for other in ({}, *others)]
    monkeypatch.setattr(tabular, "CACHED_STATES", 40_000)
    assert bits(train(config)) != plain[0]
    assert [bits(train(config.replace(**other))) for other in others] == plain[1:]


def test_interrupted_and_resumed_it_ends_in_the_same_bits(tables_are_large, tmp_path):
    config = TrainingConfig("random@0.3>default", episodes=5000, chunk_episodes=700, evaluations=4)
    for chunks in (1, 3):
        check_resumed(config, tmp_path / "q.npz", chunks)
