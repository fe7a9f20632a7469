"""`match` and `compare` of counted games and of games one by one: rows, exit codes, files, refusals in one line."""

import json
import signal

import pytest

from cli_runner import assert_one_line, run, start, wait_for
from conftest import PATIENCE
from ttt_fast import parse_game
from ttt_fast.cli.options import this_command


def test_a_match_has_a_row_for_each_seating_and_a_summary():
    document = run("match", "default", "random", "--game", "connect4", "-n", 20, "--format", "json").json()
    rows, (summary,) = document["rows"], document["summary"]
    assert [(row["x"], row["o"]) for row in rows] == [("default", "random"), ("random", "default")]
    assert sum(row[name] for row in rows for name in ("x_wins", "draws", "o_wins")) == 20
    assert summary["wins"] + summary["draws"] + summary["losses"] == summary["games"] == 20
    assert summary["score_low"] < summary["score"] <= summary["score_high"]
    assert summary["complete"] is True


def test_the_table_says_what_a_person_wants_to_know():
    ran = run("match", "default", "random", "--game", "ultimate", "-n", 10)
    assert ran.code == 0, ran.err
    for words in ("score", "Elo", "normalised", "time a move", "memory", "pairs 0 to 2 points"):
        assert words in " ".join(ran.text.split())
    assert "nan" not in ran.text.lower()
    for words in (["minimax", "minimax", "--openings", "none", "-n", 10],
                  ["default", "random", "--game", "connect4:length=2", "--sprt", "0,5", "-n", 4]):  # fmt: skip
        ran = run("match", *words)  # nothing but draws, and nothing but wins of X
        assert ("Elo +0.0" in ran.text) == ("minimax" in words) and "nan" not in ran.text.lower()


@pytest.mark.parametrize(
    ("first", "second", "code"), [("default", "random", 0), ("random", "default", 10), ("random", "random", 11)]
)
def test_exit_codes_of_a_test(first, second, code):
    games = 20 if code == 11 else 400
    ran = run("match", first, second, "--game", "connect4", "--sprt", "0,100", "-n", games)
    assert ran.code == code, ran.err


WAYS = {
    "counted": (["match", "random", "minimax", "-n", "30k", "--chunk", "10k"], "m.npz"),
    "one by one": (["match", "random", "random", "--game", "connect4", "-n", "4"], "m.jsonl"),
}


@pytest.fixture(params=WAYS)
def way(request, tmp_path):
    """A command line, and a file that it can be saved to."""
    arguments, name = WAYS[request.param]
    return arguments, tmp_path / name


def test_a_saved_match_is_gone_on_with_and_not_written_over(way):
    arguments, path = way
    assert run(*arguments, "--save", path).code == 0
    assert_one_line(run(*arguments, "--save", path), 2, str(path), "--resume")
    assert_one_line(run(*arguments, "--save", path, "--resume", path), 2, "both")
    assert_one_line(run(*arguments, "--save", path.with_suffix(".csv")), 2, path.suffix)
    assert_one_line(run(*arguments, "--seed", "1", "--resume", path), 2, str(path), "seed 1")
    again, whole = (run(*arguments, *more, "-f", "json").json() for more in (["--resume", path], []))
    for one, other in zip(again["rows"], whole["rows"], strict=True):
        for name in ("games", "x_wins", "draws", "o_wins", "plies", "distinct_boards", "complete"):
            assert one[name] == other[name]
    assert again["summary"] == whole["summary"]


@pytest.mark.parametrize("searched", [[], ["--openings", "none"]])
def test_exact_values_stand_beside_the_games(searched, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    line = ["match", "random", "minimax", *searched, "-n"]
    document = run(*line, "400" if searched else "1000", "-f", "json").json()
    row = document["rows"][0]
    assert row["exact_draws_fraction"] == "757/3402" and abs(row["draws_z"]) < 4.5
    text = run(*line, "20").text
    assert text.count("757/3402") == 1


def test_what_was_saved_is_what_a_command_goes_on_with(monkeypatch):
    words = ["match", "a", "--debug", "--save=x.npz", "--save", "y.npz", "--saved"]
    monkeypatch.setattr("sys.argv", ["ttt-fast", *words])
    assert this_command() == ["ttt-fast", *words[:2], *words[3:]]
    assert this_command(resumed=True) == ["ttt-fast", "match", "a", "--resume=x.npz", "--resume", "y.npz", "--saved"]


@pytest.mark.slow
def test_an_interrupted_match_says_how_to_go_on(tmp_path):
    path = tmp_path / "games.jsonl"
    line = ["match", "mcts:sims=100", "alphabeta:depth=2", "--game", "connect4", "-n", "1000", "--threads", "2"]
    process = start(*line, f"--save={path}")
    wait_for(lambda: path.exists() and path.read_bytes().count(b"\n") > 8, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130 and b"Elo" in out and b"Traceback" not in err
    again = err.decode().splitlines()[-1].split()
    assert again[:2] == ["ttt-fast", "match"] and "--resume" in err.decode() and "--save" not in err.decode()
    shorter = [{"1000": "20"}.get(word, word) for word in again[1:]]
    whole = run(*line[:-4], "-n", "20", "-f", "json").json()["summary"][0]
    resumed = run(*shorter, "-f", "json").json()["summary"][0]
    assert {name: resumed[name] for name in whole} == whole and whole["games"] == 20


def test_a_round_robin_of_searches_is_rated():
    ran = run("compare", "random", "mcts:sims=50", "alphabeta:depth=2", "default", "--game", "connect4", "-n", 4)
    assert ran.code == 0 and "nan" not in ran.text.lower() and "alphabeta:depth=2" in ran.text


def test_policies_are_compared_exactly_unless_games_are_asked_for():
    table = run("compare", "random", "minimax", "heuribot", "--format", "json").json()
    exact = {(row["x"], row["o"]): row["exact_x_wins"] + row["exact_draws"] / 2 for row in table["rows"]}
    assert not any(row["games"] for row in table["rows"]) and len(exact) == 9
    agents = [row["agent"] for row in table["summary"]]
    assert agents == ["heuribot", "minimax", "random"]  # the best first
    for row in table["summary"]:
        others = [other for other in agents if other != row["agent"]]
        for other in others:
            of_both = (exact[row["agent"], other] + 1 - exact[other, row["agent"]]) / 2
            assert row[f"v {other}"] == pytest.approx(of_both, abs=1e-12)
        assert row["score"] == pytest.approx(sum(row[f"v {other}"] for other in others) / 2, abs=1e-12)
        assert row["rating"] is None
    sampled = run("compare", "random", "minimax", "-n", "1000", "--format", "json").json()
    assert all(row["games"] == 1000 for row in sampled["rows"]) and sampled["summary"][0]["rating"] > 0


def words_of(ran):
    """The output of a command in one line."""
    return " ".join((ran.text + ran.err).split())


def test_copies_of_one_game_are_no_evidence():
    players = "alphabeta:depth=2,tie=first", "alphabeta:depth=1,tie=first"
    copies = run("match", *players, "--game", "connect4", "-n", 10)
    text = "distinct games: 2 of 10; a repeated pair counts once in the intervals; --openings random:PLIES varies them"
    assert text in words_of(copies) and "of 10 games (2 distinct)" in words_of(copies)
    varied = run("match", *players, "--game", "connect4", "-n", 10, "--openings", "random:4")
    assert "distinct" not in words_of(varied)
    single = run("match", *players, "--game", "connect4", "-n", 10, "--seats", "ab")
    assert "distinct games: 1 of 10; a repeated game counts once in the intervals" in words_of(single)
    table = run("compare", *players, "--game", "connect4", "-n", 10)
    assert "distinct games: 2 of 10; a repeated pair counts once in the ratings" in words_of(table)
    assert run("match", *players, "--game", "connect4", "-n", 60, "--sprt", "0,200").code == 11


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--game", "conect4"], "connect4"),
        (["--game", "connect4:rows=99"], "rows"),
        (["--game", "connect4", "-n", "7"], "even"),
        (["--game", "connect4", "-n", "-2"], "-2"),
        (["--game", "connect4", "--sprt", "5"], "ELO0"),
        (["--game", "connect4", "--sprt", "50,0"], "elo0"),
        (["--game", "connect4", "--openings", "nowhere.txt"], "nowhere.txt"),
        (["--game", "connect4", "--position", "X........"], "expected 6 rows of 7 cells"),
        (
            ["--game", "connect4", "--position", "4", "--openings", "random:2"],
            "either --position or --openings random:2",
        ),
        (["--game", "connect4", "--position", "1212121"], "X has won"),
        (["--game", "connect4", "--resume", "missing.jsonl"], "missing.jsonl"),
    ],
)
def test_mistakes_are_one_line(arguments, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = 1 if "missing.jsonl" in arguments else 2
    assert_one_line(run("match", "random", "default", *arguments), code, words)


def test_an_unknown_player_names_those_of_the_game():
    assert_one_line(run("match", "random", "defalt", "--game", "ultimate"), 2, "defalt", "default")
    assert_one_line(run("compare", "random", "default", "--game", "ultimate", "-n", "3"), 2, "even")
    assert_one_line(run("compare", "random", "minimax", "random"), 2, "twice")


@pytest.mark.parametrize(
    ("game", "agents"),
    [("connect4", "solver, alphabeta, mcts"), ("connect4:columns=8,rows=7", "solver, alphabeta, mcts"),
     pytest.param("ultimate", "alphabeta, mcts", marks=pytest.mark.slow)],
)  # fmt: skip
def test_an_agent_that_needs_a_table_is_refused_with_the_name_of_another(game, agents):
    wanted = f"expected an agent that plays {game} without a state table, such as {agents}, got 'minimax'"
    assert_one_line(run("match", "minimax", "random", "--game", game), 2, wanted)
    for agent in agents.split(", "):
        options = {"solver": "", "alphabeta": ":depth=1", "mcts": ":sims=2"}[agent]
        if game != "connect4:columns=8,rows=7" or agent != "solver":  # which takes seconds there
            assert run("match", agent + options, "random", "--game", game, "-n", "2").code == 0
    assert "needs a state table" in run("agents", "--game", game).text


@pytest.mark.parametrize(
    ("agents", "game", "position"),
    [
        (("default", "random"), "connect4", "......./......./......./......./...O.../...X..."),
        (("default", "random"), "ultimate", "55 51"),
    ],
)
def test_a_match_starts_at_a_position_whoever_plays(agents, game, position, tmp_path):
    played, path = parse_game(game), tmp_path / "games.jsonl"
    ran = run("match", *agents, "--game", game, "--position", position, "-n", 2, "--save", path, "-f", "json").json()
    assert ran["manifest"]["config"]["position"] == position
    assert json.loads(path.read_text().splitlines()[0])["schema"] == "ttt-fast/games/1"
    rows = [json.loads(line) for line in path.read_text().splitlines()[1:]]
    start = played.format_position(played.parse_state(position))
    for number, row in enumerate(rows, 2):  # the lines of the file
        moves = run("watch", path, number, "-f", "json").json()["rows"]
        assert start in (row.get("start"), *(one["board"] for one in moves)) and len(moves) == row["plies"]
    assert len(rows) == 2 and run("watch", path, 2).code == 0


def test_openings_of_a_file_are_boards_or_moves(tmp_path):
    board, path, saved = "......./......./......./......./......./...X...", tmp_path / "o.txt", tmp_path / "g.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + f"44\n{board}  # the centre\n".encode())  # a byte order mark
    line = ["match", "default", "random", "--game", "connect4", "--openings", path, "-n", 4]
    assert run(*line, "--save", saved).code == 0
    saved.write_bytes(b"\xef\xbb\xbf" + saved.read_bytes())
    rows = [json.loads(text) for text in saved.read_text("utf-8-sig").splitlines()[1:]]
    assert {row.get("start", "") for row in rows} == {"", board}
    assert run(*line, "--resume", saved).code == 0
    path.write_text("44 3\n")
    assert_one_line(run(*line), 2, str(path), "line 1", "without a score")


@pytest.mark.parametrize("x", ["heuribot", "minimax", "random"])
def test_the_first_match_that_a_reader_types_is_no_rare_one(x):
    """A million games by the default seed: each z-score is within 2.5, as 99 of 100 are."""
    row = run("match", x, "random", "-f", "json").json()["rows"][0]
    assert row["games"] == 1_000_000 and all(abs(row[f"{name}_z"]) < 2.5 for name in ("x_wins", "draws", "o_wins"))
