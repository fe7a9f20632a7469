"""The tabular family: the same tables as the plain reference, bit for bit, and what comes of it in training."""

import hashlib
from itertools import product

import general_reference
import learn_reference
import numpy as np
import polars as pl
import pytest
from general_checks import INDEX, SMALL, TABLE, general_run, policies, reference_run
from general_reference import Rules
from hypothesis import given, settings, strategies as st
from training_checks import bits, check_resumed, epsilon_of, interrupt_after, learned_by, step_size_of

from conftest import examples
from pairwise import corners, covering
from ttt_fast import exact_outcome, exploitability, never_loses
from ttt_fast.agents.convert import as_policy
from ttt_fast.core.rng import chunk_stream
from ttt_fast.evaluate.exact_q import exact_q
from ttt_fast.evaluate.scorecard import seat_exploitability
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.fast_learners import FixedOpponentLearner, SelfPlayLearner
from ttt_fast.learn.initial_values import init_values
from ttt_fast.learn.learners import GeneralLearner, make_learner
from ttt_fast.learn.settings import AFTERSTATE, LAMBDA, N_STEP, TABULAR
from ttt_fast.learn.training import start_training, train

ALGORITHMS = [one for one in TABULAR if one != AFTERSTATE]
SEATS = {"x": {"seat": 1}, "o": {"seat": 2}, "alternating": {"seat": 3}, "self": {"opponent": "self"}}
SETTINGS = [
    {"step_size": "0.1", "epsilon": "0.1"},
    {"step_size": "0.5", "epsilon": "0.3", "discount": 0.9, "initial_q": 0.6, "draw_reward": 0.5, "loss_reward": 0.0},
    {"step_size": "1", "epsilon": "1", "initial_q": -1.0},
    {"step_size": "0.03", "epsilon": "0", "discount": 0.95, "initial_q": 2.0, "win_reward": 3.0, "draw_reward": -0.5},
    {"step_size": "1", "epsilon": "0.5", "win_reward": 0.0, "loss_reward": 0.0},  # every value ties
    {"step_size": "visits", "epsilon": "linear:1,0.1", "discount": 0.0, "initial_q": 1.0, "draw_reward": 1.0},
    {"step_size": "visits:0.7", "epsilon": "exponential:0.9,0.99,0.05", "win_reward": 10.0, "draw_reward": 2.0},
    {"step_size": "geometric:0.8,0.01", "epsilon": "stairs:1,0.1,9,0.5", "discount": 0.999},
]


def assert_as_reference(config: TrainingConfig) -> None:
    learned, (tables, updates, counts) = general_run(config), reference_run(config)
    assert np.array_equal(learned.updates, updates)
    assert learned.tables.tobytes() == tables.tobytes()
    assert learned.counts.tolist() == counts
    assert sum(counts) == config.episodes


TIES = ["first", "last", "random"]
OPPONENTS = ["random", "rows-1", "minimax"]
CORNERS = list(product(ALGORITHMS, SEATS, TIES, [False, True]))


def assert_corner(algorithm, seat, tie, opening, opponent, setting, ahead):
    """A short run; `ahead` is a place among the numbers of steps, and among those of decays."""
    changes = {"opponent": opponent, **SEATS[seat], **SETTINGS[setting]}
    changes |= {"steps": 1 + ahead} if algorithm in N_STEP else {}
    changes |= {"trace_decay": (0.9, 0.5, 1, 0)[ahead]} if algorithm in LAMBDA else {}
    short = {"episodes": 150, "chunk_episodes": 60}
    assert_as_reference(SMALL.replace(algorithm=algorithm, tie=tie, random_opening=opening, **short, **changes))


@pytest.mark.parametrize(
    ("algorithm", "seat", "tie", "opening", "opponent", "setting", "ahead"),
    covering(ALGORITHMS, SEATS, TIES, [False, True], OPPONENTS, range(len(SETTINGS)), range(4)),
)
def test_where_any_two_choices_meet_the_tables_are_those_of_the_reference(
    algorithm, seat, tie, opening, opponent, setting, ahead
):
    assert_corner(algorithm, seat, tie, opening, opponent, setting, ahead)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(2))
@pytest.mark.parametrize(("algorithm", "seat", "tie", "opening"), CORNERS)
def test_every_corner_learns_the_tables_of_the_reference(algorithm, seat, tie, opening, number):
    """Each corner with two of the settings; each algorithm and seat meets all of them."""
    place = CORNERS.index((algorithm, seat, tie, opening))
    opponent, setting = OPPONENTS[(place + number) % 3], (place * 2 + number) % 8
    assert_corner(algorithm, seat, tie, opening, opponent, setting, place % 4)


def test_the_corners_above_meet_every_setting():
    met = {(*CORNERS[place][:2], (place * 2 + number) % 8) for place in range(len(CORNERS)) for number in range(2)}
    assert len(met) == len(ALGORITHMS) * len(SEATS) * len(SETTINGS)


NUMBER = st.sampled_from([0.0, 1.0, -1.0, 0.5, 10.0]) | st.floats(-3, 3)
STEP = st.sampled_from(["1", "0.3", "visits", "visits:0.5", "steps:1,0.9,100"]) | st.floats(0.001, 1).map(str)


@settings(max_examples=examples(60))
@given(
    st.fixed_dictionaries(
        {
            "algorithm": st.sampled_from(ALGORITHMS),
            "opponent": st.sampled_from(
                ["self", "random", "rows-2", "heuribot", "rows-3@0.4>minimax", "random>rows-4"]
            ),
            "seat": st.sampled_from([1, 2, 3]),
            "tie": st.sampled_from(["first", "last", "random"]),
            "random_opening": st.booleans(),
            "step_size": STEP,
            "epsilon": st.sampled_from(["linear:1,0", "0", "1"]) | st.floats(0, 1).map(str),
            "discount": st.sampled_from([1.0, 0.9, 0.0]) | st.floats(0, 1),
            **dict.fromkeys(("win_reward", "draw_reward", "loss_reward", "initial_q"), NUMBER),
            "seed": st.integers(0, 2**70),
            "episodes": st.integers(0, 80),
            "chunk_episodes": st.integers(7, 90),
        }
    ),
    st.integers(1, 7),
    st.floats(0, 1),
)
def test_any_configuration_learns_the_tables_of_the_reference(values, steps, trace_decay):
    values |= {"seat": 3} if values["opponent"] == "self" else {}
    values |= {"steps": steps} if values["algorithm"] in N_STEP else {}
    values |= {"trace_decay": trace_decay} if values["algorithm"] in LAMBDA else {}
    assert_as_reference(TrainingConfig(**values))


GOLDEN = {
    ("q", "self"): "82753ae4ddc43a59afd8324fd8c30d253306423fcb09e9303c3bf4b437d31457",
    ("double-q", "self"): "c56549b3d6555e3adc74ad1414d3f8fabfc3a658ed70c8f4661dc265a5e54833",
    ("sarsa", "self"): "90965a882f49dee9fefba05833cc3e88d46263a82c2f2e96db1f4785df822d11",
    ("expected-sarsa", "self"): "d5bf92a4ab5c01d8d0b52dfb3fe6a1f8a27d7891df58eddff7819d822452dcc1",
    ("q", "random"): "67447ebd06f11304cda11965eb6a2f83bdaceab407f49adad96c0d7a44a4d581",
    ("double-q", "random"): "46b21b4258368b9cb7409fd3cbff47b367d5ef2154857d43909c8f8a3ff414ce",
    ("sarsa", "random"): "585290601e7ec52a079d3c8507577f78170d3b9aab80a611afbc66a97df20427",
    ("expected-sarsa", "random"): "1faf92eb74016ac774da2ab13475576730b8ea264908b7bc50d4f11bda793305",
    ("monte-carlo", "self"): "eae585d45073399fc6a5e03c590975f93f7b03e45dfeb2f7485ed68ca1d93bc7",
    ("n-step-sarsa", "self"): "92a72af1a13901c7798df6dd4f03b21db7b15e9a82ddef81ac3ea56414c0d393",
    ("n-step-expected-sarsa", "self"): "97690b49b8e37049fbb9444c8d3525d5cfd1eb6c9ec94c60fa93f5f32ed36eda",
    ("n-step-tree-backup", "self"): "7d9fd510d5bc7b7b59f5168135e5cd4ff276ab9ccbae13384d0b29dece7fd28f",
    ("sarsa-lambda", "self"): "2bbed189bd0c7eb3a03da2934b53f3671813fe0a502b42304378cd533ab23ec2",
    ("q-lambda", "self"): "eb7b1bf2381a8956f455f00bbdb2a0ba290dfc7209e5ef1312549644e4826528",
}


@pytest.mark.parametrize(("algorithm", "opponent"), GOLDEN)
def test_golden_tables(algorithm, opponent):
    """The draws are part of the contract: if one changes on purpose, say so in the changelog."""
    config = TrainingConfig(opponent, 3, 100_000, algorithm=algorithm, tie="random", epsilon="linear:1,0.1")
    run = train(start_training(config))
    assert run.sha256() == hashlib.sha256(run.tables.tobytes()).hexdigest() == GOLDEN[algorithm, opponent]


# --- Beside the fast kernel, whose draws differ: a general run takes one word for each ply.


def fast_and_general(config: TrainingConfig):
    fast = make_learner(config, policies(config), init_values(config))
    assert isinstance(fast, FixedOpponentLearner)
    return learned_by(fast, config), general_run(config)


@pytest.mark.parametrize("seat", [1, 2])
@pytest.mark.parametrize("opponent", ["minimax:tie=first", "minimax:tie=last", "heuribot"])
@pytest.mark.parametrize("initial_q", [0.0, 1.0, -0.5])
def test_where_nothing_is_drawn_both_kernels_learn_the_same(opponent, seat, initial_q):
    config = SMALL.replace(opponent=opponent, seat=seat, epsilon="0", step_size="0.25", initial_q=initial_q)
    fast, slow = fast_and_general(config)
    assert fast.tables.tobytes() == slow.tables.tobytes()
    assert np.array_equal(fast.updates > 0, slow.updates > 0)
    assert fast.counts.tolist() == slow.counts.tolist()


@pytest.mark.parametrize("seat", [1, 2])
def test_on_a_board_of_ten_cells_both_kernels_learn_the_same(seat):
    """Numbers of actions and of slots stand in four bits."""
    game = "tic-tac-toe:rows=2,columns=5"
    config = SMALL.replace(
        game=game, opponent="minimax:tie=last", seat=seat, epsilon="0", step_size="0.25", initial_q=1.0
    )
    fast, slow = fast_and_general(config)
    assert fast.tables.tobytes() == slow.tables.tobytes()
    assert fast.counts.tolist() == slow.counts.tolist()


@pytest.mark.parametrize("seat", [1, 2])
def test_where_all_is_drawn_both_kernels_see_the_same_distribution(seat):
    """Random play against random: the counts of both within 4.5 standard errors of the exact result."""
    config = TrainingConfig(seat=seat, episodes=200_000, epsilon="1", step_size="geometric:0.5,0.01")
    exact = exact_outcome(as_policy("random"), as_policy("random"))
    chances = np.array([exact.x_wins, exact.draws, exact.o_wins])[:: 1 if seat == 1 else -1]
    errors = np.sqrt(chances * (1 - chances) * config.episodes)
    target = exact_q(TABLE, as_policy("random"), config.settings.rewards, 1.0, (seat,))
    for learned in fast_and_general(config):
        assert (np.abs(learned.counts - chances * config.episodes) < 4.5 * errors).all()
        off = (learned.tables[0][TABLE.legal_action_mask] - target)[learned.updates[TABLE.legal_action_mask] > 0]
        assert np.sqrt(np.mean(off * off)) < 0.15


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({}, FixedOpponentLearner),
        ({"seat": 2}, FixedOpponentLearner),
        ({"opponent": "random>minimax"}, FixedOpponentLearner),
        ({"seat": 3}, GeneralLearner),
        ({"tie": "random"}, GeneralLearner),
        ({"tie": "last"}, GeneralLearner),
        ({"opponent": "self", "tie": "last"}, GeneralLearner),
        ({"random_opening": True}, GeneralLearner),
        ({"step_size": "visits"}, GeneralLearner),
        *(({"algorithm": algorithm}, GeneralLearner) for algorithm in ALGORITHMS[1:]),
        ({"opponent": "self"}, SelfPlayLearner),
        ({"opponent": "self", "seat": 3}, SelfPlayLearner),
        ({"opponent": "self", "algorithm": "double-q"}, SelfPlayLearner),
        ({"opponent": "self", "tie": "random"}, SelfPlayLearner),
        ({"opponent": "self", "random_opening": True}, GeneralLearner),
        ({"opponent": "self", "step_size": "visits"}, GeneralLearner),
        ({"opponent": "self", "algorithm": "sarsa"}, GeneralLearner),
    ],
)
def test_which_kernel_a_configuration_takes(changes, kind):
    config = SMALL.replace(**changes)
    learner = make_learner(config, policies(config), init_values(config))
    assert isinstance(learner, kind)


@pytest.mark.parametrize(
    "changes",
    [{"opponent": "self", "random_opening": True}, {"seat": 3, "algorithm": "double-q"}, {"tie": "random"}],
)
def test_training_is_the_learner_chunk_by_chunk(changes):
    config = SMALL.replace(**changes)
    run, learned = train(start_training(config)), general_run(config)
    assert [array.tobytes() for array in (run.tables, run.updates, run.counts)] == [one.tobytes() for one in learned]
    assert run.counts.sum() == run.episodes == config.episodes


# --- Self-play ends where nobody can be beaten.


@pytest.mark.parametrize("algorithm", ["q", "double-q", "expected-sarsa"])
def test_self_play_whose_exploration_ends_is_not_exploitable(algorithm):
    config = TrainingConfig(
        "self", episodes=1_000_000, algorithm=algorithm, epsilon="linear:1,0", step_size="geometric:1,0.01"
    )
    run = train(start_training(config))
    assert exploitability(run.policy()) == 0.0
    assert never_loses(run.policy(), 1)
    assert never_loses(run.policy(), 2)
    assert run.curve()["exploitability"][-1] == 0.0


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_long_self_play_is_not_exploitable(algorithm):
    config = TrainingConfig(
        "self", episodes=3_000_000, algorithm=algorithm, epsilon="linear:1,0.1", step_size="geometric:1,0.001"
    )
    assert exploitability(train(start_training(config)).policy()) == 0.0


def test_alternating_seats_learn_both():
    config = TrainingConfig(seat=3, episodes=1_000_000, epsilon="linear:1,0.1")
    run = train(start_training(config))
    policy, rival = run.policy(), as_policy("random")
    assert policy.seats_held() == "xo"
    assert exact_outcome(policy, rival).value > 0.98
    assert exact_outcome(rival, policy).value < -0.85
    assert run.columns[1:7] == ("wins", "draws", "losses", "o_v_random_wins", "o_v_random_draws", "o_v_random_losses")


# --- Curricula.


CURRICULA = {
    "minimax:tie=first@0.3>minimax:tie=last@0.6>heuribot": [0, 0, 0, 1, 1, 1, 2, 2, 2, 2],
    "minimax:tie=first@0.25>heuribot": [0, 0, 0, 1, 1, 1, 1, 1, 1, 1],
    "minimax:tie=first>heuribot": [0] * 5 + [1] * 5,
    "heuribot": [0] * 10,
}


@pytest.mark.parametrize(("algorithm", "seat", "spec"), corners(["q", "sarsa"], [1, 2], CURRICULA))
def test_the_opponent_changes_at_the_first_chunk_after_its_fraction(algorithm, seat, spec):
    """Both kernels, against deterministic opponents: each chunk by hand with the opponent that it should have."""
    config = SMALL.replace(opponent=spec, seat=seat, algorithm=algorithm, epsilon="0.4", episodes=500)
    config = config.replace(chunk_episodes=50)
    numbers = CURRICULA[spec]
    assert [config.stage_of(chunk) for chunk in range(10)] == numbers
    rows = [rival.probabilities.tolist() for rival in policies(config)]
    if algorithm == "q":
        slow = learn_reference.Learner(seat, lambda board: [], (1.0, 0.0, -1.0))
    else:
        slow = general_reference.GeneralLearner(Rules(algorithm, seat), None)
    for chunk, number in enumerate(numbers):
        slow.opponent = lambda board, rows=rows[number]: rows[INDEX[board]]
        slow.slots.clear()
        stream = int(chunk_stream(config.seed, chunk))
        if algorithm == "q":
            slow.chunk(
                50,
                step_size_of(config, chunk),
                epsilon_of(config, chunk),
                1.0,
                stream,
            )
        else:
            slow.chunk(config.settings.step_sizes.values(chunk * 50, 50, 500).tolist(), [0.4] * 50, stream)
    expected = np.zeros(TABLE.child.shape)
    for (board, action), value in (slow.q if algorithm == "q" else slow.tables[0]).items():
        expected[INDEX[board], action] = value
    assert np.array_equal(train(start_training(config)).q_table, expected)


def test_a_curriculum_is_measured_against_its_last_opponent():
    config = SMALL.replace(opponent="random@0.5>minimax", judges="heuribot")
    run = train(start_training(config))
    exact = exact_outcome(run.policy(), as_policy("minimax"))
    np.testing.assert_allclose(run.history[-1, 1:4], [exact.x_wins, exact.draws, exact.o_wins], atol=1e-12)
    assert "x_v_heuribot_wins" in run.columns


# --- Interruptions, tables, policies, curves.

RESUMED = [
    {"opponent": "self"},
    {"opponent": "self", "tie": "random", "random_opening": True},
    {"opponent": "self", "step_size": "visits:0.8"},
    {"seat": 3, "initial_q": 0.5},
    {"opponent": "random@0.4>minimax:tie=first"},
    {"opponent": "random@0.4>minimax", "tie": "random", "seat": 2},
]


@pytest.mark.parametrize(("algorithm", "changes"), corners(ALGORITHMS, RESUMED, together=1))
def test_an_interrupted_run_goes_on_in_the_same_bits(tmp_path, algorithm, changes):
    config = SMALL.replace(episodes=5500, chunk_episodes=500, evaluations=11, algorithm=algorithm, **changes)
    check_resumed(config, tmp_path / "q.npz")


@pytest.mark.parametrize("changes", [{}, {"opponent": "self"}])
def test_interrupted_between_two_evaluations(changes):
    """The column `changed` counts from the last evaluation, not from where the run went on."""
    config = SMALL.replace(episodes=6000, chunk_episodes=500, evaluations=3, **changes)
    whole = train(start_training(config))
    for chunks in (3, 4, 5, 6):
        assert bits(
            train(train(start_training(config), on_chunk=interrupt_after(chunks), on_interrupt="return"))
        ) == bits(whole)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_what_a_run_holds(algorithm):
    """With step sizes by visits, which the general kernel takes: the fast ones only mark what they update."""
    changes = {"algorithm": algorithm, "tie": "random", "epsilon": "0.5", "step_size": "visits"}
    run = train(start_training(SMALL.replace(opponent="self", **changes)))
    double = algorithm == "double-q"
    tables = run.tables
    assert tables.shape == (2 if double else 1, *TABLE.child.shape)
    assert np.array_equal(run.q_table, (tables[0] + tables[1]) / 2 if double else tables[0])
    assert np.array_equal(run.visited, run.updates > 0)
    assert np.array_equal(run.held, run.visited.any(axis=1))
    assert not run.visited[~TABLE.legal_action_mask].any()
    assert all((np.abs(table[TABLE.legal_action_mask]) <= 1).all() for table in tables)
    if double:
        assert tables[0].tobytes() != tables[1].tobytes()
    # Every ply of every game is an update, in self-play.
    assert run.updates[0].sum() == run.episodes
    assert 5 * run.episodes <= run.updates.sum() <= 9 * run.episodes


def test_double_q_updates_either_table_half_of_the_time():
    """With step size 1 the last target stands in a table: count in which of the two an action's value stands."""
    config = SMALL.replace(opponent="random", seat=1, algorithm="double-q", episodes=20_000, chunk_episodes=20_000)
    run = train(start_training(config.replace(epsilon="1", step_size="1", initial_q=7.0, discount=0.0)))
    once = (run.updates == 1) & TABLE.legal_action_mask
    first, second = (np.count_nonzero(table[once] != 7.0) for table in run.tables)
    assert first + second == np.count_nonzero(once)
    assert abs(first - second) < 4.5 * np.sqrt(first + second)


def test_the_policy_draws_from_equal_values():
    run = train(start_training(SMALL.replace(opponent="self", tie="random", episodes=5, chunk_episodes=5)))
    policy, first = run.policy("ties"), train(start_training(run.config.replace(tie="first"))).policy()
    state = int(np.flatnonzero(run.held & (TABLE.ply == 4))[0])
    values = np.where(TABLE.legal_action_mask[state], run.q_table[state], -np.inf)
    best = values == values.max()
    assert best.sum() > 1
    np.testing.assert_allclose(policy.probabilities[state], best / best.sum())
    assert set(np.unique(first.probabilities)) == {0.0, 1.0}


def test_curve_columns():
    config = SMALL.replace(opponent="self", judges="minimax,heuribot")
    run = train(start_training(config))
    curve = run.curve()
    chances = [
        f"{seat}_v_{judge}_{result}"
        for judge in ("minimax", "heuribot")
        for seat in "xo"
        for result in ("wins", "draws", "losses")
    ]
    assert curve.columns == ["episodes", "wins", "draws", "losses", *chances[3:], *LAST]
    assert curve.schema["episodes"] == pl.Int64
    assert set(curve.dtypes[1:]) == {pl.Float64}
    assert curve["episodes"].to_list() == [180, 360, 450]
    np.testing.assert_allclose(curve.select("wins", "draws", "losses").to_numpy().sum(axis=1), 1, atol=1e-12)
    assert curve["exploitability"][-1] == pytest.approx(exploitability(run.policy()), abs=1e-12)


LAST = ["exploitability", "agreement", "changed", "rms_error", "value", "best_value", "regret"]


def test_curve_of_self_play_without_judges_is_against_random():
    run = train(start_training(SMALL.replace(opponent="self")))
    names = ["wins", "draws", "losses"]
    assert run.curve().columns == ["episodes", *names, *(f"o_v_random_{name}" for name in names), *LAST]
    exact = exact_outcome(run.policy(), as_policy("random"))
    np.testing.assert_allclose(run.history[-1, 1:4], [exact.x_wins, exact.draws, exact.o_wins], atol=1e-12)


@pytest.mark.parametrize("seat", [1, 2])
def test_curve_of_one_seat_lets_minimax_play_the_other(seat):
    run = train(start_training(SMALL.replace(seat=seat, algorithm="sarsa")))
    assert run.curve()["exploitability"][-1] == pytest.approx(seat_exploitability(run.policy()), abs=1e-12)


def test_no_episodes_of_self_play():
    empty = train(start_training(TrainingConfig("self", episodes=0, algorithm="double-q", initial_q=0.25)))
    assert empty.complete
    assert not empty.visited.any()
    assert len(empty.curve()) == 0
    assert np.array_equal(empty.q_table, np.where(TABLE.legal_action_mask, 0.25, 0.0))
