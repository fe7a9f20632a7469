"""The benchmark's own arithmetic: turns, ratios, and groups that are measured again while the others stay."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parents[2] / "bench"


@pytest.fixture
def bench():
    import run as module

    yield module
    for name in [name for name in sys.modules if name in ("run", "page") or name.split(".")[0] == "groups"]:
        del sys.modules[name]


def run(bench, monkeypatch, folder, *words) -> dict:
    monkeypatch.setattr(sys, "argv", ["run.py", "--results", str(folder), *words])
    bench.main()
    return json.loads((folder / "bench.json").read_text())["groups"]


def test_some_groups_are_measured_again_and_the_others_stay(bench, monkeypatch, tmp_path, capsys):
    from groups import timing

    calls = []

    def group(name: str) -> timing.Group:
        def measure(effort):
            calls.append((name, effort.repeats))
            return [timing.value_row(f"calls of {name}", len(calls))]

        return timing.Group(name, f"Group {name}", measure)

    monkeypatch.setattr(bench, "GROUPS", {name: group(name) for name in ("one", "two", "three")})
    first = run(bench, monkeypatch, tmp_path, "--only", "two,one", "--repeats", "5")
    assert calls == [("one", 5), ("two", 5)]
    assert list(first) == ["one", "two"]
    second = run(bench, monkeypatch, tmp_path, "--only", "two")
    assert second["one"] == first["one"]
    assert second["two"]["rows"][0]["value"] == 3
    assert second["two"]["manifest"]["repeats"] == 7
    assert {"cpu", "numba", "ttt_fast"} <= set(second["two"]["manifest"]["environment"])
    page = (tmp_path / "README.md").read_text()
    assert "## Group one" in page
    assert "| calls of two | 3.00 |" in page
    with pytest.raises(SystemExit):
        run(bench, monkeypatch, tmp_path, "--only", "four")
    assert "got 'four'" in capsys.readouterr().err
    assert len(calls) == 3


def test_rates_and_ratios_turn_by_turn(bench, monkeypatch):
    """A clock that runs twice as fast in every other turn changes no ratio."""
    from groups import timing
    from ttt_fast.report.throughput import Candidate

    turns = []

    def pretended(run):
        turns.append(run())
        slow = 1.0 if len(turns) <= 6 else 2.0 ** (len(turns) // 2 % 2)  # the first call, and how many make a repeat
        return turns[-1] * slow

    monkeypatch.setattr(timing, "timed", pretended)
    candidates = [
        Candidate("straightforward", "games", 10, lambda: 2.0),
        Candidate("ttt_fast", "games", 10, lambda: 0.5),
    ]
    plain, fast = timing.take_turns(candidates, timing.Effort(0.5, 5, False), "straightforward")
    assert (plain["ratio"], plain["ttt_fast_is"], fast["ratio"], fast["ttt_fast_is"]) == (1.0, 4.0, 4.0, 1.0)
    assert fast["slowest"] < fast["fastest"] <= 20.0
    assert (fast["first_call_seconds"], fast["repeats"]) == (0.5, 5)


def test_the_walk_plays_the_games_of_the_learner(bench):
    """With epsilon 1 both draw uniform games, whatever has been learned."""
    from baselines.chunks import one_chunk
    from groups import self_play
    from groups.walk import walk
    from ttt_fast.core.rng import chunk_stream
    from ttt_fast.learn.self_play.exploration import gap_slots
    from ttt_fast.learn.self_play.game import self_play_game, self_play_workspace
    from ttt_fast.learn.self_play.kernels import learn_chunks
    from ttt_fast.tables import standard_table

    game = self_play_game(standard_table())
    space = self_play_workspace(game, np.zeros((1, game.link.size)))
    learned, walked = np.zeros(3, np.int64), np.zeros(3, np.int64)
    for epsilon in (0.0, 0.3, 1.0):
        stream = chunk_stream(5)
        learn_chunks(game, space, self_play.REWARDS, 1.0, one_chunk(2000, 0.0, epsilon, stream), learned)
        walk(space.head, game.link, np.uint64(game.first_result), gap_slots(epsilon), 2000, stream, walked)
        assert np.array_equal(learned, walked)


@pytest.mark.parametrize("credit", ["seed-001", "own"])
def test_the_dictionary_learns_what_the_table_learns(bench, credit):
    from dataclasses import replace

    from groups import hashed
    from ttt_fast.games.registry import parse_game

    config = replace(hashed.first_rounds(60), credit=credit)
    table, dictionary = hashed.by_table(config), hashed.by_dictionary(config)
    assert table.counts.tolist() == dictionary.results
    game = parse_game(hashed.BOARD_OF_SEED)
    keys = [key_of(game.initial_state, board) for board in dictionary.values]
    rows = table.table.sorted_rows()
    assert dict(zip(rows.keys.tolist(), rows.values[:, 0].tolist(), strict=True)) == dict(
        zip(keys, dictionary.values.values(), strict=True)
    )
    assert max(dictionary.values.values()) > 0


def key_of(start, board: bytes) -> int:
    """The key of a board given as cells, column by column."""
    bits = [1 << column * 8 + row for column in range(6) for row in range(7)]
    x, o = (sum(bit for bit, cell in zip(bits, board, strict=True) if cell == who) for who in (1, 2))
    own = x if board.count(1) == board.count(2) else o
    return (x | o) + start.bottom + own


def test_the_readme_has_a_block_for_the_figures(bench, tmp_path):
    import page
    from groups import timing

    text = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    path = tmp_path / "README.md"
    path.write_text(text, encoding="utf-8")
    from ttt_fast.report.throughput import Candidate

    candidates = [Candidate("ttt_fast: something", "games", 1, lambda: sum(range(1000)))]
    rows = timing.take_turns(candidates, timing.Effort(0.001, 1, False), candidates[0].name)
    group = {"title": "T", "rows": rows, "manifest": {"environment": {"cpu": "a processor"}}}
    page.update_readme({"some": group}, ["some", "missing"], path)
    made = path.read_text(encoding="utf-8")
    assert made.split(page.BEGINNING)[0] == text.split(page.BEGINNING)[0]
    assert made.split(page.END)[1] == text.split(page.END)[1]
    assert "ttt_fast: something" in made
