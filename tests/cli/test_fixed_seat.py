"""`--fixed-seat` of the commands, and a line of moves in `watch`: output, and one line for a user's mistake."""

import pytest

from cli_runner import assert_one_line, run
from ttt_fast import TableSizeError, as_policy, exact_fractions, exact_outcome, induced_table, save_policy

GAME = ("--game", "connect4:columns=4,rows=4")
JSON = ("--format", "json")


def rows_of(*arguments):
    return run(*arguments, *JSON).json()["rows"]


@pytest.mark.parametrize("seat", ["x", "o"])
def test_exact(seat):
    agents = ("centre-first", "default") if seat == "x" else ("default", "centre-first")
    (row,) = rows_of("exact", *agents, *GAME, "--fixed-seat", seat)
    (full,) = rows_of("exact", *agents, *GAME)
    assert (row["x"], row["o"], row["fixed_seat"]) == (*agents, seat)
    for name in ("x_wins", "draws", "o_wins", "value"):
        assert row[name] == pytest.approx(full[name], abs=1e-12)
    assert row["positions"] == induced_table("centre-first", seat, GAME[1]).positions
    assert sum(value for name, value in row.items() if name.startswith("plies_") and name[6:].isdecimal()) == (
        pytest.approx(1)
    )


def test_reached_boards():
    found = rows_of("exact", "centre-first", "random", *GAME, "--fixed-seat", "x", "--reach", "final")
    full = rows_of("exact", "centre-first", "random", *GAME, "--reach", "final")
    as_dictionary = [{row["board"]: row["probability"] for row in rows} for rows in (found, full)]
    assert as_dictionary[0] == pytest.approx(as_dictionary[1])


def test_best_response_and_score():
    (row,) = rows_of("best-response", "centre-first", *GAME, "--fixed-seat", "x")
    assert (row["policy"], row["seat"], row["opponent"]) == ("best-response:centre-first", "o", "centre-first")
    assert (row["value"], row["regret"], row["o_wins"], row["never_loses"]) == (1.0, 0.0, 1.0, None)
    assert row["refutation_result"] == "o_wins" and row["refutation_plies"] == 14
    (same,) = rows_of("best-response", "centre-first", *GAME, "--fixed-seat", "x", "--seat", "o")
    assert same == row
    score = rows_of("score", "centre-first", *GAME, "--fixed-seat", "x", "--against", "minimax", "--labelled", "1k")
    assert [one["opponent"] for one in score][:2] == ["minimax", "random"] and len(score) == 3
    plies = score[0]["mistakes_by_ply"]
    assert sum(one["mistakes"] for one in plies) == sum(
        len(one.mistakes) for one in induced_table("centre-first", "x", GAME[1]).mistakes(1000)
    )
    assert rows_of("score", "centre-first", *GAME, "--fixed-seat", "x", "--labelled", "0")[0]["mistakes_by_ply"] == []
    assert rows_of("score", "minimax", "--fixed-seat", "o")[0]["never_loses"] is True
    for command in ("score", "best-response"):
        assert f"watch {row['refutation']} --game" in " ".join(
            run(command, "centre-first", *GAME, "--fixed-seat", "x").text.split()
        )


def test_watch_shows_the_refutation():
    line = induced_table("centre-first", "x", GAME[1]).refutation
    moves = rows_of("watch", line.moves, *GAME)
    assert [one["action"] for one in moves] == list(line.actions)
    assert "O has won" in run("watch", line.moves, *GAME).text or "O wins" in run("watch", line.moves, *GAME).text
    assert_one_line(run("watch", "49", *GAME), 2, "a column from 1 to 4")
    assert_one_line(run("watch", "44444", *GAME), 2)
    assert_one_line(run("watch", "centre-first", *GAME), 2, "expected two agents")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("exact", "centre-first", "random", "--fixed-seat", "z"), ["z"]),
        (("exact", "centre-first", "random", *GAME, "--fixed-seat", "x", "--position", "1"), ["--position"]),
        (("exact", "centre-first", "random", *GAME, "--fixed-seat", "x", "--random-opening"), ["--random-opening"]),
        (("exact", "minimax", "random", "--game", "connect4", "--fixed-seat", "x"), ["position alone", "'minimax'"]),
        (("exact", "random", "random", "--game", "ultimate", "--fixed-seat", "x"), ["ultimate"]),
        (("exact", "random", "random", "--fixed-seat", "x", "--max-positions", "0"), ["a number of positions"]),
        (("exact", "mcts:sims=20", "random", *GAME, "--fixed-seat", "x"), ["always answers alike", "mcts:sims=20"]),
        (("exact", "centre-first", "mcts:sims", *GAME, "--fixed-seat", "x"), ["mcts"]),
        (("exact", "centre-first", "random", "--game", "connect4"), ["--fixed-seat x|o needs only the positions"]),
        (("score", "centre-first", "--game", "connect4"), ["--fixed-seat x|o"]),
        (("best-response", "centre-first", "--game", "connect4"), ["--fixed-seat x|o"]),
        (("best-response", "minimax", "--fixed-seat", "x", "--seat", "x"), ["the other seat to exploit", "--seat x"]),
        (("best-response", "minimax", "--fixed-seat", "x", "--objective", "wins"), ["--objective wins"]),
        (("score", "minimax", "--fixed-seat", "x", "--by-state"), ["--by-state"]),
        (("score", "minimax", "--fixed-seat", "x", "--labelled", "-1"), ["a number of positions"]),
        (
            ("exact", "centre-first", "random", *GAME, "--fixed-seat", "o", "--max-positions", "100"),
            ["at most 100 positions", "forecast", "exact so far", "of the games go on"],
        ),
    ],
)
def test_mistakes_take_one_line(arguments, words):
    assert_one_line(run(*arguments), 2, *words)


LARGE = "connect4:columns=4,rows=5"


@pytest.mark.parametrize(
    ("words", "seat"),
    [
        (("exact", "python:refusing:choose", "random"), "x"),
        (("exact", "random", "python:refusing:choose"), "o"),
        (("score", "python:refusing:choose"), "x|o"),
        (("best-response", "python:refusing:choose"), "x|o"),
    ],
)
def test_before_a_function_is_queried_in_millions_of_states_the_way_with_fewer_is_named(
    tmp_path, monkeypatch, words, seat
):
    (tmp_path / "refusing.py").write_text("def choose(state):\n    raise ValueError\n")
    monkeypatch.syspath_prepend(tmp_path)
    note = f"--fixed-seat {seat} queries it only in those that can arise against it\n"
    ran = run(*words, "--game", LARGE)
    assert ran.code == 1 and "python:refusing:choose is queried twice in each of 1," in ran.err and note in ran.err
    assert note not in run(*words).err


def test_a_function_on_a_large_game_has_an_induced_table_in_python():
    with pytest.raises(TableSizeError, match=r"induced_table\(agent, seat, game\), needs only") as refused:
        exact_fractions(lambda state: 0, "random", game="tic-tac-toe:rows=4,columns=4,length=3")
    assert "GiB" not in str(refused.value)
    with pytest.raises(TableSizeError, match=r"enumerated, got 'ultimate'$"):
        exact_fractions(lambda state: 0, "random", game="ultimate")


def test_functions_that_fail(tmp_path, monkeypatch):
    source = "def fails(state):\n    raise ValueError('ha')\n\ndef outside(state):\n    return 99\n"
    (tmp_path / "own_fixed_bots.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    for name, word in (("fails", "ha"), ("outside", "99")):
        assert_one_line(run("exact", f"python:own_fixed_bots:{name}", "random", *GAME, "--fixed-seat", "x"), 1, word)


def test_ctrl_c_ends_an_enumeration(tmp_path, monkeypatch):
    source = """import signal
from ttt_fast.games import api
ASKED = []

def choose(state):
    ASKED.append(state)
    if len(ASKED) == 200:
        signal.raise_signal(signal.SIGINT)
    return api.legal_actions(state)[0]
"""
    (tmp_path / "own_interrupting_bot.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    words = ("exact", "python:own_interrupting_bot:choose", "random", *GAME, "--fixed-seat", "x")
    ran = run(*words)
    assert (ran.code, ran.out, ran.err) == (130, b"", "ttt-fast: interrupted\n")
    assert run(*words).code == 0  # nothing is left behind


def test_policies_of_another_game_and_seat(tmp_path):
    path = tmp_path / "br.npz"
    save_policy(path, as_policy("minimax"))
    ran = run("exact", path, "random", *GAME, "--fixed-seat", "x")
    assert ran.code in (1, 2) and ran.err.count("\n") == 1 and "tic-tac-toe" in ran.err
    assert run("train", "--episodes", "1000", "--seat", "x", "-o", tmp_path / "q.npz").code == 0
    assert rows_of("exact", tmp_path / "q.npz", "random", "--fixed-seat", "x")[0]["value"] == pytest.approx(
        exact_outcome(as_policy(tmp_path / "q.npz"), "random").value
    )
    assert_one_line(run("exact", "random", tmp_path / "q.npz", "--fixed-seat", "o"), 2, "has no moves for O")
