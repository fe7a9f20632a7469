"""`watch` and pictures: games move by move, what agents think, and what is exact."""

import json
import xml.etree.ElementTree as ET

import pytest

from cli_runner import assert_one_line, run
from ttt_fast import parse_game

SVG = "{http://www.w3.org/2000/svg}"
SAVED = ("match", "mcts:sims=20", "random", "--game", "connect4:columns=4,rows=4,length=3", "-n", 4, "--seed", 5)


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    path = tmp_path_factory.mktemp("games") / "games.jsonl"
    assert run(*SAVED, "--save", path).code == 0
    return path


def test_a_game_between_two_policies_has_exact_values_and_shares():
    rows = run("watch", "minimax:tie=first", "random", "--seed", 3, "-f", "json").json()["rows"]
    assert [row["ply"] for row in rows] == list(range(1, len(rows) + 1))
    assert [row["player"] for row in rows] == list("xoxoxoxox")[: len(rows)]
    assert rows[0]["action"] == 0 and rows[0]["x_probability"] == 1
    assert rows[0]["o_probability"] == pytest.approx(1 / 9, abs=1e-12)
    assert all(row["optimal"] for row in rows if row["player"] == "x")
    assert rows[-1]["value_x"] == 1 and rows[-1]["distance"] == 1
    board = parse_game("tic-tac-toe").state_after("".join(row["move"] for row in rows))
    assert parse_game("tic-tac-toe").format_position(board) == rows[-1]["board"]


def test_the_same_seed_is_the_same_game_and_text_shows_each_board():
    line = ("watch", "random", "mcts:sims=30", "--game", "connect4", "--position", "112233", "--seed", 2)
    text = run(*line).text
    rows = run(*line, "-f", "json").json()["rows"]
    assert text == run(*line).text
    assert text.count("└") == len(rows)
    for row in rows:
        assert f"{row['ply']}. {row['player'].upper()} {row['agent']} plays {row['move']}\n" in text
    assert "value for X before it" in text and "exact:" not in text
    assert text.splitlines()[-1].startswith("random v mcts:sims=30: the game is over: ")


def test_connect_four_is_solved_early_and_late_in_a_game():
    line = ("watch", "random", "random", "--game", "connect4", "--position", "2252576253462244111563365343671351")
    rows = run(*line, "--exact", "-f", "json").json()["rows"]
    assert rows == run(*line, "-f", "json").json()["rows"]  # late in a game it is solved without being asked
    early = run("watch", "random", "random", "--game", "connect4", "-f", "json").json()["rows"]
    unknown = [False] * 6 + [True] * 6 + [False] * len(early[12:13])  # the book has the first plies
    assert [row["value_x"] is None for row in early[:13]] == unknown
    final = {"X": 1, "O": -1}.get(run(*line).text.split("the game is over: ")[1][0], 0)
    assert rows[-1]["value_x"] == final
    assert {row["optimal"] for row in rows} <= {True, False}


def test_a_game_of_a_file_is_shown_by_its_line(games):
    """The first line of a saved contest describes it; `review` counts lines in the same way."""
    saved = [json.loads(line) for line in games.read_text().splitlines()]
    rows = run("review", games, "--moves", "-f", "json").json()["rows"]
    assert sorted({row["line"] for row in rows}) == [2, 3, 4, 5]
    moves = run("watch", games, 3, "-f", "json").json()["rows"]
    judged = [row for row in rows if row["line"] == 3]
    assert [row["agent"] for row in moves] == [saved[2][row["player"]] for row in moves]
    for name in ("ply", "action", "move", "value_x", "optimal"):
        assert [row[name] for row in moves] == [row[name] for row in judged]
    game = parse_game("connect4:columns=4,rows=4,length=3")
    assert game.format_moves([row["action"] for row in moves]) == saved[2]["moves"]
    assert {"x": 1, "draw": 0, "o": -1}[saved[2]["result"]] == moves[-1]["value_x"]
    text = run("watch", games, 2).text
    assert "exact:" in text and "plays it" not in text


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["6"], 2, "the line of a game, from 2 to 5, got 6"),
        (["1"], 2, "the line of a game, from 2 to 5, got 1"),
        (["2", "--pause", "-1"], 2, "a pause of 0 to 3600"),
        (["2", "-o", "game.svg", "-f", "json"], 2, "no --format for a picture"),
        (["2", "--seed", "1"], 2, "no --seed or --position"),
        (["2", "--position", "1"], 2, "no --seed or --position"),
        (["2", "--game", "connect4"], 2, "expected games of 'connect4', got those of 'connect4:columns=4"),
        ([], 2, "--moves`"),
    ],
)
def test_mistakes_about_games(games, words, code, said):
    assert_one_line(run("watch", games, *words), code, said)


def test_other_files_are_refused(tmp_path):
    (tmp_path / "a.jsonl").write_text("{}\n")
    assert_one_line(run("watch", tmp_path / "a.jsonl", 1), 1, "expected at least one game, got none; line 1: ")
    assert_one_line(run("watch", tmp_path / "none.jsonl", 1), 1, "none.jsonl")
    assert_one_line(
        run("watch", "minimax"), 2, "expected two agents, or a file of games and a line, got only 'minimax'"
    )


STRANGE = "a\x1b[2J\x9b\x07\x00\u202e\nb"


@pytest.fixture(scope="module")
def strange(tmp_path_factory):
    """A file of a game whose names are those of a stranger."""
    path = tmp_path_factory.mktemp("strange") / "games.jsonl"
    assert run("match", "random", "mcts:sims=2", "-n", 2, "--openings", "none", "--save", path).code == 0
    path.write_text(path.read_text().replace('"random"', json.dumps(STRANGE)))
    return path


@pytest.mark.parametrize(
    "words", ["review {}", "review {} -f csv", "review {} -f markdown", "watch {} 2", "watch {} 3 -f csv"]
)
def test_names_of_strangers_are_shown_as_text(words, strange, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")  # a narrower table breaks the name into lines
    ran = run(*words.format(strange).split(" "))
    assert ran.code == 0 and r"a\x1b[2J\x9b\x07\x00\u202e\nb" in ran.text, ran.err
    assert all(line.isprintable() for line in ran.text.split("\n"))


def test_pictures_with_names_of_strangers_are_xml(strange, tmp_path):
    assert run("watch", strange, 2, "-o", tmp_path / "game.svg").code == 0
    title = ET.parse(tmp_path / "game.svg").getroot().find(f"{SVG}title").text
    assert r"a\x1b[2J\x9b\x07\x00\u202e\nb" in title and title.isprintable()


LINES = {
    "tic-tac-toe": ("03142", {"circle": 2, "text": 6, "rect": 4}),
    "connect4": ("1212121", {"circle": 42, "text": 8, "rect": 5}),
    "ultimate": ("55 51", {"circle": 1, "text": 3, "rect": 1}),
    "tic-tac-toe:rows=2,columns=4": ("1 2", {"circle": 1, "text": 3, "rect": 1}),
}
"""A line, and the shapes of its picture: marks, numbers and a caption, the ground and cells of the line that won."""


@pytest.mark.parametrize("spec", LINES)
def test_pictures_of_games_have_all_marks_and_numbers(spec):
    moves, shapes = LINES[spec]
    game = parse_game(spec)
    root = ET.fromstring(game.svg(game.initial_state, game.parse_moves(moves), "a < b & c"))
    assert {name: len(root.findall(SVG + name)) for name in shapes} == shapes
    texts = [text.text for text in root.findall(f"{SVG}text")]
    assert texts == [*map(str, range(1, shapes["text"])), "a < b & c"]
    assert root.find(f"{SVG}title").text == "a < b & c"


def test_pictures_of_commands(games, tmp_path):
    for number, line in enumerate(
        [
            ["show", "XO..X...."],
            ["watch", "random", "random", "--game", "ultimate"],
            ["watch", games, 2],
        ]
    ):
        path = tmp_path / f"{number}.svg"
        ran = run(*line, "-o", path)
        assert (ran.code, ran.out, ran.err) == (0, b"", f"wrote {path}\n")
        assert ET.parse(path).getroot().tag == f"{SVG}svg"
        first = path.read_bytes()
        run(*line, "-o", path)
        assert path.read_bytes() == first


def test_a_game_without_a_board_has_no_picture(tmp_path):
    game = parse_game("openspiel:nim(pile_sizes=2;3)") if _has_open_spiel() else None
    if game is None:
        pytest.skip("open_spiel is not installed")
    ran = run("watch", "random", "random", "--game", game.spec, "-o", tmp_path / "nim.svg")
    assert_one_line(ran, 2, "a game with a board of cells")


def _has_open_spiel() -> bool:
    from importlib.util import find_spec

    return find_spec("pyspiel") is not None
