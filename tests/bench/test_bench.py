"""The benchmark's own arithmetic: turns, ratios, and groups that are measured again while the others stay."""

import json
import re
import sys
from importlib import metadata
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

    import page

    names = ("one", "two", "three")
    monkeypatch.setattr(bench, "GROUPS", {name: group(name) for name in names})
    monkeypatch.setattr(page, "PAGE", {name: (f"calls of {name}",) for name in names})
    first = run(bench, monkeypatch, tmp_path, "--only", "two,one", "--repeats", "5")
    assert calls == [("one", 5), ("two", 5)]
    assert list(first) == ["one", "two"]
    second = run(bench, monkeypatch, tmp_path, "--only", "two")
    assert second["one"] == first["one"]
    assert second["two"]["rows"][0]["value"] == 3
    assert second["two"]["manifest"]["repeats"] == 7
    assert {"cpu", "numba", "ttt_fast"} <= set(second["two"]["manifest"]["environment"])
    text = (tmp_path / "README.md").read_text()
    assert "| `one` | calls of one |  | 1.0 % |" in text and "| `two` | calls of two |  | 3.0 % |" in text
    other = run(bench, monkeypatch, tmp_path, "--only", "three", "--second")
    assert list(other) == ["one", "two"]  # the rows of the other machine have a file of their own
    assert list(json.loads((tmp_path / "second" / "bench.json").read_text())["groups"]) == ["three"]
    (tmp_path / "README.md").unlink()
    assert run(bench, monkeypatch, tmp_path, "--pages") == other
    assert "calls of two" in (tmp_path / "README.md").read_text()
    with pytest.raises(SystemExit):
        run(bench, monkeypatch, tmp_path, "--only", "four")
    assert "got 'four'" in capsys.readouterr().err
    assert len(calls) == 4


def test_rates_and_ratios_turn_by_turn(bench, monkeypatch):
    """A clock that runs twice as fast in every other turn changes no ratio."""
    from groups import timing
    from ttt_fast.running import timing as clock

    turns = []

    def pretended(run, clock=None):
        turns.append(run())
        slow = 1.0 if len(turns) <= 6 else 2.0 ** (len(turns) // 2 % 2)  # the first call, and how many make a repeat
        return turns[-1] * slow

    monkeypatch.setattr(clock, "timed", pretended)
    candidates = [
        clock.Candidate("straightforward", "games", 10, lambda: 2.0),
        clock.Candidate("ttt_fast", "games", 10, lambda: 0.5),
    ]
    plain, fast = timing.take_turns(candidates, timing.Effort(0.5, 5, frozenset()), "straightforward")
    assert (plain["ratio"], plain["ttt_fast_is"], fast["ratio"], fast["ttt_fast_is"]) == (1.0, 4.0, 4.0, 1.0)
    assert fast["slowest"] < fast["fastest"] <= 20.0
    assert (fast["first_call_seconds"], fast["repeats"]) == (0.5, 5)


@pytest.mark.slow
def test_the_walk_plays_the_games_of_the_learner(bench):
    """With epsilon 1 both draw uniform games, whatever has been learned."""
    from baselines.chunks import gap_slots, one_chunk
    from groups import self_play
    from groups.walk import walk
    from ttt_fast import table_of
    from ttt_fast.kernels import chunk_stream

    game = self_play.self_play_game(table_of("tic-tac-toe"))
    zeros = np.zeros((1, game.link.size))
    space = self_play.self_play_workspace(game, zeros, zeros[0] > 0, self_play.REWARDS[0])
    learned, walked = np.zeros(3, np.int64), np.zeros(3, np.int64)
    for epsilon in (0.0, 0.3, 1.0):
        stream = chunk_stream(5)
        self_play.learn_self_play(game, space, one_chunk(2000, 0.0, epsilon, stream), learned)
        walk(space.head, game.link, np.uint64(game.first_result), gap_slots(epsilon), 2000, stream, walked)
        assert np.array_equal(learned, walked)


def test_the_committed_pages_are_those_of_the_committed_rows(bench, tmp_path):
    """Every row that a page names is measured, and those of README.md are on the page of the benchmark."""
    import page

    results, readme = FOLDER.parent / "results" / "bench", (FOLDER.parent / "README.md").read_bytes()
    groups, second = (bench.known_groups(results / name) for name in ("bench.json", "second/bench.json"))
    assert (results / "README.md").read_text(encoding="utf-8") == page.page(groups, "python bench/run.py", second)
    (tmp_path / "README.md").write_bytes(readme)
    page.update_readme(groups, tmp_path / "README.md", second)
    assert (tmp_path / "README.md").read_bytes() == readme
    block = readme.decode().split(page.BEGINNING)[1].split(page.END)[0]
    ratios = [float(one.replace(",", "")) for one in re.findall(r"(?<=\| )[\d,.]+(?= \|)", block)]
    assert len(ratios) == 12 and ratios == [float(f"{one:.3g}") for one in ratios]
    for names in (page.PAGE, page.README):
        for name, wanted in names.items():
            assert set(wanted) <= {row["what"] for row in groups[name]["rows"]} and set(wanted) <= set(page.PAGE[name])


# --- Other programs, which may not be there, and groups that fail.


@pytest.fixture
def without_pgx(monkeypatch):
    """A machine on which OpenSpiel is installed, pgx is not, and JAX may be."""
    version = metadata.version

    def of_others(name: str) -> str:
        if name == "pgx":
            raise metadata.PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(metadata, "version", of_others)


def instead(bench, monkeypatch, **measures) -> None:
    """Have groups of the benchmark return other rows than those that take minutes."""
    groups = {name.replace("_", "-"): measure for name, measure in measures.items()}
    found = {name: bench.GROUPS[name]._replace(measure=measure) for name, measure in groups.items()}
    monkeypatch.setattr(bench, "GROUPS", found)


def test_a_missing_program_is_told_before_anything_is_measured(bench, monkeypatch, tmp_path, without_pgx, capsys):
    from groups import timing

    said = []

    def measure(effort):
        said.append(capsys.readouterr().err)
        return [timing.value_row("peers", len(effort.peers))]

    instead(bench, monkeypatch, two_threads=measure, random_games=measure)
    groups = run(bench, monkeypatch, tmp_path)
    assert said[0].count("\n") == 1 and said[1] == ""
    for words in ("pgx is not installed", "pip install", "random-games"):
        assert words in said[0]
    assert "two-threads" not in said[0]
    assert (
        groups["random-games"]["manifest"]["without"] == ["pgx"] and groups["two-threads"]["manifest"]["without"] == []
    )
    assert "random-games (without pgx)" in (tmp_path / "README.md").read_text()
    run(bench, monkeypatch, tmp_path, "--without-peers")
    assert said[2:] == ["", ""] and "without open_spiel, pgx" in (tmp_path / "README.md").read_text()


def test_a_group_without_rows_leaves_the_earlier_ones(bench, monkeypatch, tmp_path, capsys):
    from groups import timing

    instead(bench, monkeypatch, equal_simulations=lambda effort: [timing.value_row("score", 1)] if effort.peers else [])
    before = run(bench, monkeypatch, tmp_path)
    capsys.readouterr()
    assert run(bench, monkeypatch, tmp_path, "--without-peers") == before
    assert "equal-simulations" in capsys.readouterr().err


def test_a_group_that_fails_takes_no_other_with_it(bench, monkeypatch, tmp_path, capsys):
    from groups import timing

    def fail(effort):
        raise RuntimeError("no such luck")

    row = timing.value_row("one", 1)
    instead(bench, monkeypatch, random_games=lambda effort: [row], training=fail, two_threads=lambda effort: [row])
    with pytest.raises(SystemExit, match="1"):
        run(bench, monkeypatch, tmp_path)
    assert list(json.loads((tmp_path / "bench.json").read_text())["groups"]) == ["random-games", "two-threads"]
    error = capsys.readouterr().err
    assert "no such luck" in error and error.splitlines()[-1].startswith("failed: training")
