"""The command `play` in every game, with a script in the place of a person."""

import re
import signal
import subprocess

import pytest

from cli_runner import run, start
from conftest import PATIENCE

CONNECT_FOUR, ULTIMATE = ("--game", "connect4"), ("--game", "ultimate")
UNSOLVED = ("--game", "connect4:length=5")


def played(*words: object, said: str) -> str:
    ran = run("play", *words, stdin=said)
    assert (ran.code, ran.err) == (0, "")
    return ran.text


def replies(text: str) -> list[int]:
    """The agent's moves."""
    return [int(action) for action in re.findall(r"plays (\d)", text)]


def test_a_whole_game_against_a_frozen_opponent():
    """minimax:tie=first answers 0 with 4, 8 with 1, 7 with 6, 2 with 5, and 3 ends in a draw."""
    text = played("minimax:tie=first", said="0\n8\n7\n2\n3\nn\n")
    assert "you are X, minimax:tie=first is O" in text
    assert replies(text) == [4, 1, 6, 5]
    assert "a draw" in text
    assert "won 0, drawn 1, lost 0" in text


def test_winning_and_losing_are_counted():
    """On this board whoever is to move wins at once."""
    won = played("random", "--position", "XX.OO....", said="2\ny\n2\nn\n")
    assert won.count("you win") == 2
    assert "won 2, drawn 0, lost 0" in won
    lost = played("minimax:prefer=fast", "--position", "XX.OO....", said="8\nn\n")
    assert "minimax:prefer=fast wins" in lost
    assert "won 0, drawn 0, lost 1" in lost


def test_hints_name_outcome_and_distance():
    asked = played("random", "--position", "XX.OO....", said="h\nq\n")
    assert "2 win" in asked
    assert "5 draw" in asked or "5 win" in asked or "5 loss" in asked
    assert "6 loss 1" in asked
    always = played("random", "--position", "XX.OO....", "--hints", said="q\n")
    assert "2 win" in always
    assert "2 win" not in played("random", "--position", "XX.OO....", said="q\n")


def test_a_seed_repeats_the_agents_moves():
    def moves(seed: int) -> tuple[int, ...]:
        return tuple(replies(played("random", "--seed", seed, said="4\nn\n4\nn\n4\nn\n4\nq\n")))

    assert moves(3) == moves(3)
    assert len({moves(seed) for seed in range(8)}) > 1


# --- Other games.


@pytest.mark.parametrize(
    ("agent", "game", "move"),
    [
        ("mcts:sims=60", UNSOLVED, "4"),
        ("mcts-best:sims=60", UNSOLVED, "4"),
        ("alphabeta:depth=2", ULTIMATE, "55"),
        *(pytest.param(agent, ULTIMATE, "55", marks=pytest.mark.slow) for agent in ("improved", "minimax-3")),
    ],
)
def test_every_search_is_an_opponent_and_an_adviser(agent, game, move):
    text = played(agent, *game, "--seed", 1, said=f"{move}\nh\nq\n")
    assert f"{agent} would play" in text and re.search(r"which it values at [+-]", text)
    assert len(re.findall(r"[+-]\d", text.split("your move:")[2])) >= 2


def test_hints_late_in_ultimate_are_exact():
    state = "xo....o...ooxoxoxo.x...xxx..x..oo...x....x.o..xox.ooooo.O.x.xxo.xoo.xxoo.xo..x.xx"
    text = played("random", *ULTIMATE, "--position", state, "--hints", said="q\n")
    assert "loss" in text and "would play" not in text


def test_hints_by_another_agent():
    text = played("random", *CONNECT_FOUR, "--position", "112233", "--hints-by", "default:skill=1", said="h\nq\n")
    assert "default:skill=1 would play 4" in text
    assert "random would play" in played("random", *CONNECT_FOUR, "--position", "444443", "--hints", said="q\n")
    assert "4: win 40" in played("random", *CONNECT_FOUR, "--hints", said="q\n")  # from the book of openings
    assert "minimax:tie=first would play 0" in played("random", "--hints-by", "minimax:tie=first", said="h\nq\n")


def test_tic_tac_toe_may_begin_anywhere():
    for begun in ("031", "XX.O....."):
        text = played("minimax:tie=first", "--seat", "o", "--position", begun, said="h\nq\n")
        assert "8 loss 1" in text and "minimax:tie=first plays" not in text


def test_ctrl_c_at_the_prompt_tells_the_result_and_leaves_with_130():
    process = start("play", "default", *CONNECT_FOUR, stdin=subprocess.PIPE)
    seen = b""
    while b"your move" not in seen:
        seen += process.stdout.read(1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert out.endswith(b"won 0, drawn 0, lost 0\n") and b"Traceback" not in err


def test_lines_in_a_pipe_are_as_wide_as_two_terminals(monkeypatch):
    """Whatever COLUMNS says: a name without blanks is cut after 200 characters."""
    monkeypatch.setenv("COLUMNS", "60")
    name = "mix:1/16*minimax" + "+1/16*random" * 15
    lines = played(name, said="q\n").splitlines()
    assert len(name) == 196 and any(name in line for line in lines)
    longer = "mix:1/20*minimax" + "+1/20*random" * 19
    assert max(map(len, played(longer, said="q\n").splitlines())) == 200


def test_a_transcript_of_moves_from_a_pipe_contains_them():
    text = run("play", "heuribot", stdin="4\n0\n").text
    assert "your move: 4\nheuribot plays " in text and "your move: 0\n" in text
