"""What a training configuration accepts."""

import pickle
from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given, strategies as st
from training_checks import epsilon_of, step_size_of

from ttt_fast import TrainingConfig, UsageError
from ttt_fast.cli.settings import digest_of
from ttt_fast.learn.algorithms import DqnSettings, TdSettings
from ttt_fast.learners import SETTINGS

UNIT = ("epsilon", "discount")
STEPS = ("step_size",)
REWARDS = ("win_reward", "draw_reward", "loss_reward", "initial_q")
BELOW, ABOVE = st.floats(max_value=-1e-300), st.floats(min_value=1.0, exclude_min=True)
BAD_NUMBER = st.just(float("nan")) | BELOW | ABOVE


def refused(**changes) -> None:
    with pytest.raises(UsageError, match=r"^(\w+: )?expected .* got [^\n]*$"):
        TrainingConfig(**changes)


@given(st.sampled_from(UNIT + STEPS), BAD_NUMBER)
def test_chances_and_step_sizes_outside_the_unit_interval(name, value):
    refused(**{name: value})


@given(st.sampled_from(REWARDS), st.floats(min_value=1e6, exclude_min=True) | st.just(float("nan")))
def test_rewards_that_are_too_large(name, value):
    refused(**{name: value})
    refused(**{name: -value})


@given(st.sampled_from(["episodes", "seed", "chunk_episodes"]), st.integers(max_value=-1))
def test_negative_numbers(name, value):
    refused(**{name: value})


def test_settings_of_some_algorithms_are_no_part_of_others():
    """Files and sweeps of before there were such settings keep their names."""
    configs = TrainingConfig(), TrainingConfig("self", algorithm="double-q")
    assert [digest_of(config.as_dict()) for config in configs] == ["cb9703b0", "f42d1413"]
    assert TrainingConfig(algorithm="q-lambda", trace_decay=1).as_dict()["trace_decay"] == 1


@given(
    st.fixed_dictionaries(
        {
            **dict.fromkeys(UNIT, st.floats(0, 1)),
            **dict.fromkeys(STEPS, st.floats(1e-9, 1)),
            **dict.fromkeys(REWARDS, st.floats(-1e6, 1e6)),
            "seat": st.sampled_from([1, 2]),
            "episodes": st.integers(0, 10**15),
            "seed": st.integers(0, 2**63),
        }
    )
)
def test_a_good_configuration_survives_its_dictionary(values):
    config = TrainingConfig(**values)
    again = TrainingConfig(**config.as_dict())
    assert again == config
    assert set(config.as_dict()) == {name for name, one in SETTINGS.items() if one.is_common} - {"exact"}
    assert 1000 <= config.chunk_episodes <= 100_000
    assert config.settings.rewards.tolist() == [values[name] for name in REWARDS[:3]]
    if config.num_chunks:
        last = config.num_chunks - 1
        assert 0 < step_size_of(config, last) <= 1
        assert 0 <= epsilon_of(config, last) <= 1


def test_a_configuration_is_frozen():
    config = TrainingConfig(algorithm="dqn")
    for one in (config, config.problem, config.settings):
        assert pickle.loads(pickle.dumps(one)) == one and hash(one) == hash(pickle.loads(pickle.dumps(one)))
        with pytest.raises(FrozenInstanceError):
            one.episodes = 1


@pytest.mark.parametrize("algorithm", SETTINGS["algorithm"].choices)
def test_the_settings_of_an_algorithm_are_those_that_apply_to_it(algorithm):
    game = "connect4:columns=4,rows=4"
    config = TrainingConfig(algorithm=algorithm, game=game)
    own = vars(config.settings) | vars(config.problem)
    assert set(own) >= {name for name, one in SETTINGS.items() if one.applies_to(algorithm)}
    assert type(config.settings).of(config) is config.settings
    other = TdSettings if algorithm == "dqn" else DqnSettings
    with pytest.raises(TypeError, match=f"expected {other.__name__}, got "):
        other.of(config)
    assert config.replace(seed=3) == TrainingConfig(algorithm=algorithm, game=game, seed=3)
    assert eval(repr(config)) == config


@pytest.mark.parametrize("seat", ["x", "o", 1, 2])
def test_both_seats_learn_in_self_play(seat):
    for changes in ({"opponent": "self"}, {"game": "connect4"}):  # whose default opponent is the learner
        with pytest.raises(UsageError, match=r"expected both as the seat with the opponent 'self', got '[xo]'"):
            TrainingConfig(seat=seat, **changes)
    assert TrainingConfig("self") == TrainingConfig("self", seat="both") and TrainingConfig("self").seats == (1, 2)
    other = TrainingConfig("random", seat=seat)
    assert other.replace(opponent="self") == TrainingConfig("self")
    assert other.replace(opponent="self").replace(opponent="random") == TrainingConfig("random", seat="x")
