"""What a training configuration accepts."""

from dataclasses import fields

import pytest
from hypothesis import given, strategies as st
from training_checks import epsilon_of, step_size_of

from ttt_fast.cli.settings import digest_of
from ttt_fast.core.errors import UsageError
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.network_settings import NetworkSettings
from ttt_fast.learn.td_settings import TdSettings

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


@pytest.mark.parametrize(
    "changes",
    [
        {"seat": 0},
        {"seat": 4},
        {"step_size": 0.0},
        {"algorithm": "reinforce"},
        {"tie": "uniform"},
        {"episodes": 10**15 + 1},
    ],
)
def test_other_bad_values(changes):
    refused(**changes)


def test_settings_of_some_algorithms_are_no_part_of_others():
    """Files and sweeps of before there were such settings keep their names."""
    configs = TrainingConfig(), TrainingConfig("self", algorithm="double-q")
    assert [digest_of(config.as_dict()) for config in configs] == ["cb9703b0", "45900a91"]
    assert TrainingConfig(algorithm="q-lambda", trace_decay=1).as_dict()["trace_decay"] == 1
    for changes in ({"steps": 2}, {"trace_decay": 0.5}, {"algorithm": "n-step-sarsa", "trace_decay": 0.5}):
        refused(**changes)
    for steps in (0, 1.5, "two", True):
        refused(algorithm="n-step-sarsa", steps=steps)


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
    others = {field.name for own in (NetworkSettings, TdSettings) for field in fields(own)}
    unused = {"steps", "trace_decay", "exact"} | others
    assert set(config.as_dict()) == {field.name for field in fields(TrainingConfig)} - unused
    assert 1000 <= config.chunk_episodes <= 100_000
    assert config.rewards.tolist() == [values[name] for name in REWARDS[:3]]
    if config.num_chunks:
        last = config.num_chunks - 1
        assert 0 < step_size_of(config, last) <= 1
        assert 0 <= epsilon_of(config, last) <= 1
