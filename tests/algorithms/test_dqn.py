"""Deep Q-learning against a reference in float64: the same games and samples, and weights of the same size."""

import numpy as np
import pytest
from dqn_reference import DqnReference, Rules
from training_checks import DQN, INDEX, learn_plainly

from network_reference import Stepper, as_float64
from ttt_fast import TrainingConfig, train
from ttt_fast.learners import start_training

RIVALS_A_RUN = 20
"""How often a network is kept as a rival in a run of self-play."""


def rules_of(config):
    settings = vars(config.settings)
    named = {name: settings[name] for name in Rules._fields if name in settings}
    opening = 1 if config.random_opening else config.settings.opening_plies
    named |= {"seat": 0 if config.is_self_play else config.seat, "opening": opening, "is_one": config.random_opening}
    return Rules(**{**named, "rewards": tuple(config.settings.rewards)})


def learned_plainly(config, chunks):
    """The reference after some chunks of a run."""
    settings, initial = config.settings, start_training(config).values.network
    decays = {"sgd": (0, 0), "momentum": (0.9, 0), "rmsprop": (0, 0.99), "adam": (0.9, 0.999)}[settings.optimizer]
    plain = DqnReference(
        rules_of(config), None, as_float64(initial.matrices()),
        lambda: Stepper(settings.optimizer, *decays, 1e-8, settings.clip or np.inf),
    )  # fmt: skip

    def after(chunk):
        parts = [config.episodes_after(one) * RIVALS_A_RUN // config.episodes for one in (chunk, chunk + 1)]
        if config.is_self_play and parts[0] < parts[1]:
            plain.keep_rival()

    return learn_plainly(plain, config, after, chunks=chunks)


MIXED = "mix:1/3*minimax+2/3*random"
SGD = {"optimizer": "sgd", "step_size": "0.05"}
CASES = {
    "x v random": {**SGD},
    "o, marks, squared loss": {**SGD, "seat": 2, "loss": "squared", "target_every": 7, "opponent": MIXED},
    "both seats, planes, double": {**SGD, "seat": 3, "input": "planes", "double": True, "hidden": "9,20"},
    "expected": {**SGD, "target": "expected", "opponent": MIXED, "discount": 0.9, "leak": 0.1},
    "self-play": {"opponent": "self", **SGD, "epsilon": "0.5", "opening_plies": 3, "hidden": "16", "chunk_episodes": 3},
    "self-play, no symmetry": {"opponent": "self", **SGD, "symmetries": False, "discount": 0.8, "train_every": 3},
    "penalty": {**SGD, "illegal": "penalty", "illegal_reward": -2.0, "epsilon": "0.3", "clip": 0.05},
    "penalty in self-play, double": {"opponent": "self", **SGD, "illegal": "penalty", "double": True, "epsilon": "0.2"},
    "momentum": {"optimizer": "momentum", "step_size": "0.01", "random_opening": True},
    "rmsprop": {"optimizer": "rmsprop", "step_size": "0.0001", "polyak": 0.1},
    "adam": {"optimizer": "adam", "step_size": "0.0001", "replay": 1000, "warm_up": 0, "episodes": 60},
}


@pytest.mark.parametrize("case", CASES)
def test_as_the_reference(case):
    """Games and samples are the same; weights to 1e-4, since a sum of float32 has another rounding than float64."""
    config = TrainingConfig(**{**DQN, "episodes": 80, "replay": 64, **CASES[case]})
    chunks = config.num_chunks - 1  # a whole run holds its network alone
    run, plain = train(config, until=config.episodes_after(chunks)), learned_plainly(config, chunks)
    state, network = run.values.state, run.values.network.copy()
    results = plain.results[::-1] if config.seats == (2,) else plain.results
    assert run.chunks_done == chunks and run.counts.tolist() == results
    assert state["progress"][:2].tolist() == [plain.steps, plain.updates] and plain.updates > 30
    for name, pairs in (("online", plain.online), ("target", plain.target)):
        network.weights[...] = state[name]
        for mine, theirs in zip(network.matrices(), pairs, strict=True):
            for one, other in zip(mine, theirs, strict=True):
                np.testing.assert_allclose(one, other, rtol=0, atol=1e-4)
    words = state["words"][: len(plain.memory)]
    for word, (board, action, after, is_illegal) in zip(words.tolist(), plain.memory, strict=True):
        assert word == INDEX[board] << 36 | INDEX[after] << 9 | is_illegal << 8 | action
