"""The command `play` in every game, with a script in the place of a person."""

import re
import signal
import subprocess

import pytest

from cli_runner import run, run_process, start
from conftest import PATIENCE

CONNECT_FOUR, ULTIMATE = ("--game", "connect4"), ("--game", "ultimate")


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


def test_as_o_the_agent_begins():
    text = played("minimax:tie=first", "--seat", "o", said="q\n")
    assert "you are O, minimax:tie=first is X" in text
    assert text.index("minimax:tie=first plays 0") < text.index("won 0")


@pytest.mark.parametrize("said", ["", "q\n", "Q\n", "quit\n", "4\n", "4\nq\n", "n\nn\nq\n"])
def test_quitting_and_the_end_of_the_input(said):
    assert played("minimax", said=said).endswith("won 0, drawn 0, lost 0\n")


@pytest.mark.parametrize("nonsense", ["9", "-1", "44", "four", "", "²", "x" * 100, "\x1b[A"])
def test_bad_input_is_explained_and_costs_nothing(nonsense):
    text = played("minimax:tie=first", said=f"{nonsense}\n4\nq\n")
    assert "a cell 0 to 8 to play there" in text.split("type", 1)[1]
    assert len(replies(text)) == 1


def test_a_taken_cell():
    assert "cell 4 is taken" in played("minimax:tie=first", said="4\n4\nq\n")


def test_undo_takes_back_the_last_move_and_its_reply():
    text = played("minimax:tie=first", said="u\n0\nu\n4\nq\n")
    assert "there is no move of yours to take back" in text
    assert replies(text) == [4, 0]


def test_undo_twice_goes_back_to_the_start():
    text = played("minimax:tie=first", said="0\n8\nu\nu\n0\nq\n")
    first, _, third = replies(text)
    assert first == third == 4


def test_hints_name_outcome_and_distance():
    asked = played("random", "--position", "XX.OO....", said="h\nq\n")
    assert "2 win" in asked
    assert "5 draw" in asked or "5 win" in asked or "5 loss" in asked
    assert "6 loss 1" in asked
    always = played("random", "--position", "XX.OO....", "--hints", said="q\n")
    assert "2 win" in always
    assert "2 win" not in played("random", "--position", "XX.OO....", said="q\n")


def test_hints_are_from_the_persons_side():
    assert "5 win" in played("random", "--position", "XX.OO.X..", "--seat", "o", said="h\nq\n")


def test_a_seed_repeats_the_agents_moves():
    def moves(seed: int) -> tuple[int, ...]:
        return tuple(replies(played("random", "--seed", seed, said="4\nn\n4\nn\n4\nn\n4\nq\n")))

    assert moves(3) == moves(3)
    assert len({moves(seed) for seed in range(8)}) > 1


def test_a_finished_board_asks_for_another_game():
    assert "you win" in played("random", "--position", "XXXOO....", said="n\n")


def test_in_a_process_of_its_own_with_an_empty_input():
    ran = run_process("play", "minimax")
    assert (ran.code, ran.err) == (0, "")
    assert ran.text.endswith("won 0, drawn 0, lost 0\n")


# --- Other games.


def test_a_game_of_connect_four():
    text = played("random", *CONNECT_FOUR, "--position", "112233", said="4\nn\n")
    assert "you are X, random is O; type a column 1 to 7" in text
    assert "you win" in text and text.endswith("won 1, drawn 0, lost 0\n")
    assert "mcts-best is X" in played(*CONNECT_FOUR, "--seat", "o", said="")


def test_an_opponent_may_be_spelled_as_in_train():
    text = played(*CONNECT_FOUR, "mcts:sims=50", "--position", "44444312", "--seed", 1, said="h\nq\n")
    assert "you are X, mcts:sims=50 is O" in text
    assert "mcts:sims=50 would play" in text and "nan" not in text


@pytest.mark.parametrize("agent", ["mcts:sims=60", "mcts-best:sims=60", "alphabeta:depth=2", "improved", "minimax-3"])
def test_every_search_is_an_opponent_and_an_adviser(agent):
    text = played(agent, *ULTIMATE, "--seed", 1, said="55\nh\nq\n")
    assert f"{agent} would play" in text and re.search(r"which it values at [+-]", text)
    assert len(re.findall(r"[+-]\d", text.split("your move:")[2])) >= 2


def test_a_game_of_ultimate_from_a_position():
    position = "." * 40 + "X" + "." * 40
    text = played("random", *ULTIMATE, "--position", position, "--seat", "o", said="11\n51\nq\n")
    assert "the move must be in board 5" in text
    assert re.search(r"random plays 1\d", text)


def test_seeds_repeat_a_session():
    words = ("random", *ULTIMATE, "--seat", "o", "--seed")
    assert played(*words, 3, said="") == played(*words, 3, said="")
    assert len({played(*words, seed, said="") for seed in range(6)}) > 1


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


def test_a_transcript_of_moves_from_a_pipe_contains_them():
    text = run("play", "heuribot", stdin="4\n0\n").text
    assert "your move: 4\nheuribot plays " in text and "your move: 0\n" in text
