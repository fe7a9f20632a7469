"""The last lines of commands: totals, and what a training has taken and written."""

import re

from cli_runner import run

EPISODES = r"500 episodes in [\d.]+ s \([\d.]+ [kMG]? ?episodes/s\), saved in q\.npz\n"
DIGEST = "sha256 begins [0-9a-f]{16}\n"


def test_the_last_row_of_the_states_has_their_totals():
    *rows, total = run("states", "-f", "json").json()["rows"]
    sums = {name: sum(row[name] for row in rows) for name in rows[0] if name not in ("ply", "perft")}
    assert total == {"ply": None, "perft": None, **sums}
    assert (total["states"], total["x_wins"], total["draws"], total["o_wins"]) == (5478, 626, 16, 316)
    assert (total["classes"], total["games"]) == (765, 255_168)


def test_a_training_says_how_long_it_took_and_where_it_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = run("train", "-n", "500", "-o", "q.npz").text
    assert re.search(f"\n{EPISODES}{DIGEST}exact value [-\\d.]+ of 0.994791667 ", text)


def test_a_training_whose_table_grows_says_its_size(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = run("train", "--game", "connect4", "-n", "500", "--judges", "", "-o", "q.npz").text
    size = r"[\d,]+ states in [\d.]+ MB \([\d.]+ MB while the table grew\)\n"
    assert re.fullmatch(f"{EPISODES}{size}{DIGEST}", text)
