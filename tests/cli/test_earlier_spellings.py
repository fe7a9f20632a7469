"""Commands and options that were merged into others keep their earlier spellings, which no help lists."""

import csv
import io
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from cli_runner import assert_one_line, run
from ttt_fast.cli.machine import GLOSSARY
from ttt_fast.cli.main import EARLIER
from ttt_fast.games.registry import parse_game

MATCH = ("match", "mcts:sims=2", "random", "--game", "connect4:columns=4,rows=4,length=3", "-n", 4, "--seed", 5)
NIM = "openspiel:nim(pile_sizes=2;3)"


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    return tmp_path_factory.mktemp("earlier")


def test_saved_games(here):
    games = here / "games.jsonl"
    assert run(*MATCH, "--save", games).code == 0
    for earlier, now in {
        ("replay", games): ("watch", games),
        ("replay", games, "--game", 2): ("watch", games, 2),
        ("replay", "--game", 2, games, "--exact"): ("watch", games, 2, "--exact"),
        ("replay", games, "--game", 2, "-f", "csv"): ("watch", games, 2, "-f", "csv"),
    }.items():
        old, new = run(*earlier), run(*now)
        assert old == new and old.code == 0 and old.out
    assert run("watch", games, 3, "-f", "json").json()["schema"] == "ttt-fast/replay/1"
    assert run("replay", games, "-f", "json").json()["schema"] == "ttt-fast/replay/1"


def test_tables_on_disk(monkeypatch, here):
    monkeypatch.setattr("ttt_fast.tables.large.folder", lambda: here)
    game = ("--game", "connect4:columns=6,rows=4")  # whose table no test makes
    for words in ([], ["list"], ["list", *game], [*game, "list", "-f", "csv"], ["clear", *game]):
        old, new = run("tables", *words), run("info", "tables", *words)
        assert old.code == new.code == 0
        assert (old.out, old.err) == (new.out, new.err)
    assert run("tables", *game, "-f", "json").json()["schema"] == "ttt-fast/tables/1"
    assert_one_line(run("tables", "drop"), 2, "expected list or clear as ACTION, got 'drop'")


def _without_times(text):
    """Return the rows of a csv text without the columns of times."""
    rows = csv.DictReader(text.splitlines())
    return [{name: cell for name, cell in row.items() if "second" not in name} for row in rows]


def test_the_report_of_a_policy(here):
    pages = [here / "old.html", here / "new.html"]
    assert run("report", "buggy2", "-o", pages[0]).code == run("page", "buggy2", "-o", pages[1]).code == 0
    assert pages[0].read_bytes() == pages[1].read_bytes()
    assert_one_line(run("report", "-o", pages[0]), 2, "expected a policy file or an agent")
    assert_one_line(run("page", "buggy2", "--agents", "random"), 2, "expected a policy or --agents")
    assert_one_line(run("page", "buggy2", "-o", here / "page.txt"), 2, ".html")


STARTS = {
    ("exact", "random", "random"): ("tic-tac-toe", "031"),
    ("match", "random", "random", "-n", "1k"): ("tic-tac-toe:rows=3,columns=3,misere=yes", "031"),
    ("watch", "random", "random"): ("connect4:columns=4,rows=3", "223"),
    ("perft", "-d", "2"): ("ultimate:closed=stay", "55 51"),
    ("play", "random", "--seed", 1): ("tic-tac-toe:rows=3,columns=4", "0, 11 5"),
    ("show", "--agents", "random"): (NIM, "pile:1,take:1; pile:2,take:2;"),
}
"""Commands that start somewhere, each with a game and moves."""


@pytest.mark.parametrize("line", STARTS, ids=lambda line: line[0])
def test_one_text_for_the_start(line):
    if line[0] == "show" and find_spec("pyspiel") is None:
        pytest.skip("open_spiel is not installed")
    spec, moves = STARTS[line]
    game = parse_game(spec)
    board = game.format_position(game.state_after(moves))
    words = (*line, "--game", spec, *(() if line[0] == "play" else ("-f", "csv")))
    spelled = [("--position", moves), ("--position", board), ("--moves", moves), ("--board", board)]
    if line[0] == "show":
        spelled = [(moves,), (board,)]
    found = [run(*words, *one) for one in spelled]
    texts = [ran.text if line[0] == "play" else _without_times(ran.text) for ran in found]
    assert all(ran.code == 0 for ran in found) and texts[1:] == texts[:1] * (len(texts) - 1), found
    if line[0] != "show":
        assert run(*words).text != found[0].text
        assert_one_line(run(*words, "--board", board, "--moves", moves), 2, "expected only one of --position")
        assert_one_line(run(*words, "--position", "neither"), 2, "'neither' is neither a line of moves nor a board")


def test_a_digit_is_a_move_and_nine_of_them_may_be_a_board():
    rows = [run("show", text, "-f", "csv").text for text in ("031", "110200000", "XX.O.....")]
    assert rows[0] == rows[1] == rows[2]


def test_a_cluster_is_named_by_its_scheduler_alone():
    line = ("match", "mcts:sims=2", "random", "-n", 2)
    assert_one_line(run(*line, "--executor", "dask"), 2, "expected --scheduler ADDRESS")
    assert_one_line(
        run(*line, "--executor", "threads", "--scheduler", "tcp://here:1"), 2, "--executor threads or --scheduler"
    )
    assert run(*line, "--executor", "threads").code == 0


def test_the_opponent_of_a_person_is_an_argument():
    assert run("play", "random", "--seed", 1, stdin="q\n") == run(
        "play", "--opponent", "random", "--seed", 1, stdin="q\n"
    )


def test_no_help_lists_them():
    text = run("--help").text
    assert not re.findall(rf"^  ({'|'.join(EARLIER)})\b", text, re.M)
    for command in ("match", "exact", "watch", "play", "perft", "page", "sweep", "reproduce"):
        assert not re.search(r"--(board|moves|executor|opponent|report)\b", run(command, "--help").text)


def glossary():
    """Return the text of the packaged glossary, from the page."""
    page = (Path(__file__).resolve().parents[2] / "docs" / "GLOSSARY.md").read_text(encoding="utf-8")
    text = io.StringIO()
    rows = re.findall(r"^\| (?!---)(.*?) \| (.*) \|$", page, re.M)
    csv.writer(text, lineterminator="\n").writerows([re.sub("[*`]", "", cell) for cell in row] for row in rows)
    return text.getvalue()


def test_the_glossary_is_that_of_the_documentation():
    text = glossary()
    assert GLOSSARY.read_text(encoding="utf-8") == text  # `PYTHONPATH=tests python` with this file writes it
    found = run("info", "glossary", "-f", "json").json()
    assert found["schema"] == "ttt-fast/glossary/1" and found["rows"] == list(csv.DictReader(text.splitlines()))
    assert "ttt-fast info glossary" in run("--help").text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["weather"], "expected machine, tables or glossary as TOPIC, got 'weather'"),
        (["glossary", "clear"], "only with the topic tables"),
        (["--game", "connect4"], "only with the topic tables"),
    ],
)
def test_mistakes_about_topics(words, said):
    assert_one_line(run("info", *words), 2, said)


if __name__ == "__main__":
    GLOSSARY.write_text(glossary(), encoding="utf-8")
