"""What a training configuration accepts."""

import json
import pickle
from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given, strategies as st
from training_checks import epsilon_of, step_size_of

from ttt_fast import TrainingConfig, UsageError
from ttt_fast.learners import ALGORITHMS, SETTINGS, setting_value, settings_of

UNIT = ("epsilon", "discount")
STEPS = ("step_size",)
REWARDS = ("win_reward", "draw_reward", "loss_reward", "initial_q")
BELOW, ABOVE = st.floats(max_value=-1e-300), st.floats(min_value=1.0, exclude_min=True)
BAD_NUMBER = st.just(float("nan")) | BELOW | ABOVE


@given(st.sampled_from(UNIT + STEPS), BAD_NUMBER, st.sampled_from(REWARDS), st.integers(max_value=-1))
def test_numbers_out_of_range(name, value, reward, negative):
    wrong = {name: value, reward: 2e6 if value == value else value}
    for key, one in [*wrong.items(), *dict.fromkeys(["episodes", "seed", "chunk_episodes"], negative).items()]:
        with pytest.raises(UsageError, match=r"^(\w+: )?expected .* got [^\n]*$"):
            TrainingConfig(**{key: one})


def test_settings_of_some_algorithms_are_no_part_of_others():
    """Files and sweeps of before there were such settings keep their names, which are hashes of these."""
    known = """opponent seat episodes seed step_size epsilon discount win_reward draw_reward loss_reward initial_q game
        chunk_episodes evaluations judges algorithm tie random_opening credit""".split()
    for config in (TrainingConfig(), TrainingConfig("self", algorithm="double-q")):
        assert sorted(config.as_dict()) == sorted(known)
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
    assert set(config.as_dict()) == set(settings_of("q")) - {"exact", "start_from"}
    assert 1000 <= config.chunk_episodes <= 100_000
    assert config.settings.rewards.tolist() == [values[name] for name in REWARDS[:3]]
    if config.num_chunks:
        last = config.num_chunks - 1
        assert 0 < step_size_of(config, last) <= 1
        assert 0 <= epsilon_of(config, last) <= 1


def test_a_configuration_is_frozen():
    config = TrainingConfig(algorithm="dqn")
    for one in (config, config.settings):
        assert pickle.loads(pickle.dumps(one)) == one and hash(one) == hash(pickle.loads(pickle.dumps(one)))
        with pytest.raises(FrozenInstanceError):
            one.episodes = 1


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_settings_of_an_algorithm_are_those_that_apply_to_it(algorithm):
    game = "connect4:columns=4,rows=4"
    config = TrainingConfig(algorithm=algorithm, game=game)
    assert vars(config.settings).keys() | vars(config).keys() == settings_of(algorithm).keys() | {"settings"}
    assert set(config.as_dict()) <= SETTINGS.keys()
    assert config.replace(seed=3) == TrainingConfig(algorithm=algorithm, game=game, seed=3)
    assert eval(repr(config)) == config


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("hidden", ["64,32", "64, 32", (64, 32), [64, 32]]),
        ("minibatch", [1000, "1k", 1e3]), ("double", [True, "true"]),
        ("polyak", [0.5, "0.5", "5e-1"]), ("seat", [2, "o", "O"]), ("epsilon", [1, "1"]), ("judges", ["", None]),
    ],
)  # fmt: skip
def test_a_setting_is_a_value_or_its_text(name, values):
    """Files hold text and numbers, a configuration the parsed values."""
    configs = [TrainingConfig(algorithm="dqn", **{name: value}) for value in values]
    assert len({json.dumps(config.as_dict()) for config in configs}) == 1
    assert [getattr(one, name, getattr(one.settings, name, None)) for one in configs[1:]] == [
        getattr(configs[0], name, getattr(configs[0].settings, name, None))
    ] * (len(values) - 1)
    assert len({repr(setting_value(name, value)) for value in values if value is not None}) == 1


@pytest.mark.parametrize("seat", ["x", "o", 1, 2])
def test_both_seats_learn_in_self_play(seat):
    for changes in ({"opponent": "self"}, {"game": "connect4"}):  # whose default opponent is the learner
        with pytest.raises(UsageError, match=r"expected both as the seat with the opponent 'self', got '[xo]'"):
            TrainingConfig(seat=seat, **changes)
    assert TrainingConfig("self") == TrainingConfig("self", seat="both") and TrainingConfig("self").seats == (1, 2)
    other = TrainingConfig("random", seat=seat)
    assert other.replace(opponent="self") == TrainingConfig("self")
    assert other.replace(opponent="self").replace(opponent="random") == TrainingConfig("random", seat="x")
