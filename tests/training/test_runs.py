"""Runs of every kind: golden hashes, the same bits however interrupted, and what the settings change and refuse."""

import hashlib

import pytest
from training_checks import (
    DQN,
    PLANNING,
    RUN_NAMES,
    TABULAR,
    TD,
    ULTIMATE,
    bits,
    check_resumed,
    config_of,
    interrupt_after,
    whole,
)

from pairwise import covering, diagonal
from ttt_fast import TrainingConfig, TttFastError, train
from ttt_fast.learners import start_training

# --- The draws are part of the contract: if a hash changes on purpose, say so in the changelog.

OF_RUNS = {
    "dqn x v random": "a7d4156eef7ace63fb42c89956ab91ef2e6946746b214520f879122ef89c83f4",
    "dqn self-play": "6e688f6a7d26d067a3e62a57cd84dd89d21ee89cf58c7aea86572d568173868f",
    "dqn connect4": "cdd51338c93eb6fa68b05dcf2a6a7c6cc949e5c9a81a092a221fc42c68456907",
    "dqn o v default": "ddaf00af946f7740681a421faee743f649baa4c8f27088b56daff8c1591307df",
    "alphazero": "bb6bb2140608086a",
    "alphazero connect4": "233be1ff363fd2e6",
    "td small": "ca3fca95759499e0",
    "td plain steps": "d00eaad2aefb7cae",
    "td large": "7d3f88c8b52152cc",
    "ultimate": "75031d911cc967c3",
    "ultimate, boards": "34ff52f395fe82b0",
    "hashed afterstate": "59f4a1e29ea555d0894ada964f9fa73196d5ab2915b3fb5394e2047a42555a86",
    "hashed q": "30647bc226363c6753ae59da2a74f43ad07d72da73ec5e32c316821436a8cd88",
}


@pytest.mark.parametrize("name", RUN_NAMES)
def test_golden_values(name):
    assert whole(name).sha256().startswith(OF_RUNS[name])
    assert whole(name).complete and whole(name).counts.sum() == whole(name).config.episodes


def test_the_golden_table_of_a_million_episodes():
    """Tables of shorter runs are those of plain references, bit for bit."""
    run = train(TrainingConfig(episodes=1_000_000))
    assert run.sha256() == hashlib.sha256(run.tables.tobytes()).hexdigest()
    assert run.sha256() == "b04f7bc75bbee248c41f73b055387c67d4de5e1b7e51d2254d6a363e2cb63efc"


# --- Interruptions.

PLACES = [
    {"opponent": "self"},
    {"opponent": "self", "tie": "random", "random_opening": True, "initial_q": 0.5},
    {"opponent": "self", "step_size": "visits:0.8"},
    {"opponent": "self", "win_reward": 0.0, "loss_reward": 0.0, "initial_q": 2.0, "tie": "random"},
    {"opponent": "self", "tie": "last", "discount": 0.9},
    {"seat": 3, "initial_q": 0.5},
    {"opponent": "random@0.4>minimax:tie=first"},
    {"opponent": "random@0.4>minimax", "tie": "random", "seat": 2},
    {"initial_q": 0.5},
]
PLANNED = [{}, {"opponent": "self"}, {"opponent": "random@0.3>minimax", "seat": 3}, {"chunk_episodes": 2}]
AVERAGED = [{"chunk_episodes": 1}, {"chunk_episodes": 7}]


@pytest.mark.parametrize(
    ("algorithm", "changes"),
    [
        *diagonal(TABULAR, [{"episodes": 5500, "chunk_episodes": 500, **place} for place in PLACES]),
        *covering(PLANNING, [{"episodes": 10, **changes} for changes in PLANNED]),
        *covering(["fictitious-play"], [{"episodes": 40, **changes} for changes in AVERAGED]),
    ],
)
def test_an_interrupted_run_over_a_table_goes_on_in_the_same_bits(tmp_path, algorithm, changes):
    """The column `changed` counts from the last evaluation, not from where the run went on."""
    config = TrainingConfig(algorithm=algorithm, evaluations=3, seed=17, **changes)
    check_resumed(config, tmp_path / "q.npz")


@pytest.mark.parametrize("name", RUN_NAMES)
def test_an_interrupted_run_of_other_values_goes_on_in_the_same_bits(tmp_path, name):
    chunks = {"td small": 6, "td plain steps": 4, "hashed afterstate": 4, "hashed q": 3}.get(name, 1)
    check_resumed(config_of(name), tmp_path / "run.npz", chunks, whole(name))


@pytest.mark.parametrize("name", ["dqn x v random", "td small"])
def test_a_run_in_memory_goes_on_from_where_it_stands_twice(name):
    kept = train(config_of(name), on_chunk=interrupt_after(5), on_interrupt="return")
    assert kept.chunks_done == 5
    assert bits(train(kept)) == bits(train(kept)) == bits(whole(name))


# --- Settings.

CHANGES = {
    "dqn x v random": [
        {"keep": "last"}, {"hidden": "17"}, {"minibatch": 4}, {"optimizer": "rmsprop"}, {"replay": 100},
        {"warm_up": 50}, {"train_every": 2}, {"target_every": 5}, {"polyak": 0.01}, {"target": "expected"},
        {"loss": "squared"}, {"clip": 1e-3}, {"input": "planes"}, {"leak": 0.1}, {"double": True},
        {"symmetries": False}, {"illegal": "penalty"}, {"discount": 0.9}, {"seed": 6},
    ],
    "alphazero": [
        {}, {"simulations": 13}, {"updates": 8}, {"minibatch": 9}, {"c_puct": 2}, {"noise": 0}, {"noise_shape": 0.5},
        {"temperature_plies": 1}, {"search_share": 0.5}, {"replay": 2}, {"hidden": "17"}, {"weight_decay": 0.01},
        {"input": "marks"}, {"symmetries": False}, {"step_size": 0.001}, {"chunk_episodes": 10}, {"seed": 6},
    ],
    "td small": [
        {}, {"tuples": 19}, {"tuple_cells": 3}, {"tuple_tables": 1}, {"tuple_seed": 1}, {"coherent": False},
        {"trace_decay": 0.5}, {"opening_plies": 2}, {"epsilon": 0.3}, {"step_size": 0.3}, {"seed": 6},
        {"tie": "random"},
    ],
    "ultimate": [
        {}, {"trace_decay": 0.5}, {"opening_plies": 2}, {"epsilon": 0.3}, {"step_size": 0.001}, {"seed": 6},
        {"chunk_episodes": 16}, {"start_from": "learned"},
    ],
}  # fmt: skip
ALL = {"dqn x v random": {"keep": "last"}, "alphazero": {}, "td small": {"episodes": 500}, "ultimate": {}}


@pytest.mark.parametrize("name", [*list(CHANGES)[:3], pytest.param("ultimate", marks=pytest.mark.slow)])
def test_settings_change_what_is_learned(name):
    found = {train(config_of(name, **ALL[name] | changes)).sha256() for changes in CHANGES[name]}
    assert len(found) == len(CHANGES[name])


CONNECT4 = {"game": "connect4"}
REFUSED = [
    ({"seat": 0}, "seat"), ({"seat": 4}, "seat"), ({"step_size": 0.0}, "step_size"), ({"tie": "uniform"}, "tie"),
    ({"algorithm": "reinforce"}, "algorithm"), ({"episodes": 10**15 + 1}, "episodes"), ({"steps": 2}, "no steps"),
    ({"trace_decay": 0.5}, "no trace_decay"),
    ({"algorithm": "n-step-sarsa", "trace_decay": 0.5}, "no trace_decay"),
    *(({"algorithm": "n-step-sarsa", "steps": steps}, "expected .* got ") for steps in (0, 1.5, "two", True)),
    ({"hidden": "32,32"}, "expected no hidden with the algorithm q, got '32,32'"),
    ({"tuples": 3}, "expected no tuples with the algorithm q, got 3"),
    *(({**run, "start_from": path}, f"cannot read '{path}'")
      for run in ({}, {**TD, **CONNECT4}, ULTIMATE) for path in ("nothing.npz", "network")),
    ({**CONNECT4, "algorithm": "q", "credit": "sai"}, "credit"), ({**CONNECT4, "credit": "nobody's"}, "credit"),
    *(({**DQN, **changes}, f"^expected .*{name}.* got ") for name, changes in {
        "optimizer": {"optimizer": "lion"}, "hidden": {"hidden": "32,0"}, "minibatch": {"minibatch": 0},
        "polyak": {"polyak": 0.1, "target_every": 10}, "target": {"target": "expected", "opponent": "self"},
        "keep": {"keep": "best", "game": "connect4"}, "step_size": {"step_size": "visits"}, "tie": {"tie": "last"},
        "initial_q": {"initial_q": 1.0}, "illegal_reward": {"illegal_reward": -1.0},
        "opening_plies": {"opening_plies": 4}, "rewards": {"opponent": "self", "draw_reward": 0.5},
        "double": {"double": "on"}, "replay": {"replay": 1.5},
    }.items()),
    *(({**TD, **CONNECT4, **changes}, words) for changes, words in (
        ({"game": "tic-tac-toe"}, "expected connect4 or ultimate as the game of td, got 'tic-tac-toe'"),
        ({"opponent": "random"}, "expected the opponent self with td, got 'random'"),
        ({"tuple_cells": 17}, "expected tuple_cells to be a whole number from 1 to 12, got 17"),
        ({"game": "connect4:columns=3,rows=2,length=3", "tuple_cells": 8}, "at most 6 cells on this board"),
        ({"tuples": 1000, "tuple_cells": 12}, "expected n-tuples of at most"),
        ({"step_size": "visits:0.5"}, "expected step_size to depend on the episode, not on visits, with td"),
        ({"discount": 0.9}, "expected no discount with the algorithm td, got 0.9"),
        ({"hidden": "32"}, "expected no hidden with the algorithm td, got '32'"),
    )),
    *(({**ULTIMATE, **changes}, words) for changes, words in (
        ({"game": "ultimate:closed=stay"}, "expected connect4 or ultimate as the game of td, got 'ultimate:closed=s"),
        ({"opponent": "random"}, "expected the opponent self with td, got 'random'"),
        ({"tuples": 5}, "expected no tuples with td on ultimate, got 5"),
        ({"coherent": False}, "expected no coherent with td on ultimate, got False"),
        ({"step_size": "visits"}, "expected step_size to depend on the episode, not on visits, with td"),
    )),
    *(({"algorithm": "alphazero", **changes}, f"^expected {words}") for changes, words in (
        ({"game": "connect4"}, "a game with a state table and alternating turns for alphazero, got 'connect4'"),
        ({"opponent": "random"}, "the opponent self with alphazero, got 'random'"),
        ({"random_opening": True}, "no random_opening with the algorithm alphazero, got True"),
        ({"epsilon": "0.1"}, "no epsilon with the algorithm alphazero, got '0.1'"),
        ({"simulations": 0}, r"simulations to be a whole number from 1 to 1e\+06, got 0"),
        ({"noise": 1.5}, "noise to be a number from 0 to 1, got 1.5"),
        ({"algorithm": "q", "simulations": 9}, "no simulations with the algorithm q, got 9"),
    )),
    *(({"algorithm": algorithm, **changes}, f"^expected {words.format(algorithm)}$")
      for algorithm in (*PLANNING, "fictitious-play") for changes, words in (
        ({"step_size": "0.1"}, "no step_size with the algorithm {}, got .*"),
        ({"epsilon": "0"}, "no epsilon with the algorithm {}, got .*"),
        ({"steps": 3}, "no steps with the algorithm {}, got 3; that is a setting of n-step-.*"),
        ({"trace_decay": 0.5}, "no trace_decay with the algorithm {}, got 0.5; that is a setting of sarsa-.*"),
        ({"game": "connect4"}, "a game with a state table for {}, got 'connect4'"),
        ({"game": "ultimate"}, "a game with a state table for {}, got 'ultimate'"),
    )),
    *(({"algorithm": "fictitious-play", name: value}, f"^expected no {name} .* fictitious-play, got {value!r}$")
      for name, value in {"tie": "last", "discount": 0.9, "win_reward": 2.0, "initial_q": 1.0,
                          "random_opening": True}.items()),
    ({"algorithm": "fictitious-play", "opponent": "random"},
     "^expected the opponent self with fictitious-play, got 'random'$"),
]  # fmt: skip


@pytest.mark.parametrize(("settings", "words"), REFUSED)
def test_settings_that_make_no_sense_are_one_line(settings, words):
    with pytest.raises(TttFastError, match=words) as caught:
        start_training(TrainingConfig(**{"episodes": 100, **settings}))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("algorithm", [*TABULAR, *PLANNING, "fictitious-play"])
def test_a_run_of_no_episodes_has_its_initial_values(algorithm):
    initial = 0.0 if algorithm == "fictitious-play" else 0.25
    run = train(TrainingConfig("self", episodes=0, algorithm=algorithm, **{"initial_q": initial} if initial else {}))
    assert run.complete and (run.episodes, len(run.curve())) == (0, 0)
    assert not run.updates.any() and not run.held.any() and not run.counts.any()
    assert (run.values.q == initial).all()
