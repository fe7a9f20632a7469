"""User-supplied Python agents: every form, exact if they are deterministic, and each mistake in one line."""

import gc
import importlib
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
import threading

import numpy as np
import pytest

from cli_runner import assert_one_line, run
from conftest import PATIENCE, REPOSITORY
from ttt_fast import (
    AgentError,
    ContestConfig,
    Environment,
    Meter,
    Policy,
    TttFastError,
    as_player,
    as_policy,
    contest,
    exact_outcome,
    parse_agent,
    parse_game,
)
from ttt_fast.core.errors import AnswerError, ExternalAgentError
from ttt_fast.games import api
from ttt_fast.kernels import chunk_stream
from ttt_fast.play import pairs
from ttt_fast.play.openings import NO_OPENING

GAME = parse_game("tic-tac-toe")
MODULE = """
import random
import numpy as np
from ttt_fast import Policy, as_policy, table_of
from ttt_fast.games import api

def first(state): return api.legal_actions(state)[0]
def evenly(state):
    row, legal = np.zeros(9), api.legal_actions(state)
    row[legal] = 1 / len(legal)
    return row
def draws(state): return random.choice(api.legal_actions(state))
def mood(state):
    mood.asked += 1
    return api.legal_actions(state)[-(mood.asked > 4520)]
mood.asked = 0
def fails(state): raise KeyError("no idea")
def illegal(state): return 0
def outside(state): return 99
def text(state): return "4"
def truth(state): return True
def short(state): return [1.0]
def heavy(state): return [0.5] * 9
def leaves(state): raise SystemExit(10)
def closes(state): raise GeneratorExit
def huge(state): return 10**5000
class Hostile:
    def __repr__(self): raise SystemExit(0)
    @property
    def choose(self): raise SystemExit(0)
def strange(state): return Hostile()
hostile = Hostile()
class Unsaid(Exception):
    def __str__(self): raise ValueError
def unsaid(state): raise Unsaid
class Bot:
    def __init__(self): self.seeds = []
    def begin(self, seed): self.seeds.append(seed)
    def choose(self, state): return first(state)
    second = staticmethod(lambda state: api.legal_actions(state)[-1])
class Seeded:
    def begin(self, seed): self.random = random.Random(seed)
    def choose(self, state): return self.random.choice(api.legal_actions(state))
class Broken:
    def __init__(self): raise OSError("no weights")
class Late:
    def begin(self, seed): raise OSError("no weights")
    def choose(self, state): return first(state)
bot, table = Bot(), table_of("tic-tac-toe")
policy = as_policy("minimax:tie=first")
actions = table.legal_action_mask.argmax(axis=1)
rows = np.where(table.legal_action_mask, 1 / np.maximum(table.legal_action_mask.sum(1, keepdims=True), 1), 0)
number, other_game = 5, as_policy("random", "tic-tac-toe:misere=yes")
"""


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """Writes a module into the present folder and returns how a name of it is spelled."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    sys.modules.pop("mine_here", None)
    (tmp_path / "mine_here.py").write_text(MODULE)
    yield "python:mine_here:{}".format
    sys.modules.pop("mine_here", None)


@pytest.mark.parametrize(
    ("name", "same"),
    [("first", None), ("bot", None), ("Bot", None), ("actions", None), ("bot.choose", None),
     ("policy", "minimax:tie=first"),
     ("evenly", "random"), ("rows", "random")],
)  # fmt: skip
def test_each_form_is_a_policy(name, same, mine, table):
    policy = as_policy(mine(name))
    wanted = Policy.from_actions(table, table.legal_action_mask.argmax(axis=1)) if same is None else as_policy(same)
    assert np.allclose(policy.probabilities, wanted.probabilities, rtol=0, atol=1e-15) and policy.name == mine(name)
    way = contest(mine(name), "random", ContestConfig(2)).way
    assert way == ("counted" if name in ("policy", "actions", "rows") else "one by one")


def test_an_exact_result_has_the_fractions_of_its_policy(mine):
    found, wanted = (exact_outcome(as_policy(one), as_policy("random")) for one in (mine("evenly"), "random"))
    assert abs(found.x_wins - wanted.x_wins) < 1e-12
    inside = as_policy(f"mix:1/4*{mine('first')}+3/4*(best-response:{mine('first')})")
    assert inside.probabilities[0].sum() == 1.0


@pytest.mark.parametrize("name", ["draws", "mood", "Seeded"])
def test_who_answers_otherwise_is_only_sampled(name, mine):
    with pytest.raises(
        AgentError,
        match=r"deterministic agent .* returned '\d' and then '\d' at '.{9}'; `ttt-fast match` plays with such agents",
    ):
        as_policy(mine(name))
    assert contest(mine(name), "random", ContestConfig(10), threads=2).complete


def test_a_seed_makes_games_repeat(mine):
    config = ContestConfig(20, seed=5)
    one, other = (contest(mine("Seeded"), "random", config, threads=threads) for threads in (1, 2))
    moves = [[[game.moves for game in pair] for _, pair in sorted(held.tally.pairs.items())] for held in (one, other)]
    assert moves[0] == moves[1] and one.tally.distinct_games > 10


class Meeting:
    """Counts the threads inside a call; with `thread_safe`, calls wait until two threads have met."""

    def __init__(self, **attributes):
        self.__dict__ |= attributes
        self.waits = bool(attributes)
        self.inside, self.most, self.counting, self.met = 0, 0, threading.Lock(), threading.Event()

    def choose(self, state):
        with self.counting:
            self.inside += 1
            self.most = max(self.most, self.inside)
            if self.inside == 2:
                self.met.set()
        if not self.met.wait(PATIENCE if self.waits else 0.01) and self.waits:
            raise TimeoutError
        with self.counting:
            self.inside -= 1
        return api.legal_actions(state)[0]


@pytest.mark.parametrize(("attributes", "most"), [({}, 1), ({"thread_safe": True}, 2)])
@pytest.mark.parametrize("form", ["object", "function"])
def test_calls_overlap_only_if_the_agent_is_thread_safe(form, attributes, most):
    meeting = Meeting(**attributes)

    def choose(state):
        return meeting.choose(state)

    choose.__dict__ |= attributes
    agent = meeting if form == "object" else choose
    assert contest(agent, "random", ContestConfig(12), threads=2).complete
    assert meeting.most == most


MISTAKES = {
    "fails": (AnswerError, r"the function failed at '\.{9}': KeyError: 'no idea'"),
    "illegal": (AnswerError, r"expected (a legal action of|one of the legal actions) [12].* at '\S{9}', got 0"),
    "outside": (AnswerError, r"expected (a legal action of|one of the legal actions) 0, .* at '\.{9}', got 99"),
    "text": (AnswerError, r"expected an action or 9 numbers at '\.{9}', got '4'"),
    "truth": (AnswerError, r"expected an action or 9 numbers at '\.{9}', got True"),
    "short": (AnswerError, r"expected an action or 9 numbers at '\.{9}', got \[1.0\]"),
    "heavy": (AnswerError, r"."),
    "leaves": (AnswerError, r"the function failed at '\.{9}': SystemExit: 10"),
    "closes": (AnswerError, r"the function failed at '\.{9}': GeneratorExit"),
    "huge": (AnswerError, r"expected an action or 9 numbers at '\.{9}', got a value of type int"),
    "strange": (AnswerError, r"expected an action or 9 numbers at '\.{9}', got a value of type Hostile"),
    "unsaid": (AnswerError, r"the function failed at '\.{9}': Unsaid"),
    "hostile": (AnswerError, "cannot make the agent 'python:mine_here:hostile': SystemExit: 0"),
    "Broken": (AnswerError, "cannot make the agent 'python:mine_here:Broken': OSError: no weights"),
    "Late": (AnswerError, "the method begin failed: OSError: no weights"),
    "number": (
        AgentError,
        "expected a policy, .* or an object with a method choose or action_values, got 5",
    ),
    "other_game": (AgentError, "expected a policy for tic-tac-toe, got .* for tic-tac-toe:misere=yes"),
    "nobody": (TttFastError, "cannot load an agent .*: AttributeError"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_line(name, mine):
    kind, reason = MISTAKES[name]
    with pytest.raises(kind, match=reason) as told:
        as_policy(mine(name))
    assert "\n" not in str(told.value) and told.value.exit_code == (1 if kind is AnswerError else 2)
    with pytest.raises(TttFastError, match=reason.replace("heavy", "")) as told:
        contest(mine(name), "random", ContestConfig(10, openings="none"), threads=1)  # as X and as O
    assert "\n" not in str(told.value) and told.value.exit_code == (1 if kind is AnswerError else 2)


def test_rows_of_chances_are_checked_and_drawn_from(mine, table):
    player = as_player(mine("evenly"), GAME)
    state = GAME.parse_position("XOXOXO...")
    seen = set()
    for number in range(50):
        player.begin(chunk_stream(number))
        seen.add(player.search(state).action)
    assert seen == {6, 7, 8} and player.probabilities(state).tolist() == [0] * 6 + [1 / 3] * 3
    with pytest.raises(AnswerError, match=r"probabilities that sum to 1 over the legal actions at 'XOXOXO\.\.\.'"):
        as_player(mine("heavy"), GAME).search(state)


def test_an_object_is_told_of_every_game(mine):
    player = as_player(mine("bot"), GAME)
    for number in range(3):
        player.begin(chunk_stream(number))
    seeds = sys.modules["mine_here"].bot.seeds
    assert len(set(seeds)) == 3 and all(0 <= seed < 2**63 for seed in seeds)


def test_learners_of_others_may_meet_them(mine):
    meter = Meter("tic-tac-toe", seat="x", opponent=mine("first"))
    assert meter.record(0, mine("evenly"))["best_value"] == 1.0
    environment = Environment("tic-tac-toe", "o", mine("first"))
    assert environment.reset() == GAME.parse_position("X........")


def test_other_machines_play_no_external_agents(mine):
    class Remote:
        shares_memory, losses = False, ()

    for first, second in ((mine("first"), "random"), ("random", f"best-response:{mine('first')}")):
        with pytest.raises(ExternalAgentError, match="in the work of another machine"):
            contest(first, second, ContestConfig(2), executor=Remote())
        with pytest.raises(ExternalAgentError, match="in the work of another machine"):
            contest([first, second], config=ContestConfig(2), executor=Remote())
        unit = pairs.ContestUnit(
            parse_game("tic-tac-toe"), parse_agent(first), parse_agent(second), 0, [(0, NO_OPENING)]
        )
        with pytest.raises(ExternalAgentError, match="in the work of another machine"):
            pairs.play_packed(pairs.pack(unit))


def code_of(name):
    """The code of docs/AGENTS.md that is marked by a name."""
    text = (REPOSITORY / "docs" / "AGENTS.md").read_text(encoding="utf-8")
    return re.search(rf"```python {name}\n(.*?)```", text, re.DOTALL).group(1)


def test_the_module_of_the_page(tmp_path, monkeypatch, table):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "of_the_page.py").write_text(code_of("agent"))
    corners, centre = (as_policy(f"python:of_the_page:{name}") for name in ("corners", "Centre"))
    assert (corners.greedy_actions()[0], centre.greedy_actions()[0]) == (0, 4)
    assert corners.greedy_actions()[table.state_index("X...O....")] == 2
    sys.modules.pop("of_the_page")


def test_the_reader_of_the_page_plays_a_table_of_another_program(tmp_path, monkeypatch, table):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    chosen = as_policy("minimax:tie=first")
    boards = {table.board(state): chosen.probabilities[state].tolist() for state in np.flatnonzero(table.decision_mask)}
    (tmp_path / "q.json").write_text(json.dumps(boards))
    (tmp_path / "table.py").write_text(code_of("reader"))
    row = run("exact", "python:table:best", "random", "-f", "json").json()["rows"][0]
    assert row["x_wins"] == pytest.approx(exact_outcome(chosen, "random").x_wins, abs=1e-12)
    sys.modules.pop("table")


@pytest.mark.parametrize("game", ["tic-tac-toe", "connect4"])
@pytest.mark.parametrize("name", ["q.npz", "q.npy", "q.pkl", "q.dat", "q.txt", "q.json", "./q"])
def test_the_refusal_of_a_table_of_another_program_names_a_way(name, game, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.savez("q.npz", q=np.zeros((5478, 9)))
    np.save("q.npy", np.zeros((5478, 9)))
    for other in {"q.pkl", "q.dat", "q.txt", "q.json", "./q"}:
        (tmp_path / other).write_bytes(pickle.dumps({((0,) * 9, 4): 0.5}))
    ran = run("match", name, "random", "-n", "10", "--game", game)
    assert_one_line(ran, ran.code, name, "; try python:MODULE:NAME", "(docs/AGENTS.md)")
    assert ran.code in (1, 2)


BOT = f"""#!{sys.executable}
import os, pathlib, sys, time
pathlib.Path("started", str(os.getpid())).touch()
fault = pathlib.Path("fault")
for line in sys.stdin:
    if fault.exists():
        kind = fault.read_text()
        if kind.startswith("once"): fault.unlink()
        if kind.endswith("late"): time.sleep(10_000)
        if kind.endswith("crash"): sys.exit("no more")
        if kind.endswith("word"): print("hello", flush=True)
    print(line.index("."), flush=True)
time.sleep(10_000)
"""
"""The first free cell; it stays after the end of its input, and a file makes it fail."""


def is_running(number):
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture
def bot(tmp_path, monkeypatch):
    """The module of docs/examples, beside a program; whatever it starts is over at the end."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    (tmp_path / "started").mkdir()
    (tmp_path / "my-bot").write_text(BOT)
    (tmp_path / "my-bot").chmod(0o755)
    shutil.copy(REPOSITORY / "docs" / "examples" / "bot.py", tmp_path)
    module = importlib.import_module("bot")
    yield module
    if hasattr(module.of_thread, "process"):
        module.end(module.of_thread.process)
    del sys.modules["bot"]
    assert not any(map(is_running, started(tmp_path)))


def started(folder):
    return [int(path.name) for path in (folder / "started").iterdir()]


@pytest.mark.slow
def test_a_program_is_an_agent_like_any_function(bot, table, tmp_path):
    policy = as_policy("python:bot:choose")
    first = Policy.from_actions(table, table.legal_action_mask.argmax(axis=1))
    assert np.array_equal(policy.probabilities, first.probabilities) and len(started(tmp_path)) == 1
    agents = ["python:bot:choose", lambda state: api.legal_actions(state)[0]]
    held, wanted = (contest(one, "random", ContestConfig(20, seed=4), threads=2) for one in agents)
    assert [seat.ends for seat in held.seats] == [seat.ends for seat in wanted.seats]


def test_each_thread_has_its_own_program_until_it_ends(bot, tmp_path):
    both, running = threading.Barrier(2), list[list[bool]]()

    def play():
        assert bot.choose(GAME.initial_state) == bot.choose(GAME.initial_state) == 0
        both.wait(PATIENCE)
        running.append([is_running(number) for number in started(tmp_path)])
        both.wait(PATIENCE)

    threads = [threading.Thread(target=play) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    del thread, threads
    gc.collect()
    assert running == [[True, True]] * 2 and not any(map(is_running, started(tmp_path)))


def test_a_program_reads_dots_for_the_free_cells_of_ultimate(bot, monkeypatch):
    game = parse_game("ultimate")
    monkeypatch.setattr(bot, "GAME", game)
    monkeypatch.setattr(bot, "FREE", ".")
    assert bot.choose(game.state_after("55 51")) == 0


@pytest.mark.parametrize(
    ("fault", "said"),
    [("late", "no action within 0.3 s"), ("crash", "exit code 1"), ("word", r"returned 'hello\n', no number")],
)
def test_a_program_that_fails_is_started_again_once(fault, said, bot, tmp_path, monkeypatch):
    if fault == "late":
        monkeypatch.setattr(bot, "SECONDS", 0.3)
    (tmp_path / "fault").write_text(f"once {fault}")
    assert [bot.choose(GAME.parse_position(board)) for board in (".........", "X........")] == [0, 1]
    assert len(started(tmp_path)) == 2
    (tmp_path / "fault").write_text(fault)
    ran = run("match", "python:bot:choose", "random", "-n", "2", "--save", "games.jsonl")
    assert ran.code == 1 and ran.err.count("\n") == 1, ran.err
    assert "the function failed at '.........': RuntimeError: ['./my-bot', '--level=3'] " in ran.err
    assert said in ran.err and ", twice" in ran.err
    (tmp_path / "fault").unlink()
    assert run("match", "python:bot:choose", "random", "-n", "2", "--resume", "games.jsonl").code == 0


@pytest.mark.parametrize("ending", ["", "raise SystemExit(3)"])
def test_a_program_ends_with_python(ending, bot, tmp_path):
    code = f"import bot\nassert bot.choose(bot.GAME.initial_state) == 0\n{ending}"
    subprocess.run([sys.executable, "-c", code], timeout=PATIENCE, check=not ending)
    assert len(started(tmp_path)) == 1  # and is over: see the fixture
