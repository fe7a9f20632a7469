"""Afterstate learning: the kernel is the plain program bit for bit; fixed points; runs, chunks and policies."""

import signal
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from learn_reference import MASK_24, words

import reference
from ttt_fast._rng import chunk_stream
from ttt_fast.errors import UsageError
from ttt_fast.evaluate.strength import exploitability
from ttt_fast.learn.afterstate import (
    REWARDS,
    REWARDS_AS_PUBLISHED,
    AfterstateConfig,
    AfterstateRun,
    train_afterstates,
)
from ttt_fast.learn.schedules import parse_schedule
from ttt_fast.policies.files import load_policy
from ttt_fast.tables import standard_table

TABLE = standard_table()
SMALL = AfterstateConfig(episodes=2500, chunk_episodes=1000, seed=5)
ORDERS = {"first": list(range(9)), "last": list(range(9))[::-1], "column-major": [0, 3, 6, 1, 4, 7, 2, 5, 8]}


class PlainLearner:
    """Seed 001's two learners as one would explain them: a dictionary a player, keyed by boards."""

    def __init__(self, config: AfterstateConfig) -> None:
        self.config = config
        self.values: dict[reference.Board, float] = {}
        self.counts = [0, 0, 0]

    def value(self, board: reference.Board) -> float:
        return self.values.get(board, self.config.initial_value)

    def update(self, boards: list[reference.Board], reward: float) -> None:
        """Appendix 9.2, `q_learning_update`."""
        for board in reversed(boards):
            old = self.value(board)
            self.values[board] = old + self.config.step_size * (self.config.discount * reward - old)
            reward = self.values[board]

    def chunk(self, epsilons: list[float], stream: int) -> None:
        word = words(stream)
        for epsilon in epsilons:
            board, seen = reference.START, ([], [])
            while not reference.is_over(board):
                drawn = next(word)
                legal = set(reference.legal_actions(board))
                afters = [reference.after(board, cell) for cell in ORDERS[self.config.tie] if cell in legal]
                if drawn & MASK_24 < round(epsilon * 2**24):
                    after = afters[(drawn >> 24) * len(afters) >> 40]
                else:
                    after = max(afters, key=self.value)  # the first of the best
                seen[reference.mover(board) - 1].append(after)
                board = after
            result = {1: 0, 0: 1, 2: 2}[reference.winner(board)]
            self.counts[result] += 1
            for rewards in self.config.rewards[result]:
                for boards, reward in zip(seen, rewards, strict=True):
                    self.update(boards, reward)


def plainly(config: AfterstateConfig) -> tuple[PlainLearner, np.ndarray, np.ndarray]:
    slow = PlainLearner(config)
    done = 0
    for chunk in range(config.num_chunks):
        games = min(config.chunk_episodes, config.episodes - done)
        epsilons = parse_schedule(config.epsilon).values(done, games, config.episodes)
        slow.chunk(epsilons.tolist(), int(chunk_stream(config.seed, chunk)))
        done += games
    values = np.full(TABLE.num_states, config.initial_value)
    values[0] = 0.0
    visited = np.zeros(TABLE.num_states, bool)
    for board, value in slow.values.items():
        state = TABLE.state_index(board)
        values[state], visited[state] = value, True
    return slow, values, visited


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"rewards": REWARDS_AS_PUBLISHED},
        {"rewards": REWARDS_AS_PUBLISHED, "tie": "first", "epsilon": "0.1"},
        {"tie": "column-major", "epsilon": "linear:1,0", "initial_value": 0.25},
        {"step_size": 1.0, "discount": 1.0, "epsilon": "0"},
        {"rewards": (((1, -0.5), (0.25, 0.125), (0, 1)), (), ((-1, 3),)), "epsilon": "1"},
    ],
)
def test_the_kernel_is_the_plain_program(changes):
    config = replace(SMALL, **changes)
    slow, values, visited = plainly(config)
    run = train_afterstates(config)
    assert np.array_equal(run.values, values)
    assert np.array_equal(run.visited, visited)
    assert run.counts.tolist() == slow.counts
    assert run.is_complete


def test_golden_hash():
    """The published learner after 100,000 games at the epsilon at which it spends nearly all of them."""
    run = train_afterstates(AfterstateConfig(100_000, seed=1, epsilon="0.3", rewards=REWARDS_AS_PUBLISHED))
    assert run.sha256() == "7163cd31ab9c4aa9ea2e2c8863ef91f465a8721d17cdc86d2b58e10bb14338b3"
    assert run.counts.tolist() == [46251, 37267, 16482]


def test_fixed_points_of_the_reward_bug():
    """Seed 001 prints its values: the greatest of X's is 0.42632, and X's and O's other extremes are -0.9 and 0.9."""
    turn = TABLE.ply % 2
    published = train_afterstates(AfterstateConfig(1_000_000, rewards=REWARDS_AS_PUBLISHED)).values
    x, o = published[turn == 1], published[turn == 0]
    assert (x.max(), o.min()) == pytest.approx((0.081 / 0.19, -0.081 / 0.19), abs=5e-6)
    assert (x.min(), o.max()) == pytest.approx((-0.9, 0.9), abs=5e-6)
    mended = train_afterstates(AfterstateConfig(1_000_000)).values
    assert (mended[turn == 1].max(), mended[turn == 0].min()) == pytest.approx((0.9, -0.9), abs=5e-6)


def test_a_won_board_is_worth_gamma_times_the_reward():
    """Gamma applies at the last step, too; after n updates (1 - alpha) ** n of the way is left."""
    run = train_afterstates(AfterstateConfig(200_000, epsilon="1"))
    won = TABLE.status == 1
    assert run.visited[TABLE.ply > 0].all()
    assert 0.89 < run.values[won].max() < 0.9 + 1e-12
    assert np.all(run.values[TABLE.status == 3] == 0.0)


def test_without_exploration_at_the_end_nobody_beats_it():
    run = train_afterstates(AfterstateConfig(3_000_000, epsilon="linear:0.9,0"))
    assert exploitability(run.policy()) == 0.0


# --- Runs.


def press_ctrl_c(chunks: int):
    calls = []

    def on_chunk(episodes, values):
        calls.append(episodes)
        if len(calls) == chunks:
            signal.raise_signal(signal.SIGINT)

    return on_chunk


def bits(run: AfterstateRun) -> tuple:
    return run.config, run.values.tobytes(), run.visited.tobytes(), run.chunks_done, run.counts.tolist()


def test_interrupted_and_resumed_is_uninterrupted():
    config = replace(SMALL, episodes=7300)
    half = train_afterstates(config, on_chunk=press_ctrl_c(3))
    assert (half.is_complete, half.episodes, int(half.counts.sum())) == (False, 3000, 3000)
    before = bits(half)
    assert bits(train_afterstates(config, resume=half)) == bits(train_afterstates(config))
    assert bits(half) == before


def test_a_run_of_other_settings_is_not_resumed():
    run = train_afterstates(SMALL)
    with pytest.raises(UsageError, match="same settings"):
        train_afterstates(replace(SMALL, seed=6), resume=run)


def test_seeds_and_chunks_matter_and_progress_is_told():
    told = []
    run = train_afterstates(SMALL, on_chunk=lambda episodes, values: told.append((episodes, values.size)))
    assert told == [(1000, 5478), (2000, 5478), (2500, 5478)]
    assert run.sha256() != train_afterstates(replace(SMALL, seed=6)).sha256()
    assert run.sha256() != train_afterstates(replace(SMALL, chunk_episodes=500)).sha256()


def test_no_games():
    run = train_afterstates(AfterstateConfig(episodes=0))
    assert run.is_complete
    assert not run.values.any()
    assert not run.visited.any()


@pytest.mark.parametrize(
    "changes",
    [
        {"episodes": -1},
        {"seed": -1},
        {"chunk_episodes": 0},
        {"step_size": 1.5},
        {"discount": float("nan")},
        {"epsilon": "linear:2,0"},
        {"epsilon": "visits"},
        {"epsilon": "no such"},
        {"rewards": REWARDS[:2]},
        {"rewards": (((1.0,),), (), ())},
        {"rewards": (((1.0, float("inf")),), (), ())},
        {"initial_value": float("inf")},
    ],
)
def test_settings_that_make_no_sense(changes):
    with pytest.raises(UsageError, match=r"^expected .* got [^\n]*$"):
        AfterstateConfig(**changes)


def test_ties_must_be_an_order():
    with pytest.raises(UsageError, match="tie rule"):
        AfterstateConfig(tie="uniform")


# --- Policies.


def test_a_policy_is_what_the_program_plays_from_its_pickle(tmp_path):
    """The bridge to the published files: `{'[1 0 0 ...]': value}` of one seat, ties to the last move."""
    import pickle

    run = train_afterstates(replace(SMALL, episodes=20_000))
    for seat, parity in (("x", 1), ("o", 0)):
        own = [state for state in range(TABLE.num_states) if run.visited[state] and TABLE.ply[state] % 2 == parity]
        names = {f"[{' '.join(map(str, TABLE.boards[state].tolist()))}]": float(run.values[state]) for state in own}
        path = tmp_path / f"policy-{seat}.pickle"
        path.write_bytes(pickle.dumps(names))
        loaded = load_policy(path)
        policy = run.policy(seats=seat)
        assert np.array_equal(loaded.weights, policy.weights)
        assert np.array_equal(loaded.held, policy.held)
        assert policy.seats_held() == seat


def test_the_exploring_policy_is_exact():
    run = train_afterstates(SMALL)
    policy = run.policy(epsilon=Fraction(9, 10))
    greedy = run.policy().probabilities
    legal = TABLE.legal_action_mask
    uniform = legal / np.maximum(legal.sum(axis=1), 1)[:, None]
    assert policy.is_exact
    assert np.allclose(policy.probabilities, 0.1 * greedy + 0.9 * uniform, rtol=0, atol=1e-15)


def test_an_unknown_seat_plays_the_last_free_cell():
    policy = train_afterstates(SMALL).policy(seats="x")
    for state in np.flatnonzero(TABLE.player == 2)[::50]:
        assert policy.probabilities[state, np.flatnonzero(TABLE.legal_action_mask[state])[-1]] == 1.0
    with pytest.raises(UsageError, match="seats"):
        train_afterstates(SMALL).policy(seats="ox")
