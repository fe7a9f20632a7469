"""Agents that are programs: spelling, exact strength, matches, every fault, and that nothing is left running."""

import gc
import json
import os
import shlex
import signal
import string
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given, strategies as st

import own_bots
from cli_runner import start
from conftest import PATIENCE
from ttt_fast.agents import engine, engine_check
from ttt_fast.agents.convert import as_player, as_policy, as_spec, is_tabular
from ttt_fast.agents.engine import EnginePlayer, parse_command, position_word
from ttt_fast.agents.engine_check import check_engine, random_positions
from ttt_fast.agents.spec import AgentSpec
from ttt_fast.core.errors import AgentError, ExternalAgentError, FileFormatError, ForfeitError, UsageError
from ttt_fast.games import api
from ttt_fast.games.registry import GAMES, parse_game
from ttt_fast.play import pairs
from ttt_fast.play.contest import ContestConfig, contest
from ttt_fast.play.game_file import parse_games
from ttt_fast.play.openings import Opening
from ttt_fast.play.round_robin import play_round_robin
from ttt_fast.policies.policy import Policy
from ttt_fast.running import line_process

GAME = parse_game("tic-tac-toe")
WORDS = st.lists(st.text(string.ascii_letters + string.digits + " ,+()*:;'\"\\@>=./-", max_size=12), max_size=4)
FAULTS = {
    "hang": ("time", r"no answer in 0\.1 s at '"),
    "crash": ("crash", r"it ended with exit code 1: ValueError: I give up at '"),
    "leave": ("crash", r"it ended with exit code 0: some words on standard error at '"),
    "illegal": ("illegal", r"expected a legal move of .* at '.{9}', got '99'"),
    "protocol": ("protocol", r"expected 'move' and a move at '.{9}', got 'bestmove 1'"),
    "long": ("protocol", r"expected 'move' and a move at '.{9}', got 'x+\.\.\.x+'$"),
}


@pytest.fixture
def first(tmp_path):
    """The agent that plays the first legal move."""
    return f"engine:{own_bots.program(tmp_path)}"


@pytest.fixture(autouse=True)
def _no_players_kept():
    """Forget the players of this thread, whose processes would stay."""
    yield
    pairs._own.__dict__.clear()


@pytest.fixture
def impatient(monkeypatch):
    """End programs that are known to stay after a moment of waiting; they would be ended in any case."""
    monkeypatch.setattr(line_process, "_SECONDS_TO_LEAVE", 0.05)
    monkeypatch.setattr(engine, "_SECONDS_TO_FINISH", 0.1)


STAYING = {"hang", "mute", "stays"}
"""The faults of programs that do not end by themselves."""


@pytest.fixture
def _impatient_with_the_staying(request):
    """Be impatient if the parameter `fault` is one of those of programs that stay."""
    if request.node.callspec.params["fault"] in STAYING:
        request.getfixturevalue("impatient")


def first_legal(table):
    return Policy.from_actions(table, table.legal_action_mask.argmax(axis=1), "first")


def is_running(process_id):
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True


def process_of(player):
    return player._engine._program._process.pid


def wait_until(condition):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@given(WORDS.filter(len), st.none() | st.integers(1, 3_600_000))
def test_a_command_is_what_a_shell_would_read(words, milliseconds):
    program = ["./bot", *words[1:]]
    option = "" if milliseconds is None else f"ms={milliseconds} "
    found = parse_command(f"engine:{option}{shlex.join(program)}")
    assert list(found.words) == program and found.seconds == (milliseconds or 10_000) / 1000


@given(st.lists(st.sampled_from(["random", "(engine:./bot a,b)", "minimax:tie=first", "engine:./bot c"]), min_size=1))
def test_commands_in_parentheses_stay_whole_in_a_list(agents):
    assert AgentSpec.split(",".join(agents)) == agents


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("engine:", "expected engine:COMMAND, where COMMAND is a program and its arguments, got 'engine:'"),
        ("engine:ms=5", "expected engine:COMMAND"),
        ("engine:'open", "no closing quotation"),
        ("engine:ms=0 ./bot", "expected a number from 1 to 3.6e.06 as ms in .*, got '0'"),
        ("engine:ms=5 ms=6 ./bot", "expected ms=1..3600000, at most once, before the command in .*, got 'ms=6'"),
        ("engine:sims=5 ./bot", "expected ms=1..3600000, at most once, before the command in .*, got 'sims=5'"),
        ("engine:./no-such-program", "cannot start 'engine:./no-such-program': no such file or directory"),
        ("engine:/", "cannot start 'engine:/': permission denied"),
        ("engine:true", r"expected 'ttt-fast-engine 1' ... 'ready' from 'engine:true' .* it ended with exit code 0"),
        ("engine:./bot\0", "cannot start .*: embedded null byte"),
    ],
)
def test_a_wrong_spelling_is_one_line(spec, reason):
    for make in (as_policy, lambda one: as_player(one, GAME)):
        with pytest.raises(AgentError, match=reason) as told:
            make(spec)
        assert "\n" not in str(told.value) and told.value.exit_code == 2


@pytest.mark.usefixtures("_impatient_with_the_staying")
@pytest.mark.parametrize("fault", ["rude", "talkative", "mute"])
def test_a_program_must_greet(fault, tmp_path, monkeypatch):
    monkeypatch.setattr(engine, "SECONDS_TO_START", 0.2 if fault == "mute" else PATIENCE)
    reason = {
        "rude": "got 'hello'",
        "talkative": "expected a line 'name ...', 'plays ...' or 'ready' from .*, got 'hello'",
        "mute": "no answer in",
    }
    with pytest.raises(AgentError, match=reason[fault]) as told:
        as_player(own_bots.faulty(tmp_path, fault), GAME)
    assert told.tb and not line_process._running  # although the traceback keeps the player


def test_its_strength_is_exact(first, table):
    policy = as_policy(first)
    assert policy.form == "choice" and policy.name == first
    assert np.array_equal(policy.probabilities, first_legal(table).probabilities)
    small = "tic-tac-toe:rows=2,columns=3,length=2"
    mixed, alone, random = (as_policy(one, small) for one in (f"mix:1/2*({first})+1/2*random", first, "random"))
    assert np.array_equal(alone.probabilities, first_legal(alone.table).probabilities)
    assert np.allclose(mixed.probabilities, (alone.probabilities + random.probabilities) / 2, atol=1e-15)


GREETINGS = {
    "plays chess\x1b[2J": r"which plays chess\\x1b\[2J$",
    "#\n" * 20_000: "no answer among its first 10,000 lines$",
    "plays chess\n" * 2000: "got 1,000 other lines$",
    f"plays {'chess ' * 500}": r"which plays chess, .*\.\.\..*chess$",
}


@pytest.mark.parametrize("greeting", GREETINGS, ids=range(len(GREETINGS)))
def test_a_greeting_is_short_and_printable(greeting, tmp_path):
    source = f"print('ttt-fast-engine 1', {greeting!r}, 'ready', sep=chr(10), flush=True)\ninput()\n"
    with pytest.raises(AgentError, match=GREETINGS[greeting]) as told:
        as_player(f"engine:{own_bots.program(tmp_path, source)}", GAME)
    assert str(told.value).isprintable() and len(str(told.value)) < 500


COMMENTING = """
import sys, time
print("ttt-fast-engine 1", "ready", sep="\\n", flush=True)
for line in sys.stdin:
    if line.startswith("go"):
        for _ in range(int(sys.argv[1])):
            time.sleep(0.05)
            print("# thinking", flush=True)
        print("move 0", flush=True)
"""


@pytest.mark.usefixtures("impatient")
def test_a_move_has_one_deadline(tmp_path):
    """Comments come more often than the deadline, and the answer after it: sleeping is never shorter than asked."""
    command = own_bots.program(tmp_path, COMMENTING, "8")
    player = EnginePlayer(f"engine:ms={1000 * PATIENCE} {command}", GAME)
    assert player.search(GAME.initial_state).action == 0
    player.close()
    with pytest.raises(ForfeitError, match=r"no answer in 0\.2 s at") as told:
        EnginePlayer(f"engine:ms=200 {command}", GAME).search(GAME.initial_state)
    assert told.value.forfeit.startswith("time: no answer")


def test_an_agent_that_draws_has_no_exact_policy(tmp_path):
    with pytest.raises(
        AgentError, match=r"deterministic agent .* returned '\d' and then '\d' at '.{9}'; `ttt-fast match` plays"
    ):
        as_policy(own_bots.faulty(tmp_path, "draws"))


@pytest.mark.usefixtures("_impatient_with_the_staying")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_ends_an_exact_answer_in_one_line(fault, tmp_path):
    spec = own_bots.faulty(tmp_path, fault, "ms=100 " if fault == "hang" else "")
    with pytest.raises(ForfeitError, match=FAULTS[fault][1]) as told:
        as_policy(spec)
    assert str(told.value).startswith(repr(spec)) and "\n" not in str(told.value) and told.value.exit_code == 1


def test_a_match_is_that_of_its_policy(first, table):
    """Each move of a program is that of the policy that it plays, and nothing is lost by a fault."""
    held = contest(first, "random", ContestConfig(100, seed=4, openings="none"), threads=2)
    policy = first_legal(table)
    for pair in held.tally.pairs.values():
        for game in pair:
            state = GAME.initial_state
            for action in GAME.parse_moves(game.moves):
                if (api.player(state) == api.X) == (game.x == first):
                    assert action == policy.greedy_actions()[table.index_of(state)]
                state = api.play(state, action)
            assert game.forfeit == "" and "forfeit" not in json.loads(game.to_json())
    assert held.complete and not is_tabular(first, GAME)
    assert [seat.row()["x_forfeits"] for seat in held.seats] == [0, 0]


def test_nodes_that_a_program_does_not_count_are_none(first, tmp_path):
    held = contest(first, "mcts:sims=9", ContestConfig(2), threads=1)
    assert [(row["x_nodes_per_move"], row["o_nodes_per_move"]) for row in held.rows] == [(None, 9), (9, None)]


@pytest.mark.parametrize("interpreted", [True, False])
def test_the_log_of_a_program_may_change_and_the_program_may_not(interpreted, tmp_path):
    """A log is there or not at the start, an option's value or a word; a change is told, and the match goes on."""
    (tmp_path / "old.log").write_text("before\n")
    words = own_bots.program(tmp_path)
    program = shlex.split(words)[1]
    if not interpreted:
        start = tmp_path / "start"
        start.write_text(f"#!/bin/sh\nexec {words}\n")
        start.chmod(0o755)
        words, program = str(start), str(start)
    logging = f"engine:{words} {tmp_path / 'old.log'} --log={tmp_path / 'new.log'}"
    config, path = ContestConfig(4, openings="none"), tmp_path / "games.jsonl"
    contest(logging, "random", ContestConfig(2, openings="none"), threads=1, save_to=path)
    for name in ("old.log", "new.log"):
        (tmp_path / name).write_text("after\n")
    with pytest.warns(UserWarning, match=r"new\.log, .*old\.log, in the command of an engine, has changed since"):
        held = contest(logging, "random", config, threads=1, resume_from=path)
    assert held.complete and held.summary[0]["games"] == 4
    with open(program, "a", encoding="utf-8") as stream:
        stream.write("# another program\n")
    with pytest.raises(UsageError, match="the files of this contest have changed since"):
        contest(logging, "random", config, threads=1, resume_from=path)


@pytest.mark.usefixtures("_impatient_with_the_staying")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_loses_the_game_and_the_match_goes_on(fault, tmp_path):
    kind, reason = FAULTS[fault]
    spec, path = own_bots.faulty(tmp_path, fault, "ms=100 " if fault == "hang" else ""), tmp_path / "games.jsonl"
    with pytest.warns(UserWarning, match=rf"^game \d+ is lost by '.*': {reason}") as told:
        held = contest(spec, "random", ContestConfig(6, seed=2), threads=1, save_to=path)
    assert len(told) == 1 and held.complete
    lost = [game for pair in held.tally.pairs.values() for game in pair if game.forfeit]
    assert held.tally.forfeits() == {(spec, kind): len(lost)} and len(lost) >= 5
    assert all(game.loser == spec and game.kind_of_forfeit == kind for game in lost)
    assert sum(seat.row()["x_forfeits" if seat.x == spec else "o_forfeits"] for seat in held.seats) == len(lost)
    assert held.summary[0]["losses"] >= len(lost)
    assert [game for game, _ in parse_games(path, path.read_bytes())[1]] == [
        game for _, pair in sorted(held.tally.pairs.items()) for game in pair
    ]
    again = contest(spec, "random", ContestConfig(6, seed=2), threads=1, resume_from=path)
    assert again.rows == held.rows


def test_a_second_answer_is_a_fault(tmp_path):
    player = EnginePlayer(own_bots.faulty(tmp_path, "twice"), GAME)
    state = GAME.parse_position("XOXO.....")
    assert player.search(state).action == 4
    with pytest.raises(ForfeitError, match="expected one answer to each 'go', got 'move 4' more"):
        player.finish()
    assert player.search(state).action == 4  # by a new process
    player.close()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ({"forfeit": "boredom: why"}, "expected a game as a line"),
        ({"forfeit": 5}, "expected a game as a line"),
        ({"forfeit": "time: late", "result": "x"}, "expected the result of its moves, 'o', got 'x'"),
        ({"forfeit": "time: late", "result": "draw"}, "expected the result of its moves, 'o', got 'draw'"),
        ({"forfeit": "time: late", "moves": "01428", "plies": 5, "result": "x"}, "expected a game that goes on"),
        ({"forfeit": ""}, "expected a game that is over"),
    ],
)
def test_a_file_must_bear_out_who_lost(line, reason, tmp_path):
    effort = {"moves": 1, "seconds": 0.1, "slowest": 0.1, "nodes": 1, "memory_bytes": 0}
    game = {
        "pair": 0, "game": 0, "x": "a", "o": "b", "opening": 0, "moves": "01", "plies": 2, "result": "o",
        "forfeit": "time: no answer", **{f"{side}_{name}": value for side in "xo" for name, value in effort.items()},
    }  # fmt: skip
    head = {"schema": "ttt-fast/games/1", "config": {"first": "a", "second": "b", "game": "tic-tac-toe"}}

    def content(one):
        return f"{json.dumps(head)}\n{json.dumps(one)}\n".encode()

    assert parse_games("file", content(game))[1][0][0].loser == "a"
    with pytest.raises(FileFormatError, match=reason):
        parse_games("file", content(game | line))


def test_seats_and_variants(tmp_path):
    spec = own_bots.faulty(tmp_path, "chess")
    EnginePlayer(spec, parse_game("tic-tac-toe:rows=2,columns=3,length=2")).close()
    wrong = r"expected an agent that plays connect4, got .* which plays chess, tic-tac-toe"
    with pytest.raises(AgentError, match=wrong) as told:
        as_player(spec, parse_game("connect4"))
    assert told.tb and not line_process._running  # although the traceback keeps the player


@pytest.mark.parametrize("game", [*GAMES, "tic-tac-toe:rows=4,columns=4", "ultimate:closed=stay"])
def test_every_game_is_played(game, first):
    held = contest(first, "random", ContestConfig(2, game=game), threads=1)
    assert held.complete and held.tally.forfeits() == {}


def test_positions_are_those_that_a_program_can_read_back():
    for name in (*GAMES, "tic-tac-toe:rows=4,columns=4"):
        game = parse_game(name)
        for state in random_positions(game, 50, 1):
            text = position_word(game, state)
            assert len(text.split()) == 1 and game.parse_position(text) == state


def test_a_round_robin_tells_faults(tmp_path, first):
    with pytest.warns(UserWarning, match="is lost by"):
        found = play_round_robin([own_bots.faulty(tmp_path, "crash"), first, "random"], ContestConfig(4), threads=1)
    assert found.complete and sum(seat.costs["x_forfeits"] + seat.costs["o_forfeits"] for seat in found.seats) >= 4


def test_other_machines_play_no_programs(first):
    class Remote:
        shares_memory, losses = False, ()

    for held in (
        lambda: contest(first, "random", ContestConfig(2), executor=Remote()),
        lambda: contest("random", f"(best-response:{first})", ContestConfig(2), executor=Remote()),
        lambda: play_round_robin(["random", first], ContestConfig(2), executor=Remote()),
        lambda: pairs.play_packed(
            pairs.pack(pairs.ContestUnit("tic-tac-toe", as_spec(first), as_spec("random"), 0, [(0, Opening())]))
        ),
    ):
        with pytest.raises(ExternalAgentError, match="in the work of another machine"):
            held()


def test_nothing_is_left_running(tmp_path, first, request):
    player = EnginePlayer(first, GAME)
    kept = process_of(player)
    assert player.search(GAME.initial_state).action == 0 and is_running(kept)
    player.close()
    assert not is_running(kept)
    assert player.search(GAME.initial_state).action == 0  # by a new process
    kept = process_of(player)
    del player
    gc.collect()
    assert not is_running(kept)
    request.getfixturevalue("impatient")
    stays = EnginePlayer(own_bots.faulty(tmp_path, "stays"), GAME)
    kept = process_of(stays)
    stays.close()
    assert not is_running(kept)


END = """
import os, sys, time
from ttt_fast.agents.engine import EnginePlayer
from ttt_fast.games.registry import parse_game
player = EnginePlayer(sys.argv[1], parse_game("tic-tac-toe"))
print(player._engine._program._process.pid, flush=True)
if sys.argv[2] == "raise": raise SystemExit(3)
if sys.argv[2] != "return": time.sleep(600)
"""


@pytest.mark.parametrize(
    "how",
    [
        "return",
        pytest.param("raise", marks=pytest.mark.slow),
        "interrupt",
        pytest.param("kill", marks=pytest.mark.slow),
    ],
)
def test_programs_end_with_the_interpreter(how, first):
    """At its exit, and at the end of their input where nobody can end them."""
    with subprocess.Popen(
        [sys.executable, "-c", END, first, how], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as one:
        process_id = int(one.stdout.readline())
        if how in ("interrupt", "kill"):
            one.send_signal(signal.SIGINT if how == "interrupt" else signal.SIGKILL)
        one.wait(PATIENCE)
    wait_until(lambda: not is_running(process_id))


PONDERING = """
import os, pathlib, sys, time
print("ttt-fast-engine 1", "ready", sep="\\n", flush=True)
for line in sys.stdin:
    if line.startswith("go"):
        path = pathlib.Path(sys.argv[1], str(os.getpid()))
        path.touch()
        while True:
            time.sleep(0.05)
            if sys.argv[2] != "exact": print("# thinking", flush=True)
"""
"""Thinks for ever, some aloud, and leaves a file with its number."""


@pytest.mark.parametrize(
    ("command", "number"),
    [
        (["match", "-n", "10"], signal.SIGINT),
        (["exact"], signal.SIGTERM),
        pytest.param(["match", "-n", "10"], signal.SIGTERM, marks=pytest.mark.slow),
        pytest.param(["exact"], signal.SIGINT, marks=pytest.mark.slow),
        pytest.param(["watch"], signal.SIGTERM, marks=pytest.mark.slow),
    ],
)
def test_programs_end_when_a_command_is_interrupted(command, number, tmp_path):
    """The first signal ends them, while they write comments, too."""
    spec = f"engine:ms=3600000 {own_bots.program(tmp_path, PONDERING, str(tmp_path / 'met'), command[0])}"
    (tmp_path / "met").mkdir()
    name, *words = command
    with start(name, spec, "random", *words) as one:
        wait_until(lambda: any((tmp_path / "met").iterdir()))
        one.send_signal(number)
        _, err = one.communicate(timeout=PATIENCE)
    assert one.returncode == (-number if name != "match" and number == signal.SIGTERM else 130)
    assert "Traceback" not in err.decode()
    for path in (tmp_path / "met").iterdir():
        wait_until(lambda process_id=int(path.name): not is_running(process_id))


@pytest.mark.usefixtures("impatient")
def test_a_program_that_does_not_read_stops_nobody(tmp_path):
    source = 'print("ttt-fast-engine 1", "ready", sep="\\n", flush=True)\nimport time\ntime.sleep(600)\n'
    player = EnginePlayer(f"engine:ms=100 {own_bots.program(tmp_path, source)}", GAME)
    with pytest.raises(ForfeitError, match="it does not read its input"):
        player._engine.ask(GAME, GAME.initial_state, "#" * 10_000_000)


def test_the_program_of_the_page_keeps_the_rules(tmp_path):
    source = own_bots.code_of("ENGINES.md", "engine")
    assert len(source.splitlines()) <= 36
    spec = f"engine:{own_bots.program(tmp_path, source)}"
    assert {(one.game, one.result) for one in check_engine(spec)} == {("", "ok"), ("tic-tac-toe", "ok")}
    policy = as_policy(spec)
    for position, action in {"XX.OO....": 2, "X...O...X": 1, "XX.O.....": 2, "OO.XX....": 5}.items():
        assert policy.greedy_actions()[policy.table.state_index(position)] == action


LEAVING = """
import sys, time
print("ttt-fast-engine 1", "ready", sep="\\n", flush=True)
for line in sys.stdin:
    if line == sys.argv[1] + "\\n": sys.exit()
if sys.argv[1] == "quit": time.sleep(10_000)
"""


@pytest.mark.parametrize("obeyed", ["quit", "the end"])
def test_the_two_ways_to_end_are_told_apart(obeyed, tmp_path, monkeypatch):
    """One program ends at `quit` alone, the other at the end of its input alone."""
    spec = f"engine:{own_bots.program(tmp_path, LEAVING, obeyed)}"
    monkeypatch.setattr(line_process, "_SECONDS_TO_LEAVE", 0.05)  # once the answer is known
    for leaves in (False, True):
        farewell = leaves == (obeyed == "quit")
        monkeypatch.setattr(engine_check, "_SECONDS_TO_LEAVE", PATIENCE if leaves else 0.1)
        found = engine_check._tried(
            "it ends", "", lambda farewell=farewell: engine_check._leaves(spec, farewell=farewell)
        )
        assert found.result == ("ok" if leaves else "failed"), found


@pytest.mark.usefixtures("_impatient_with_the_staying")
@pytest.mark.parametrize("fault", [*FAULTS, "twice", "chess", "stays", "draws", "rude"])
def test_a_check_finds_each_fault(fault, tmp_path, monkeypatch):
    monkeypatch.setattr(engine_check, "_SECONDS_TO_LEAVE", 0.2 if fault == "stays" else PATIENCE)
    found = check_engine(own_bots.faulty(tmp_path, fault, "ms=100 " if fault == "hang" else ""), positions=20)
    failed = {one.rule for one in found if one.result == "failed"}
    answers = "it answers any position with one legal move, in time"
    wanted = {
        "chess": {"it plays games that are known"}, "stays": {"it ends at 'quit'", "it ends when its input ends"},
        "draws": set(), "rude": {"it greets from 'ttt-fast-engine 1' to 'ready'"},
    }  # fmt: skip
    assert wanted[fault] == failed if fault in wanted else answers in failed
    if fault == "draws":
        assert "no" in [one.result for one in found if one.rule.startswith("it is deterministic")]
