"""What people hand over in Python: whole numbers in any form, and one line for what cannot be meant."""

import json
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import ttt_fast
from conftest import random_policy
from ttt_fast import ContestConfig, TrainingConfig, UsageError, as_policy
from ttt_fast.core.checks import shown, whole_number

NOT_WHOLE = [2.5, np.float64(2.5), float("nan"), float("inf"), "3", None, True, np.True_, Fraction(5, 2), [3],
             np.array([3, 4]), Decimal(3)]  # fmt: skip


@pytest.mark.parametrize("value", [3, 3.0, np.int8(3), np.uint64(3), np.float32(3), Fraction(6, 2)])
def test_whole_numbers_become_plain_integers(value):
    found = whole_number(value, "games")
    assert (found, type(found)) == (3, int)
    assert whole_number(1.0, "games", 1) == 1
    assert (whole_number(1e15, "games"), whole_number(10**18 + 1, "games")) == (10**15, 10**18 + 1)


@pytest.mark.parametrize("value", NOT_WHOLE)
def test_what_is_no_whole_number_is_shown(value):
    with pytest.raises(UsageError, match=f"^expected games to be a whole number, got {re.escape(repr(value))}$"):
        whole_number(value, "games")
    with pytest.raises(UsageError, match=r"^expected games to be at least 1, got 0\.0$"):
        whole_number(0.0, "games", 1)


class Hostile:
    def __repr__(self):
        raise SystemExit(0)


@pytest.mark.parametrize(
    "value", [Hostile(), 10**5000, [10**5000], [Hostile()], np.zeros((9, 9)), as_policy("random")], ids=range(6)
)
def test_long_values_and_those_that_cannot_be_shown_are_their_type(value):
    assert shown(value) == f"a value of type {type(value).__name__}" and shown("x") == "'x'"


def test_counts_may_be_texts_and_games_may_be_objects_or_tables():
    table = ttt_fast.table_of("tic-tac-toe")
    for game in (table, table.game):
        assert ContestConfig("1k", game=game, chunk_games="1M") == ContestConfig(1000, chunk_games=10**6)
        assert ttt_fast.parse_game(game) is table.game and TrainingConfig(game=game) == TrainingConfig()
        assert ttt_fast.induced_table("minimax:tie=first", "x", game).positions == 126
    run = ttt_fast.train(TrainingConfig(episodes=2000, chunk_episodes=1000), until="1k", memory_limit=np.int64(10**10))
    assert run.episodes == ttt_fast.train(run, until=np.int64(1000)).episodes == 1000
    assert ttt_fast.as_player("mcts:sims=1k").config.sims == 1000
    actions = np.arange(9) == table.edge_action[table.edge_start[:-1][table.decision_mask]][:, None]
    assert as_policy(actions, name="one-hot")[table.board(0)][0] == 1
    three = np.array(3)
    for call in (
        lambda: ttt_fast.parse_game(None), lambda: ttt_fast.as_policy("random", []), lambda: ContestConfig(1, game=3),
        lambda: ttt_fast.perft("tic-tac-toe", "x"), lambda: ttt_fast.perft("tic-tac-toe", 3, -1),
        lambda: ttt_fast.Solver(threads=1.5), lambda: ttt_fast.table_of("tic-tac-toe", "x"),
        lambda: ttt_fast.induced_table("random", "x", max_positions="x"), lambda: ttt_fast.list_agents([]),
        lambda: ttt_fast.as_player("random", seats=1), lambda: ttt_fast.sweep({"episodes": 10}, three),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=r"^expected [^\n]* got [^\n]*$"):
            call()


def test_whole_floats_are_the_integers_of_a_configuration():
    floats = ContestConfig(games=np.float64(6), seed=1.0, match_index=0.0, game="connect4")
    assert floats == ContestConfig(games=6, seed=1, game="connect4")
    assert ttt_fast.contest("random", "default", floats).summary[0]["games"] == 6
    settings = {"episodes": 1e4, "seed": 1.0, "chunk_episodes": 1e3, "evaluations": 2.0, "seat": 2.0}
    floats = TrainingConfig(**settings)
    integers = TrainingConfig(**{name: int(value) for name, value in settings.items()})
    assert json.dumps(floats.as_dict()) == json.dumps(integers.as_dict())
    assert ttt_fast.train(floats).sha256() == ttt_fast.train(integers).sha256()
    with pytest.raises(UsageError, match=r"^expected episodes to be a whole number, got 1\.5$"):
        TrainingConfig(game="connect4", episodes=1.5)


@pytest.mark.parametrize(
    ("config", "rest", "names"),
    [
        (ContestConfig, {"game": "connect4", "games": 2}, ("games", "seed", "match_index")),
        (ContestConfig, {"games": 2}, ("chunk_games",)),
        (TrainingConfig, {}, ("episodes", "seed", "chunk_episodes", "evaluations")),
    ],
)
@pytest.mark.parametrize("value", [2.5, b"3", True])
def test_other_values_of_integer_settings_are_one_line(config, rest, names, value):
    for name in names:
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
    "train": lambda wrong, fine: ttt_fast.train(TrainingConfig("minimax", episodes=0), wrong),
}


@pytest.mark.parametrize("call", CALLS)
def test_what_is_no_agent_is_one_line(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"^(unknown agent 'minmax'|expected a policy file that)[^\n]*$"):
        CALLS[call]("minmax", as_policy("random"))
    for wrong in (1, 2.5, TrainingConfig(), np.zeros((5478, 9))):
        with pytest.raises(UsageError, match=r"^(policy '(python:given:)?ndarray': )?expected [^\n]*, got [^\n]*$"):
            CALLS[call](wrong, as_policy("random"))
    assert list(tmp_path.iterdir()) == []


SEATS = {
    "agreement": ttt_fast.agreement,
    "never_loses": ttt_fast.never_loses,
    "value_of": lambda policy, seat: ttt_fast.exact_outcome(policy, policy).value_of(seat),
}


@pytest.mark.parametrize("call", SEATS)
@pytest.mark.parametrize("seat", [0, 3, 1.5, "xo", as_policy("minimax"), np.array([1, 2])])
def test_a_wrong_seat_is_one_line(call, seat):
    with pytest.raises(UsageError, match=r"^expected x, o, 1 \(X\) or 2 \(O\) as the seat, got [^\n]*$"):
        SEATS[call](as_policy("random"), seat)


@pytest.mark.parametrize("start", [2.5, "0", as_policy("random"), -1, 5478, 10**9, None])
def test_a_wrong_state_is_one_line(start):
    for call in (ttt_fast.exact_outcome, ttt_fast.exact_fractions):
        with pytest.raises(UsageError, match=r"^expected a state index from 0 to 5477, got [^\n]*$"):
            call("random", "random", start=start)


@pytest.mark.parametrize("run", [ContestConfig(10), "q.npz", 5, [("opponent", "random")]])
def test_what_is_no_run(run):
    with pytest.raises(UsageError, match=r"^expected a TrainingConfig, or a TrainingRun, got [^\n]*$"):
        ttt_fast.train(run)


def test_fractions_of_a_policy_that_is_known_as_floats():
    rows, said = random_policy(1), "^policy 'random-rows-1': expected integer weights, from which exact fractions are"
    for pair in ((rows, "random"), ("random", rows)):
        with pytest.raises(ttt_fast.PolicyError, match=said):
            ttt_fast.exact_fractions(*pair)
