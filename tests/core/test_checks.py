"""What people hand over in Python: whole numbers in any form, and one line for what cannot be meant."""

import json
from dataclasses import asdict
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import ttt_fast
from conftest import random_policy
from ttt_fast import exact_outcome
from ttt_fast.agents.convert import as_policy
from ttt_fast.core.checks import shown, whole_number
from ttt_fast.core.errors import PolicyError, UsageError
from ttt_fast.evaluate.strength import states_in_play, strength
from ttt_fast.games.results import check_seat
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.training import start_training
from ttt_fast.policies.best_response import best_response

WHOLE = [3, 3.0, np.int8(3), np.uint64(3), np.float32(3), Fraction(6, 2)]
NOT_WHOLE = [2.5, np.float64(2.5), float("nan"), float("inf"), "3", None, True, np.True_, Fraction(5, 2), [3],
             np.array([3, 4]), Decimal(3)]  # fmt: skip


@pytest.mark.parametrize("value", WHOLE)
def test_whole_numbers_become_plain_integers(value):
    found = whole_number(value, "games")
    assert (found, type(found)) == (3, int)


def test_a_large_float_is_the_integer_that_it_is():
    assert whole_number(1e15, "games") == 10**15
    assert whole_number(10**18 + 1, "games") == 10**18 + 1


def test_a_number_below_the_least_is_shown():
    assert whole_number(1.0, "games", 1) == 1
    with pytest.raises(UsageError, match=r"^expected games to be at least 1, got 0\.0$"):
        whole_number(0.0, "games", 1)


@pytest.mark.parametrize("value", NOT_WHOLE)
def test_what_is_no_whole_number_is_shown(value):
    with pytest.raises(UsageError) as caught:
        whole_number(value, "games")
    assert str(caught.value) == f"expected games to be a whole number, got {value!r}"


def test_long_values_are_shown_by_their_type():
    assert shown("x") == "'x'"
    assert shown(np.zeros((9, 9))) == "a value of type ndarray"
    assert shown(as_policy("random")) == "a value of type Policy"


def test_whole_floats_are_the_integers_of_a_configuration():
    floats = ttt_fast.ContestConfig(
        games=1e3, seed=7.0, chunk_games=np.float64(300), start=0.0, match_index=np.int64(1)
    )
    integers = ttt_fast.ContestConfig(1000, 7, chunk_games=300, match_index=1)
    assert floats == integers
    assert json.dumps(asdict(floats)) == json.dumps(asdict(integers))
    one, other = (ttt_fast.contest("random", "minimax", config, threads=2.0) for config in (floats, integers))
    assert np.array_equal(one.seats[0].counts, other.seats[0].counts)
    floats = ttt_fast.ContestConfig(games=6.0, seed=1.0, match_index=0.0, game="connect4")
    assert floats == ttt_fast.ContestConfig(games=6, seed=1, game="connect4")
    assert ttt_fast.contest("random", "default", floats).summary[0]["games"] == 6
    settings = {"episodes": 1e4, "seed": 1.0, "chunk_episodes": 1e3, "evaluations": 2.0, "seat": 2.0}
    floats = ttt_fast.TrainingConfig(**settings)
    integers = ttt_fast.TrainingConfig(**{name: int(value) for name, value in settings.items()})
    assert json.dumps(floats.as_dict()) == json.dumps(integers.as_dict())
    one, other = (ttt_fast.train(start_training(config)) for config in (floats, integers))
    assert one.sha256() == other.sha256()
    hashed = [ttt_fast.TrainingConfig(game="connect4", episodes=episodes) for episodes in (1e4, 10_000)]
    assert hashed[0] == hashed[1]
    with pytest.raises(UsageError, match=r"^expected episodes to be a whole number, got 1\.5$"):
        ttt_fast.TrainingConfig(game="connect4", episodes=1.5)


CONTEST, TRAINING = ttt_fast.ContestConfig, ttt_fast.TrainingConfig
FIELDS = [
    *[(CONTEST, {"games": 10}, name) for name in ("games", "seed", "start", "chunk_games", "match_index")],
    *[(TRAINING, {}, name) for name in ("episodes", "seed", "chunk_episodes", "evaluations", "seat")],
]


@pytest.mark.parametrize(("config", "rest", "name"), FIELDS)
@pytest.mark.parametrize("value", [2.5, b"3", None, True])
def test_other_values_of_integer_settings_are_one_line(config, rest, name, value):
    with pytest.raises(UsageError, match=f"^expected {name} to be a whole number, got {value!r}$"):
        config(**{**rest, name: value})


CALLS = {
    "exact_outcome, x": lambda wrong, fine: ttt_fast.exact_outcome(wrong, fine),
    "exact_outcome, o": lambda wrong, fine: ttt_fast.exact_outcome(fine, wrong),
    "exact_fractions": lambda wrong, fine: ttt_fast.exact_fractions(fine, wrong),
    "scorecard": lambda wrong, fine: ttt_fast.scorecard(wrong),
    "scorecard, opponents": lambda wrong, fine: ttt_fast.scorecard(fine, [wrong]),
    "agreement": lambda wrong, fine: ttt_fast.agreement(wrong),
    "exploitability": lambda wrong, fine: ttt_fast.exploitability(wrong),
    "never_loses": lambda wrong, fine: ttt_fast.never_loses(wrong, 1),
    "regret": lambda wrong, fine: ttt_fast.regret(wrong),
    "best_response": lambda wrong, fine: ttt_fast.best_response(wrong),
    "contest": lambda wrong, fine: ttt_fast.contest(wrong, fine, 10),
    "save_policy": lambda wrong, fine: ttt_fast.save_policy("unwritten.npz", wrong),
    "save_policy, text": lambda wrong, fine: ttt_fast.save_policy("unwritten.txt", wrong),
    "train": lambda wrong, fine: ttt_fast.train(TRAINING("minimax", episodes=0), wrong),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_string_that_names_no_agent_is_one_line(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"^(unknown agent 'minmax'|expected a policy file that)[^\n]*$"):
        CALLS[call]("minmax", as_policy("random"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("call", CALLS)
def test_anything_else_is_no_policy_either(call):
    for wrong in (1, 2.5, TRAINING(), np.zeros((5478, 9))):
        with pytest.raises(UsageError, match=r"^(policy '(python:given:)?ndarray': )?expected [^\n]*, got [^\n]*$"):
            CALLS[call](wrong, as_policy("random"))


SEATS = {
    "agreement": lambda policy, seat: ttt_fast.agreement(policy, seat),
    "never_loses": ttt_fast.never_loses,
    "states_in_play": states_in_play,
    "best_response": best_response,
    "strength": lambda policy, seat: strength(policy, policy, seat),
    "value_of": lambda policy, seat: exact_outcome(policy, policy).value_of(seat),
    "check_seat": lambda policy, seat: check_seat(seat),
}


@pytest.mark.parametrize("call", SEATS)
@pytest.mark.parametrize("seat", [0, 3, 1.5, "xo", as_policy("minimax"), np.array([1, 2])])
def test_a_wrong_seat_is_one_line(call, seat):
    with pytest.raises(UsageError, match=r"^expected x, o, 1 \(X\) or 2 \(O\) as the seat, got [^\n]*$"):
        SEATS[call](as_policy("random"), seat)


@pytest.mark.parametrize("start", [2.5, "0", as_policy("random"), -1, 5478, None])
def test_a_wrong_state_is_one_line(start):
    random = as_policy("random")
    for call in (ttt_fast.exact_outcome, ttt_fast.exact_fractions):
        with pytest.raises(UsageError, match=r"^expected a state index from 0 to 5477, got [^\n]*$"):
            call(random, random, start=start)


@pytest.mark.parametrize("run", [CONTEST(10), "q.npz", 5])
def test_what_is_no_run(run):
    with pytest.raises(UsageError, match=r"^expected a TrainingConfig, or a TrainingRun, got [^\n]*$"):
        ttt_fast.train(run)


def test_a_run_is_started_with_a_configuration():
    for wrong in ("random", [("opponent", "random")], as_policy("random")):
        with pytest.raises(UsageError, match=r"^expected a TrainingConfig, got [^\n]*$"):
            start_training(wrong)
    assert start_training({"opponent": "minimax"}).config == TrainingConfig(opponent="minimax")


def test_fractions_of_a_policy_that_is_known_as_floats():
    rows, random = random_policy(1), as_policy("random")
    said = (
        r"^policy 'random-rows-1': expected integer weights, from which exact fractions are computed, got probabilities"
    )
    for pair in ((rows, random), (random, rows)):
        with pytest.raises(PolicyError, match=said):
            ttt_fast.exact_fractions(*pair)
    mixed = as_policy("mix:0.5*random+0.5*minimax")
    assert mixed.is_exact and ttt_fast.exact_fractions(mixed, random).x_wins < 1
