"""Commands with a policy outside of the seat that it has learned: refused, left out, or marked; never played."""

import pytest

from cli_runner import assert_one_line, run
from ttt_fast import parse_game
from ttt_fast.web.report_page import report_html
from ttt_fast.web.server.pool import Pool
from ttt_fast.web.server.requests import PositionRequest
from ttt_fast.web.server.responses import agent_response


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    path = tmp_path_factory.mktemp("learned") / "q.npz"
    assert run("train", "--opponent", "minimax", "--seat", "o", "-n", "20k", "-o", path).code == 0
    return str(path)


REFUSED = {
    "exact": "exact q.npz minimax",
    "reach": "exact q.npz minimax --reach all",
    "match": "match q.npz minimax",
    "swapped": "match minimax q.npz --seats both -n 100",
    "one by one": "match mcts:sims=2 q.npz -n 2",
    "openings": "match random q.npz -n 2 --openings random:2",
    "compared with a search": "compare mcts:sims=2 q.npz -n 2",
    "best response": "best-response q.npz --seat o",
    "response of it": "exact random best-response:q.npz",
    "mixture": "exact mix:1/2*q.npz+1/2*random random",
    "play": "play q.npz --seat o",
    "play in a browser": "play q.npz --seat o --browser --no-open",
    "hints": "play random --hints-by q.npz --seat x",
    "watch": "watch q.npz random",
    "opponent": "train --opponent q.npz --seat o -n 100",
    "judge": "train --judges q.npz --seat o -n 100 --evaluations 2",
    "score": "score minimax --against q.npz",
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_seat_that_was_not_learned_is_refused_in_one_line(learned, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    words = [word.replace("q.npz", learned) for word in REFUSED[name].split()]
    letter = "O" if name == "response of it" else "X"
    assert_one_line(run(*words), 2, "policy '", f"q.npz' has no moves for {letter}" if name != "mixture" else "for X")


def test_the_seat_that_was_learned_is_played(learned):
    assert run("exact", "minimax", learned, "-f", "json").json()["rows"][0]["draws"] == pytest.approx(1)
    assert run("exact", f"best-response:{learned}", learned).code == 0


def test_compare_leaves_the_seat_out_and_gives_no_rating(learned):
    ran = run("compare", learned, "minimax", "random", "-n", "100", "-f", "json")
    rows, summary = ran.json()["rows"], ran.json()["summary"]
    assert [(row["x"], row["o"]) for row in rows if learned in (row["x"], row["o"])] == [
        ("minimax", learned), ("random", learned),
    ]  # fmt: skip
    assert (
        len(rows) == 6 and ran.err == f"{learned} has not learned X: its results are those as O, and it is not ranked\n"
    )
    assert [(row["agent"], row["rating"] is None) for row in summary] == [
        ("minimax", False), ("random", False), (learned, True),
    ]  # fmt: skip
    alone = run("compare", "minimax", "random", "-n", "100", "-f", "json").json()["summary"]
    assert sum(row["rating"] for row in summary[:2]) == pytest.approx(0) == sum(row["rating"] for row in alone)
    assert [row["games"] for row in summary] == [200, 200, 200]


@pytest.mark.parametrize("games", ["0", "100"])
def test_compare_ranks_only_agents_that_played_both_seats(learned, games):
    """Their scores are those against one another: results of one seat are in the table alone."""
    words = ["minimax", "random", "-n", games]
    ran, alone = run("compare", learned, *words, "-f", "json").json(), run("compare", *words, "-f", "json").json()
    *both, one_sided = ran["summary"]
    assert one_sided["agent"] == learned and one_sided["score"] is None and one_sided["v minimax"] == 0.5
    if games == "0":
        assert [row["score"] for row in both] == [row["score"] for row in alone["summary"]]
    text = " ".join(run("compare", learned, *words).text.split())
    note = f"{learned} has not learned X: its results are those as O, and it is not ranked"
    assert note in text and run("compare", learned, *words).err == ""
    assert text.rpartition(note)[2].strip().startswith("minimax scores best, ") and f"{learned} 0." not in text
    alone = " ".join(run("compare", learned, "random", "-n", games).text.split())
    assert "scores best" not in alone and alone.endswith("it is not ranked")
    assert run("compare", learned, "random", "-n", games, "-f", "json").json()["summary"][0]["score"] is None


def test_the_best_response_is_that_of_the_other_seat(learned):
    ran = run("best-response", learned, "-f", "json")
    assert [row["seat"] for row in ran.json()["rows"]] == ["x"]
    assert ran.err == f"{learned} has not learned X: there is no best response to it in that seat\n"


def test_what_is_shown_says_not_learned(learned):
    assert run("show", ".........", "--agents", learned).text.count("not learned") == 9
    rows = run("show", ".........", "--agents", learned, "-f", "json").json()["rows"]
    assert {row[learned] for row in rows} == {None}
    rows = run("show", "X........", "--agents", learned, "-f", "json").json()["rows"]
    assert sum(row[learned] for row in rows) == 1
    text = run("watch", "minimax", learned).text
    assert text.count(f"O {learned}: not learned") == text.count(". X minimax plays ")
    rows = run("watch", "minimax", learned, "-f", "json").json()["rows"]
    assert [row["o_probability"] is None for row in rows] == [row["player"] == "x" for row in rows]
    assert b"<p>as X: not learned</p>" in report_html(learned)


def test_the_server_says_that_a_position_is_not_learned(learned):
    game = parse_game("tic-tac-toe")
    for start, known in ((".........", False), ("X........", True)):
        told = agent_response(
            game, PositionRequest(game.spec, start=start, agent=learned), Pool(), frozenset({(game.spec, learned)})
        )
        assert (told["known"], told["plays"] is None, len(told["moves"])) == (known, not known, 8 * known)
