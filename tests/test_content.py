"""A name stands for content: what is stored or kept under a name is never taken for other rules, agents or files."""

import importlib
import pickle
import sys
from functools import partial

import pytest

from cli_runner import run, run_process
from ttt_fast import (
    ContestConfig,
    FileFormatError,
    TttFastError,
    UsageError,
    as_policy,
    contest,
    induced_table,
    load_policy,
    parse_agent,
    parse_game,
    save_policy,
    sweep,
    table_from_functions,
    table_of,
    train,
)
from ttt_fast.external.environment import opponent_of
from ttt_fast.learners import Sweep
from ttt_fast.play.openings import NO_OPENING
from ttt_fast.play.pairs import ContestUnit, pack, play_packed
from ttt_fast.training import config as training_config
from ttt_fast.training.sweep import run_unit

OF_OTHER_RULES = r"^expected 'nim' with the rules that a pickled object belongs to, got"


def nim(take=3, sign=1, player=None, observe=None, name="nim"):
    return table_from_functions(
        (6, 1),
        legal_actions=lambda state: range(1, min(take, state[0]) + 1),
        play=lambda state, taken: (state[0] - taken, -state[1]),
        result=lambda state: None if state[0] else -sign * state[1],
        player=player,
        observe=observe,
        name=name,
    )


def moves_on(state):
    """X moves first, O in all other states: the graph of nim with other players."""
    return 1 if state[0] == 6 else 2


OTHERS = {
    "moves": {"take": 2},
    "result": {"sign": -1},
    "players": {"player": moves_on},
    "inputs": {"observe": lambda state: [state[0]]},
    "other inputs": {"observe": lambda state: [-state[0]]},
}


def name_of(**settings):
    return Sweep({"episodes": 100, **settings}, {}, [0]).names[0]


# --- Rules.


RUNS = [("q", "random"), ("q", "self"), ("dqn", "random"), ("alphazero", "self")]


@pytest.mark.parametrize(("algorithm", "opponent"), RUNS)
def test_a_run_is_named_by_the_rules_of_a_custom_game(algorithm, opponent):
    def name(**rules):
        nim(**rules)
        return name_of(game="nim", algorithm=algorithm, opponent=opponent)

    usable = {what: rules for what, rules in OTHERS.items() if what != "players" or algorithm == "q"}
    assert len({name(), *(name(**rules) for rules in usable.values())}) == 1 + len(usable)
    assert name() == name(take=3)


def test_the_names_of_runs_of_the_games_of_the_package_are_those_of_before(monkeypatch):
    monkeypatch.setattr(training_config, "package_version", lambda: "1.0.0")
    assert name_of(episodes=1000) == "f6496951be3e578e66014d02"
    assert name_of(episodes=1000, opponent="self", judges="minimax") == "0024c3e68407c26bcbdc2152"
    assert name_of(episodes=1000, game="connect4") == "541e006038502f2682624fa5"


@pytest.mark.parametrize("opponent", ["random", "self"])
def test_a_sweep_repeats_the_runs_of_other_rules(tmp_path, opponent):
    settings = {"game": "nim", "opponent": opponent, "episodes": 500, "evaluations": 1}
    words = ["sweep", "--game", "nim", "-n", "500", "--seeds", "2", "--set", f"opponent={opponent}", "-f", "csv"]
    nim()
    sweep(settings, 2, tmp_path / "python")
    first = run(*words, "-o", tmp_path / "command")
    assert first.code == 0 and "2 of 2 runs were" in run(*words, "-o", tmp_path / "command").err
    job = Sweep(settings, {}, [0]).job(0)
    nim(sign=-1)
    assert sweep(settings, 2, tmp_path / "python").drop("seconds").equals(sweep(settings, 2).drop("seconds"))
    again = run(*words, "-o", tmp_path / "command")
    assert again.code == 0 and "were in" not in again.err
    with pytest.raises(TttFastError, match="rules and files as when the sweep was started"):
        run_unit(job.payload)  # by a worker with other rules


@pytest.mark.parametrize("what", OTHERS)
def test_pickles_and_files_of_other_rules_are_refused(tmp_path, what):
    table = nim()
    policy = as_policy("random", "nim")
    save_policy(tmp_path / "p.npz", policy)
    objects = [policy, table, table.game, train(game="nim", opponent="self", episodes=100)]
    pickles = [pickle.dumps(one) for one in objects]
    nim()
    assert pickle.loads(pickles[0]) == as_policy("random", "nim")
    nim(**OTHERS[what])
    for content in pickles:
        with pytest.raises(UsageError, match=OF_OTHER_RULES):
            pickle.loads(content)
    if "inputs" not in what:  # which no policy depends on
        with pytest.raises(FileFormatError):
            load_policy(tmp_path / "p.npz")


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["minimax:tie=first", lambda state: 0], ids=["policy", "function"])
def test_pickles_of_induced_tables_of_other_rules_are_refused(agent):
    nim()
    content = pickle.dumps(induced_table(agent, "x", "nim"))
    nim(take=2)
    with pytest.raises(UsageError, match=OF_OTHER_RULES):
        pickle.loads(content)


@pytest.mark.parametrize(("openings", "suffix"), [(None, ".npz"), ("none", ".jsonl")])
def test_a_contest_of_other_rules_is_not_continued(tmp_path, openings, suffix):
    path, settings = tmp_path / f"m{suffix}", {"game": "nim", "openings": openings}
    nim()
    contest("random", "random", ContestConfig(4, **settings), save_to=path)
    nim()
    contest("random", "random", ContestConfig(4, **settings), resume_from=path)
    nim(observe=lambda state: [state[0]])
    with pytest.raises(UsageError, match=r"the rules, agents or files of this contest have changed since: game nim$"):
        contest("random", "random", ContestConfig(4, **settings), resume_from=path)


GAME = """
import sys
from pathlib import Path
import ttt_fast
source = Path({example!r}).read_text().replace("return 3 - result if", {change!r}).replace("misere4", "mine")
Path("mine.py").write_text(source)
sys.path.insert(0, ".")
import mine
settings = {{"game": "mine", "opponent": "random", "episodes": 200, "evaluations": 1}}
print(ttt_fast.sweep(settings, 1, "runs")["best_value"][-1])
print(ttt_fast.exact_outcome("minimax", "random", game="mine").value)
"""


@pytest.mark.slow
def test_an_added_game_with_an_edited_file_has_new_runs_and_tables(tmp_path):
    from conftest import REPOSITORY

    example = str(REPOSITORY / "docs" / "examples" / "misere_connect4.py")
    found = []
    for change in ("return 3 - result if", "return result if", "return 3 - result if"):
        program = [sys.executable, "-c", GAME.format(example=example, change=change)]
        ran = run_process(program=program, cwd=tmp_path)
        assert ran.code == 0, ran.err
        found.append(ran.text)
    assert found[0] == found[2] != found[1]
    assert len(list((tmp_path / "runs").glob("*.parquet"))) == 2


# --- Agents and files.

MODULE = """
from ttt_fast.games import api
def f(state):
    return api.legal_actions(state)[{}]
def of(k, state):
    return f(state)
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A function that writes a module with an agent, and returns the module."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def write(place):
        (tmp_path / "of_content.py").write_text(MODULE.format(place))
        importlib.invalidate_caches()
        sys.modules.pop("of_content", None)
        return importlib.import_module("of_content")

    yield write
    sys.modules.pop("of_content", None)


def test_a_contest_is_not_continued_with_another_function_of_the_same_name(module):
    config, resumed = ContestConfig(4), {"resume_from": "m.jsonl"}
    for agent in (lambda found: "python:of_content:f", lambda found: found.f, lambda found: partial(found.of, 1)):
        contest(agent(module(0)), "random", config, save_to="m.jsonl", overwrite=True)
        assert contest(agent(module(0)), "random", ContestConfig(6), **resumed).rows[0]["games"] == 3
        with pytest.raises(UsageError, match="the rules, agents or files of this contest have changed since: python:"):
            contest(agent(module(-1)), "random", config, **resumed)
    path = "lambda.jsonl"
    contest(lambda state: module(0).f(state), "random", config, save_to=path)
    with pytest.raises(
        UsageError, match=r"^cannot continue .*with a source, got 'python:given:lambda', a lambda, a local function, or"
    ):
        contest(lambda state: module(0).f(state), "random", config, resume_from=path)


@pytest.mark.parametrize(("openings", "suffix"), [(None, ".npz"), ("none", ".jsonl")])
def test_a_contest_is_not_continued_with_another_policy_of_the_same_name(tmp_path, openings, suffix):
    path, config = tmp_path / f"m{suffix}", ContestConfig(4, openings=openings)
    weak, strong = as_policy("random", name="one"), as_policy("minimax", name="one")
    contest(strong, weak, config, save_to=path)
    contest(strong, weak, config, resume_from=path)
    with pytest.raises(UsageError, match="of this contest have changed since"):
        contest(weak, weak, config, resume_from=path)


def test_files_behind_names_are_a_part_of_the_name_of_a_run_and_of_the_work_of_others(tmp_path):
    path = tmp_path / "q.npz"

    def names(content):
        path.write_bytes(content)
        return (
            name_of(game="connect4", opponent="self", judges=f"random,{path}"),
            name_of(game="ultimate", opponent="self", algorithm="td", judges="random", start_from=str(path), seat=3),
        )

    one, other = names(b"one"), names(b"other")
    assert not {*one} & {*other} and names(b"one") == one
    unit = ContestUnit(parse_game("tic-tac-toe"), parse_agent(str(path)), parse_agent("random"), 0, [(0, NO_OPENING)])
    packed = pack(unit)
    path.write_bytes(b"other")
    with pytest.raises(TttFastError, match="expected the rules and files with which the contest was planned"):
        play_packed(packed)


def test_no_process_keeps_the_policy_of_a_file_that_has_changed(tmp_path):
    path, table = tmp_path / "p.npz", table_of("tic-tac-toe")
    found, lasts = [], []
    for agent in ("random", "minimax"):
        save_policy(path, as_policy(agent))
        found.append(opponent_of(str(path), table, 1) == as_policy(agent))
        settings = {"opponent": "self", "episodes": 2000, "evaluations": 1}
        named, direct = (train(**settings, judges=judge).history[-1, -3:] for judge in (str(path), agent))
        lasts.append((named == direct).all())
    assert all(found) and all(lasts)
