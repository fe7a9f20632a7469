"""Afterstate learning: the kernel is the plain program bit for bit; fixed points; a full member of the family."""

import numpy as np
import pytest
from afterstate_reference import AfterstateLearner as PlainLearner, Rules
from hypothesis import given, settings, strategies as st
from training_checks import check_resumed

from conftest import random_policy
from pairwise import corners
from ttt_fast import agreement, exact_outcome, exploitability
from ttt_fast.agents.convert import as_policy
from ttt_fast.core.rng import chunk_stream
from ttt_fast.evaluate.exact_q import exact_q
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.initial_values import init_values
from ttt_fast.learn.learners import GeneralLearner, make_learner
from ttt_fast.learn.training import start_training, train
from ttt_fast.policies.files import load_policy
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import table_of
from ttt_fast.tables.state_table import boards_of

TABLE = table_of("tic-tac-toe")
INDEX = {tuple(board): state for state, board in enumerate(boards_of(TABLE).tolist())}
SMALL = TrainingConfig(
    "self", episodes=450, chunk_episodes=180, evaluations=3, seed=5, algorithm="afterstate", step_size="0.1"
)
SAI = SMALL.replace(epsilon="0.3", discount=0.9, tie="last", seed=1, episodes=100_000, chunk_episodes=100_000)
PUBLISHED = (((1.0, -1.0), (0.0, 0.0)), ((0.0, 0.0),), ((-1.0, 1.0),))
"""Sai's program: a win of X is followed by a second update, with the rewards of a draw."""


def policies(config: TrainingConfig) -> list[Policy]:
    return [
        random_policy(int(spec.name[5:])) if spec.name.startswith("rows-") else as_policy(spec)
        for _, spec in config.stages()
    ]


def passes_of(config: TrainingConfig):
    win, draw, loss = config.settings.win_reward, config.settings.draw_reward, config.settings.loss_reward
    return ((win, loss),), ((draw, draw),), ((loss, win),)


def assert_as_reference(config: TrainingConfig, passes=None) -> None:
    """The kernel and the plain program end in the same bits: values, numbers of updates, results."""
    rivals = policies(config)
    rows = [rival.probabilities.tolist() for rival in rivals]
    learner = GeneralLearner(config, rivals, init_values(config), np.zeros(3, np.int64), passes)
    slow = PlainLearner(
        Rules(
            seat=0 if config.is_self_play else config.seat,
            rewards=passes or passes_of(config),
            gamma=config.settings.discount,
            initial=config.settings.initial_q,
            tie=config.settings.tie,
            random_opening=config.random_opening,
            visit_power=config.settings.step_sizes.numbers[0] if config.settings.step_sizes.by_visits else 0.0,
        ),
        None,
    )
    for chunk in range(config.num_chunks):
        learner.run_chunks(chunk, chunk + 1)
        first, last = config.episodes_after(chunk), config.episodes_after(chunk + 1)
        if rivals:
            slow.slots.clear()
            stage = config.stage_of(chunk)
            slow.opponent = lambda board, row=rows[stage]: row[INDEX[board]]
        epsilons = config.settings.epsilons.values(first, last - first, config.episodes)
        by_visits = config.settings.step_sizes.by_visits
        alphas = epsilons if by_visits else config.settings.step_sizes.values(first, last - first, config.episodes)
        slow.chunk(alphas.tolist(), epsilons.tolist(), int(chunk_stream(config.seed, chunk)))
    own = np.isin(TABLE.ply % 2, [seat % 2 for seat in config.seats]) & (TABLE.ply > 0)
    values, updates = np.where(own, config.settings.initial_q, 0.0), np.zeros(TABLE.num_states, np.int64)
    for board, value in slow.values.items():
        values[INDEX[board]] = value
    for board, number in slow.updates.items():
        updates[INDEX[board]] = number
    assert np.array_equal(learner.store.rows.updates, updates)
    assert learner.store.rows.first.tobytes() == values.tobytes()
    assert learner.counts.tolist() == (slow.results[::-1] if config.seats == (2,) else slow.results)
    assert sum(slow.results) == config.episodes


@pytest.mark.parametrize(
    ("tie", "opening", "seat", "changes"),
    corners(
        ["first", "last", "random"],
        [False, True],
        [{}, {"opponent": "random"}, {"opponent": "rows-1", "seat": 2}, {"opponent": "heuribot", "seat": 3}],
        [
            {"discount": 0.9},
            {"epsilon": "linear:1,0", "initial_q": 0.25, "draw_reward": 0.5, "step_size": "visits:0.8"},
            {"step_size": "1", "epsilon": "0", "win_reward": 0.0, "loss_reward": 0.0},  # every value ties
        ],
    ),
)
def test_every_corner_is_the_plain_program(tie, opening, seat, changes):
    assert_as_reference(SMALL.replace(tie=tie, random_opening=opening, **seat, **changes))


@settings(max_examples=30)
@given(
    st.fixed_dictionaries(
        {
            "opponent": st.sampled_from(["self", "random", "rows-2", "rows-3@0.4>minimax"]),
            "seat": st.sampled_from([1, 2, 3]),
            "tie": st.sampled_from(["first", "last", "random"]),
            "random_opening": st.booleans(),
            "step_size": st.sampled_from(["visits", "steps:1,0.9,100"]) | st.floats(0.001, 1).map(str),
            "epsilon": st.sampled_from(["cumulative:0.9,1e-3,0.3", "0", "1"]) | st.floats(0, 1).map(str),
            "discount": st.floats(0, 1),
            **dict.fromkeys(("win_reward", "draw_reward", "loss_reward", "initial_q"), st.floats(-3, 3)),
            "seed": st.integers(0, 2**70),
            "episodes": st.integers(0, 80),
            "chunk_episodes": st.integers(7, 90),
        }
    )
)
def test_any_configuration_is_the_plain_program(values):
    values |= {"seat": 3} if values["opponent"] == "self" else {}
    assert_as_reference(TrainingConfig(algorithm="afterstate", **values))


@pytest.mark.parametrize("passes", [PUBLISHED, (((1, -0.5), (0.25, 0.125), (0, 1)), (), ((-1, 3),))])
def test_several_updates_at_the_end_of_a_game(passes):
    assert_as_reference(SMALL.replace(tie="last", discount=0.9), passes)


def values_after(config: TrainingConfig, passes=None) -> tuple[np.ndarray, np.ndarray]:
    """The values of the boards, and the results of the games, of self-play."""
    learner = GeneralLearner(config, [], init_values(config), np.zeros(3, np.int64), passes)
    for chunk in range(config.num_chunks):
        learner.run_chunks(chunk, chunk + 1)
    return learner.store.rows.first, learner.counts


def test_golden_hashes():
    """The draws are part of the contract: if one changes on purpose, say so in the changelog."""
    config = SMALL.replace(episodes=100_000, chunk_episodes=0, tie="random", epsilon="linear:1,0.1")
    assert train(start_training(config)).sha256() == (
        "85bb2237db81f55ea4182b00db10a1269d8a808b0c9007f465954f6b47e45890"
    )
    assert train(start_training(config.replace(opponent="random", seat=3))).sha256() == (
        "7f8fa97ccfb48e260d80dfba7e9d5626f2255a24e840b7feecdfd7301fe8786a"
    )


def test_golden_hash_of_the_published_learner():
    """After 100,000 games at the epsilon at which it spends nearly all of them."""
    import hashlib

    values, counts = values_after(SAI, PUBLISHED)
    expected = "7163cd31ab9c4aa9ea2e2c8863ef91f465a8721d17cdc86d2b58e10bb14338b3"
    assert hashlib.sha256(values.tobytes()).hexdigest() == expected
    assert counts.tolist() == [46251, 37267, 16482]


def test_fixed_points_of_the_reward_bug():
    """Sai prints its values: the greatest of X's is 0.42632, and X's and O's other extremes are -0.9 and 0.9."""
    config = SAI.replace(episodes=1_000_000, epsilon="cumulative:0.9,1e-6,0.3")
    turn = TABLE.ply % 2
    published, _ = values_after(config, PUBLISHED)
    x, o = published[turn == 1], published[turn == 0]
    assert (x.max(), o.min()) == pytest.approx((0.081 / 0.19, -0.081 / 0.19), abs=5e-6)
    assert (x.min(), o.max()) == pytest.approx((-0.9, 0.9), abs=5e-6)
    mended, _ = values_after(config)
    assert (mended[turn == 1].max(), mended[turn == 0].min()) == pytest.approx((0.9, -0.9), abs=5e-6)


def test_a_won_board_is_worth_gamma_times_the_reward():
    """Gamma applies at the last step, too; after n updates (1 - alpha) ** n of the way is left."""
    values, _ = values_after(SAI.replace(episodes=200_000, epsilon="1"))
    won = values[TABLE.status == 1]
    assert 0.89 < won.max() < 0.9 + 1e-12
    assert won.min() > 0
    assert np.all(values[TABLE.status == 3] == 0.0)


# --- A full member of the family: training, curves, checkpoints, policies.


@pytest.mark.parametrize(
    "changes",
    [
        {"tie": "last"},
        {"tie": "random", "random_opening": True, "initial_q": 0.5},
        {"opponent": "random", "seat": 3, "step_size": "visits"},
        {"opponent": "random@0.4>minimax:tie=first", "seat": 2},
    ],
)
def test_an_interrupted_run_goes_on_in_the_same_bits(tmp_path, changes):
    check_resumed(SMALL.replace(episodes=5500, chunk_episodes=500, evaluations=11, **changes), tmp_path / "q.npz")


@pytest.mark.parametrize("opponent", ["self", "random"])
@pytest.mark.parametrize("tie", ["first", "last", "random"])
def test_what_a_run_ends_with(tmp_path, opponent, tie):
    """The table of actions, the exact curve and the saved policy speak of the same player."""
    config = SMALL.replace(opponent=opponent, tie=tie, episodes=20_000, chunk_episodes=1000, step_size="visits")
    path = tmp_path / "q.npz"
    run = train(start_training(config), checkpoint=path)
    q_table, held = run.q_table, run.held
    for parents in (np.flatnonzero(TABLE.child == after) for after in range(1, TABLE.num_states, 37)):
        assert len(set(q_table.ravel()[parents].tolist())) == 1  # one value a board, whatever leads to it
    policy = run.policy()
    for state in np.flatnonzero(held)[::5]:
        legal = TABLE.legal_action_mask[state]
        best = np.flatnonzero(legal & (q_table[state] == q_table[state][legal].max()))
        chosen = {"first": best[:1], "last": best[-1:], "random": best}[tie]
        assert np.flatnonzero(policy.probabilities[state]).tolist() == chosen.tolist()
    loaded = load_policy(path, TABLE)
    assert np.array_equal(loaded.probabilities, policy.probabilities)
    assert np.array_equal(loaded.held, policy.held)
    if tie != "random":  # the curve takes the first of equal actions then
        exact = exact_outcome(policy, as_policy("random"))
        np.testing.assert_allclose(run.history[-1, 1:4], [exact.x_wins, exact.draws, exact.o_wins], atol=1e-12)
        counted = TABLE.decision_mask if opponent == "self" else None
        if counted is not None and held[counted].all():
            assert run.curve()["agreement"][-1] == agreement(policy).share


def test_the_error_is_from_gamma_times_the_exact_values():
    config = SMALL.replace(opponent="random", discount=0.5, episodes=180)
    run = train(start_training(config))
    target = 0.5 * exact_q(TABLE, as_policy("random"), config.settings.rewards, 0.5, (1,))
    states = np.repeat(np.arange(TABLE.num_states), np.diff(TABLE.edge_start))
    counted = TABLE.player[states] == 1
    errors = (run.q_table[TABLE.legal_action_mask] - target)[counted]
    assert run.curve()["rms_error"][-1] == pytest.approx(np.sqrt(np.mean(errors**2)), abs=1e-12)


def test_the_error_falls_as_exploration_ends():
    changes = {"opponent": "random", "epsilon": "linear:1,0.01", "discount": 0.9, "step_size": "geometric:1,0.01"}
    curve = train(start_training(SMALL.replace(episodes=1_000_000, chunk_episodes=0, **changes))).curve()
    assert curve["rms_error"][-1] < 0.5 * curve["rms_error"][0]


@pytest.mark.parametrize("episodes", [1_000_000, pytest.param(3_000_000, marks=pytest.mark.slow)])
def test_without_exploration_at_the_end_nobody_beats_it(episodes):
    config = SAI.replace(episodes=episodes, epsilon="linear:0.9,0", seed=0)
    assert exploitability(train(start_training(config)).policy()) == 0.0


def test_no_games():
    run = train(start_training(SMALL.replace(episodes=0, initial_q=0.25)))
    assert run.complete
    assert not run.visited.any()
    assert np.array_equal(run.q_table, np.where(TABLE.legal_action_mask, 0.25, 0.0))


def test_seeds_and_chunks_matter():
    hashes = {train(start_training(SMALL.replace(**one))).sha256() for one in ({}, {"seed": 6}, {"chunk_episodes": 99})}
    assert len(hashes) == 3


def test_it_is_chosen_by_its_name():
    assert isinstance(make_learner(SMALL, [], init_values(SMALL)), GeneralLearner)
