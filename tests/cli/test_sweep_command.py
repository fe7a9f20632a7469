"""The command `sweep`: grids in words and files, its rows, going on after signals."""

import signal
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from cli_runner import assert_one_line, run, start, wait_for
from conftest import PATIENCE
from ttt_fast import TrainingConfig, save_policy, seed_intervals
from ttt_fast.cli import sweep as sweep_command
from ttt_fast.learners import Sweep

SMALL = ["--set", "epsilon=0.1,0.2", "--seeds", "3", "-n", "3k"]
LONG = ["--set", "discount=1,0.9", "--seeds", "20", "-n", "4k", "--threads", "2"]
SLOWLY = [  # a run takes a tenth of a second, nearly all of which it sleeps
    sys.executable,
    "-c",
    """
import time
from ttt_fast.training import sweep
new_run = sweep.new_run
def slowly(*given):
    time.sleep(0.1)
    return new_run(*given)
sweep.new_run = slowly
from ttt_fast.cli.main import main
main()
""",
]


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*.parquet")}


def hashes(folder: Path) -> dict[str, str]:
    return {path.name: pl.read_parquet(path)["sha256"][0] for path in folder.glob("*.parquet")}


def test_the_rows_of_a_sweep(tmp_path):
    document = run("sweep", *SMALL, "-o", tmp_path / "s", "--merge", tmp_path / "all.parquet", "-f", "json").json()
    assert document["schema"] == "ttt-fast/sweep/1"
    config = document["manifest"]["config"]
    assert config == {"settings": {"episodes": 3000}, "grid": {"epsilon": ["0.1", "0.2"]}, "seeds": 3}
    assert [(row["epsilon"], row["seeds"]) for row in document["rows"]] == [("0.1", 3), ("0.2", 3)]
    assert list(document["rows"][0]) == [
        "epsilon", "seeds", "mean_value", "mean_value_low", "mean_value_high", "iqm_value", "iqm_value_low",
        "iqm_value_high", "sd_value", "min_value", "max_value", "best_value", "optimal_seeds", "median_episodes",
        "median_episodes_low", "median_episodes_high", "p_value", "mean_seconds",
    ]  # fmt: skip
    assert len(files(tmp_path / "s")) == 6
    merged = pl.read_parquet(tmp_path / "all.parquet")
    assert merged["unit"].n_unique() == 6
    assert set(merged["seed"]) == {0, 1, 2}


def test_a_sweep_on_a_game_without_a_table_has_samples_and_no_best_value(tmp_path):
    ran = run(
        "sweep", "--game", "connect4", "--set", "opponent=random,self", "--seeds", "1", "-n", "300", "-o", tmp_path
    )
    assert ran.code == 0 and "sampled final values" in " ".join(ran.text.split())
    rows = run("sweep", "--set", "game=connect4", "--set", "opponent=random,self", "--seeds", "1", "-n", "300",
               "-o", tmp_path, "-f", "json").json()["rows"]  # fmt: skip
    assert [(row["opponent"], row["seeds"], row["best_value"], row["optimal_seeds"]) for row in rows] == [
        ("random", 1, None, None), ("self", 1, None, None)
    ]  # fmt: skip
    again = run("sweep", "--game", "connect4", "--set", "game=connect4", "--seeds", "1", "-o", tmp_path)
    assert_one_line(again, 2, "game")


def test_a_second_run_does_nothing_and_prints_the_same(tmp_path):
    first = run("sweep", *SMALL, "-o", tmp_path, "-f", "csv")
    before = files(tmp_path)
    again = run("sweep", *SMALL, "-o", tmp_path, "-f", "csv", "--threads", "1")
    assert (again.code, again.out, again.err) == (0, first.out, f"6 of 6 runs were in {tmp_path} already\n")
    assert files(tmp_path) == before
    report = run("sweep", *SMALL, "-o", tmp_path).text
    assert "6 runs in" in report
    assert "median episodes" in report  # explained below the table


def test_the_table_of_a_sweep_explains_its_headings_and_counts_in_whole_numbers(tmp_path):
    """Two settings: one in which all seeds find the optimum early, and one in which half of them find it late."""
    words = ["--set", "step_size=0.1,1", "--set", "opponent=minimax", "--set", "seat=o", "--seeds", "4", "-n", "30k"]
    text = " ".join(run("sweep", *words, "-o", tmp_path).text.split())
    assert "optimal seeds: those that end with the best value" in text and "value: wins minus losses" in text
    rows = run("sweep", *words, "-o", tmp_path, "-f", "json").json()["rows"]
    for row in rows:
        assert type(row["optimal_seeds"]) is int and (row["median_episodes"] is None) == (row["optimal_seeds"] <= 2)
        assert row["median_episodes"] is None or f" {row['median_episodes']:,} " in text
    assert any(type(row["median_episodes"]) is int for row in rows)


def test_a_damaged_run_is_done_again_and_one_line_says_so(tmp_path):
    line = ["sweep", *SMALL, "-o", tmp_path / "s", "--merge", tmp_path / "all.parquet", "-f", "json"]
    run(*line)
    before, tables = hashes(tmp_path / "s"), files(tmp_path / "s")
    damaged = sorted(tables)[:2]
    for name, place in zip(damaged, (100, -100), strict=True):
        content = bytearray(tables[name])
        content[place] ^= 4
        (tmp_path / "s" / name).write_bytes(content)
    ran = run(*line)
    said = ran.err.splitlines()
    assert ran.code == 0 and len(said) == 3 and said[-1] == f"4 of 6 runs were in {tmp_path / 's'} already"
    for name in damaged:
        path = tmp_path / "s" / name
        assert (
            f"'{path}': expected a run of a sweep, but the file is damaged or of another kind; it is run again" in said
        )
    assert hashes(tmp_path / "s") == before
    assert run(*line).err == f"6 of 6 runs were in {tmp_path / 's'} already\n"


def test_without_a_folder_the_files_are_kept_in_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for seeds in ("2", "3"):
        assert run("sweep", "--set", "discount=1,0.5", "--seeds", seeds, "-n", "2k").code == 0
    (folder,) = (tmp_path / "runs").iterdir()
    assert folder.name.startswith("sweep-discount-")
    assert len(files(folder)) == 6


def test_lists_may_hold_agents_with_options_and_schedules(tmp_path):
    words = ["--set", "opponent=random,minimax:tie=first,prefer=fast", "--set", "step-size=geometric:0.5,0.01"]
    words += ["--set", "step_size=linear:0.5,0.1;0.2"]
    twice = run("sweep", *words, "--seeds", "1", "-n", "1k", "-o", tmp_path)
    assert_one_line(twice, 2, "step_size", "twice")
    del words[2:4]
    document = run("sweep", *words, "--seeds", "1", "-n", "1k", "-o", tmp_path, "-f", "json").json()
    assert document["manifest"]["config"]["grid"] == {
        "opponent": ["random", "minimax:tie=first,prefer=fast"], "step_size": ["linear:0.5,0.1", "0.2"],
    }  # fmt: skip
    words = ["--set", "epsilon=linear:0.5,0.1,0.2,stairs:1,0.1,3,0.5", "--set", "seat=x,O,both", "--set"]
    words += ["random_opening=true,False", "--set", "judges=heuribot,buggy", "--set", "chunk_episodes=1e3"]
    document = run("sweep", *words, "--seeds", "1", "-n", "1k", "-o", tmp_path, "-f", "json").json()
    assert document["manifest"]["config"] == {
        "settings": {"judges": "heuribot,buggy", "chunk_episodes": 1000, "episodes": 1000},
        "grid": {
            "epsilon": ["linear:0.5,0.1,0.2", "stairs:1,0.1,3,0.5"],
            "seat": [1, 2, 3],
            "random_opening": [True, False],
        },
        "seeds": 1,
    }


TOML = """
seeds = [3, 5]
[settings]
episodes = "2k"
seat = "o"
discount = 1
[grid]
epsilon = [0.1, "linear:0.5,0.1"]
initial_q = [0, 0.5]
"""


def test_games_may_have_options(tmp_path):
    games = "game=connect4:columns=3,rows=3,length=3,tic-tac-toe:misere=yes,tic-tac-toe"
    rows = run("sweep", "--set", games, "--seeds", 1, "-n", 300, "--set", "evaluations=1", "-o", tmp_path, "-f", "json")
    expected = ["connect4:columns=3,rows=3,length=3", "tic-tac-toe:misere=yes", "tic-tac-toe"]
    assert [row["game"] for row in rows.json()["rows"]] == expected


def test_a_file_gives_what_the_words_give_and_words_have_the_last_word(tmp_path):
    path = tmp_path / "sweep.toml"
    path.write_text("\ufeff" + TOML, encoding="utf-8")  # a byte order mark
    document = run("sweep", "--config", path, "-o", tmp_path / "s", "-f", "json").json()
    assert document["manifest"]["config"] == {
        "settings": {"episodes": 2000, "seat": 2, "discount": 1.0},
        "grid": {"epsilon": ["0.1", "linear:0.5,0.1"], "initial_q": [0.0, 0.5]},
        "seeds": [3, 5],
    }
    before = files(tmp_path / "s")
    words = "--set epsilon=0.1,linear:0.5,0.1 --set initial_q=0,0.5 --set seat=o --set discount=1".split()
    run("sweep", *words, "-n", "2k", "--seeds", "6", "-o", tmp_path / "s")
    after = files(tmp_path / "s")
    assert len(after) == 24
    assert before.items() <= after.items()
    line = ["sweep", "--config", path, "--set", "epsilon=0.3", "--seeds", "1", "-n", "1k", "-o", tmp_path / "t"]
    assert run(*line, "-f", "json").json()["manifest"]["config"] == {
        "settings": {"episodes": 1000, "seat": 2, "discount": 1.0, "epsilon": "0.3"},
        "grid": {"initial_q": [0.0, 0.5]},
        "seeds": 1,
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("seeds = \n", ["sweep.toml", "TOML", "line 1"]),
        ("\xff", ["sweep.toml", "expected UTF-8 text"]),
        ("seed = 3", ["sweep.toml", "'seed'"]),
        ("grid = 3", ["[grid]"]),
        ("settings = []", ["[settings]"]),
        ("[grid]\nepsilon = 0.1", ["a list of values for epsilon"]),
        ("[grid]\nepsilon = []", ["epsilon", "one or more"]),
        ("[grid]\nepsilon = [0.1, [0.2]]", ["epsilon", "[0.2]"]),
        ("[settings]\nepsilom = 0.1", ["'epsilom'", "epsilon"]),
        ("[settings]\nepisodes = 1.5", ["episodes", "1.5"]),
        ("[settings]\nseat = 4", ["seat", "4"]),
        ("seeds = 0", ["seeds", "'0'"]),
        ("seeds = [1, -1]", ["seeds", "-1"]),
        ("seeds = [1, 'x']", ["seeds", "'x'"]),
        ("seeds = {}", ["seeds", "{}"]),
    ],
)
def test_a_mistake_in_a_file_is_one_line(tmp_path, text, words):
    path = tmp_path / "sweep.toml"
    path.write_bytes(text.encode("latin-1"))
    assert_one_line(run("sweep", "--config", path, "-o", tmp_path / "s"), 1 if text == "\xff" else 2, *words)
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (["--set", "epsilon"], ["NAME=VALUE", "'epsilon'"]),
        (["--set", "epsilom=1"], ["'epsilom'", "epsilon"]),
        (["--set", "seed=1,2"], ["'seed'", "seeds"]),
        (["--set", "epsilon=0.1,0.1"], ["different values", "epsilon"]),
        (["--set", "epsilon="], ["epsilon"]),
        (["--set", "epsilon=2"], ["epsilon", "2"]),
        (["--set", "discount=half"], ["discount to be a number from 0 to 1", "'half'"]),
        (["--set", "opponent=nobody"], ["unknown agent"]),
        (["--set", "episodes=1k", "-n", "2k"], ["episodes", "twice"]),
        (["-n", "0"], ["at least 1 episode"]),
        (["--seeds", "0"], ["seeds", "'0'"]),
        (["--seeds", "1e18"], ["seeds"]),
    ],
)
def test_a_mistake_in_words_is_one_line(tmp_path, line, words):
    assert_one_line(run("sweep", *line, "-o", tmp_path / "s"), 2, *words)
    assert not (tmp_path / "s").exists()


def test_files_that_cannot_be_read_or_written_are_one_line(tmp_path):
    assert_one_line(run("sweep", "--config", tmp_path / "none.toml"), 1, "none.toml")
    (tmp_path / "file").write_text("")
    assert_one_line(run("sweep", *SMALL, "-o", tmp_path / "file"), 1, "file")
    (tmp_path / "manifest.json").write_text("{}")
    assert_one_line(run("sweep", *SMALL, "-o", tmp_path), 1, "another folder")


def test_without_dask_one_line_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "dask.distributed", None)
    line = ["--scheduler", "tcp://127.0.0.1:9", "-o", tmp_path / "s"]
    assert_one_line(run("sweep", *SMALL, *line), 2, "ttt-fast[cluster]")


# --- Signals.


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory) -> dict[str, str]:
    """What the long sweep learns when nobody disturbs it."""
    folder = tmp_path_factory.mktemp("whole")
    assert run("sweep", *LONG, "-o", folder).code == 0
    return hashes(folder)


def wait_for_files(folder: Path, number: int, process) -> None:
    wait_for(lambda: len(list(folder.glob("*.parquet"))) >= number, process)


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_an_interrupted_sweep_keeps_its_runs_and_says_how_to_go_on(tmp_path, uninterrupted, number):
    process = start("sweep", *LONG, "-o", tmp_path, program=SLOWLY)
    wait_for_files(tmp_path, 3, process)
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (130, b""), err
    assert f"ttt-fast sweep {' '.join(LONG)} -o {tmp_path}" in err.decode()
    assert "Traceback" not in err.decode()
    kept = files(tmp_path)
    assert 3 <= len(kept) < 40
    assert f"after {len(kept)} of 40 runs" in err.decode()
    assert run("sweep", *LONG, "-o", tmp_path).code == 0
    assert kept.items() <= files(tmp_path).items()
    assert hashes(tmp_path) == uninterrupted


@pytest.mark.slow
def test_a_long_run_is_given_up_at_once(tmp_path):
    process = start("sweep", "--seeds", "2", "-n", "100G", "--threads", "1", "-o", tmp_path)
    wait_for((tmp_path / "manifest.json").exists, process)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, err
    assert "after 0 of 2 runs" in err.decode()
    assert files(tmp_path) == {}


def test_planning_stands_in_a_sweep_and_says_how_soon_it_was_done(tmp_path):
    words = ["--set", "algorithm=value-iteration,policy-iteration,afterstate", "--set", "opponent=random,self"]
    rows = run("sweep", *words, "-n", "12", "--seeds", "1", "-o", tmp_path, "-f", "json").json()["rows"]
    assert [row["algorithm"] for row in rows[4:]] == ["afterstate"] * 2 and rows.pop() and rows.pop()
    assert [row["mean_value"] - row["best_value"] for row in rows] == [0.0] * 4
    assert all(0 < row["median_episodes"] <= 9 for row in rows)


def test_a_run_of_a_sweep_has_the_defaults_of_train():
    names = ["q", "dqn", "alphazero", "fictitious-play", "value-iteration"]
    plan = sweep_command._plan(None, [f"algorithm={','.join(names)}"], {"game": None, "episodes": None}, "1")
    assert [plan.config(number) for number in range(5)] == [TrainingConfig(algorithm=name) for name in names]


@pytest.mark.parametrize(
    "setting",
    ["epsilon=0.1,0.10,1e-1", "game=tic-tac-toe,tic-tac-toe:rows=3", "opponent=random@0.5>minimax,random>minimax"],
)
def test_one_value_in_two_spellings_is_refused(setting, tmp_path):
    assert_one_line(run("sweep", "--set", setting, "-n", "1k", "-o", tmp_path), 2, "different values of")


def test_a_run_counts_once_whatever_file_it_is_read_from(tmp_path):
    """The file of --merge in the folder, and an earlier sweep whose opponent has changed: only the manifest's runs."""
    rival, folder = tmp_path / "rival.npz", tmp_path / "runs"
    folder.mkdir()
    for agent in ("best-response:random", "best-response:minimax"):
        save_policy(rival, agent)
        words = ["--set", f"opponent={rival}", "--set", "evaluations=2", "--seeds", "3", "-n", "2k", "-o", folder]
        assert run("sweep", *words, "--merge", folder / "all.parquet").code == 0
    assert len(files(folder)) == 7
    band = ["--y", "regret", "--band", "iqm", "-o", tmp_path / "p.txt"]
    assert run("plot", folder, *band).code == 0
    assert "of 3 runs" in (tmp_path / "p.txt").read_text(encoding="utf-8")
    latest = seed_intervals(pl.read_parquet(folder / "all.parquet"))
    assert seed_intervals(pl.read_parquet([folder / "all.parquet", *Sweep.files(folder)])).equals(latest)
    for asked in ("sd", "iqm"):
        mixed = run("plot", *folder.glob("*.parquet"), "--y", "regret", "--band", asked)
        assert_one_line(mixed, 2, "expected one run of each seed in each setting, got several", "which differ in unit")
