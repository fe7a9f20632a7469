"""Sweeps: names of units, resuming, damage, threads, a cluster that loses a worker."""

import json
import threading
from contextlib import closing
from pathlib import Path

import polars as pl
import pytest

from conftest import PATIENCE
from dask_cluster import losing_a_worker
from ttt_fast import FileFormatError, TttFastError, UsageError, as_policy, save_policy, train
from ttt_fast.learners import SETTINGS, Sweep
from ttt_fast.running import executors
from ttt_fast.running.api import DaskExecutor, Job, JobStore, ThreadExecutor
from ttt_fast.running.executors import completed
from ttt_fast.training import config as training_config, sweep
from ttt_fast.training.sweep import run_unit

SMALL = Sweep({"episodes": 3000}, {"seat": [1, 2], "opponent": ["random", "minimax:tie=first"]}, range(3))
MEASURED = "seconds"  # all else is decided by the settings


def run(plan: Sweep, folder: Path, threads: int = 2) -> int:
    with closing(ThreadExecutor(threads)) as pool:
        return plan.run(plan.pending(folder), folder, pool)


def content(folder: Path) -> dict[str, pl.DataFrame]:
    return {path.name: pl.read_parquet(path, glob=False).drop(MEASURED) for path in sorted(folder.glob("*.parquet"))}


def assert_same(one: dict[str, pl.DataFrame], other: dict[str, pl.DataFrame]) -> None:
    assert one.keys() == other.keys()
    assert all(one[name].equals(other[name]) for name in one)


# --- The grid.


def test_the_units_are_all_combinations_and_each_has_a_name_of_its_own():
    configs = [SMALL.config(index) for index in range(SMALL.num_units)]
    found = [(config.seat, config.opponent.text, config.seed) for config in configs]
    assert found == [(s, o, seed) for s in (1, 2) for o in ("random", "minimax:tie=first") for seed in range(3)]
    assert len({*SMALL.names}) == SMALL.num_units == 12
    assert SMALL.episodes_of(range(12)) == 36_000


def name_of(**settings):
    return Sweep({"episodes": 1000, **settings}, {}, [0]).names[0]


def test_a_name_depends_on_everything_that_decides_the_bits_and_on_nothing_else(monkeypatch):
    others = {"opponent": "minimax", "seat": 2, "episodes": 2000, "chunk_episodes": 77, "discount": 0.5}
    changed = {name_of(**{name: value}) for name, value in others.items()}
    assert len({name_of(), Sweep({"episodes": 1000}, {}, [1]).names[0], *changed}) == len(others) + 2
    assert name_of() == name_of() == name_of(discount=1) == name_of(discount=1.0)
    before = name_of()
    monkeypatch.setattr(training_config, "package_version", lambda: "99")
    assert name_of() != before


def test_an_opponent_in_a_file_is_part_of_the_name(tmp_path):
    path = tmp_path / "rival.npz"
    names, last = [], None
    for agent in ("best-response:random", "best-response:minimax", "best-response:random"):
        save_policy(path, as_policy(agent))
        last = Sweep({"opponent": str(path), "episodes": 100}, {}, [0]).job(0)
        names.append(last.name)
    assert names[0] == names[2] != names[1]
    save_policy(path, as_policy("best-response:minimax"))
    with pytest.raises(TttFastError, match="has changed"):
        run_unit(last.payload)


def test_every_field_but_the_seed_can_be_set():
    for name, about in SETTINGS.items():
        if name not in ("seed", "chunk_episodes"):
            assert len(Sweep.parse_setting(f"{name}={about.default}")[1]) == 1
    with pytest.raises(UsageError, match="expected the seeds"):
        Sweep.parse_setting("seed=1")


@pytest.mark.parametrize(
    ("settings", "grid", "seeds", "words"),
    [
        ({}, {}, [], "one or more"),
        ({}, {}, [1, 1], "different values of seeds"),
        ({}, {"discount": [0.5, 0.5]}, [0], "different values of discount"),
        ({"discount": 0.5}, {"discount": [0.1]}, [0], "discount either in the settings or in the grid"),
        ({}, {"discount": [0.1, 0.2]}, range(10**7), "at most 10,000,000 runs"),
    ],
)
def test_a_bad_grid_is_refused(settings, grid, seeds, words):
    with pytest.raises(UsageError, match=words):
        Sweep(settings, grid, seeds)


# --- Units and files.


def test_a_unit_holds_what_a_training_of_its_own_gives(tmp_path):
    run(SMALL, tmp_path)
    assert json.loads((tmp_path / "manifest.json").read_text())["config"] == SMALL.as_dict()
    frame = SMALL.merged(tmp_path).filter(pl.col("unit") == SMALL.names[4]).collect()
    training = train(SMALL.config(4))
    curve = training.curve()
    assert frame.select(curve.columns).equals(curve)
    assert set(frame["sha256"]) == {training.sha256()}
    last = frame.row(-1, named=True)
    assert [last[f"training_{name}"] for name in ("wins", "draws", "losses")] == training.counts.tolist()
    assert (last["seat"], last["opponent"], last["seed"], last["episodes"], last["run_episodes"]) == (
        "x", "minimax:tie=first", 1, 3000, 3000,
    )  # fmt: skip


def test_what_is_there_is_not_done_again_and_what_is_missing_or_damaged_is(tmp_path):
    assert SMALL.pending(tmp_path, lambda name: pytest.fail(f"{name} is no damage")) == list(range(12))
    run(SMALL, tmp_path)
    before = content(tmp_path)
    assert SMALL.pending(tmp_path) == []
    paths = [tmp_path / f"{name}.parquet" for name in SMALL.names[:6]]
    stamps = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("*.parquet")}
    paths[0].unlink()
    paths[1].write_bytes(paths[1].read_bytes()[:-20])
    paths[2].write_bytes(b"")
    paths[3].write_bytes(paths[5].read_bytes())
    pl.read_parquet(paths[4]).write_parquet(paths[4])  # as another program would, without a seal
    assert SMALL.pending(tmp_path) == [0, 1, 2, 3, 4]
    assert run(SMALL, tmp_path) == 5
    assert_same(content(tmp_path), before)
    redone = {path.name for path in tmp_path.glob("*.parquet") if stamps[path.name] != path.stat().st_mtime_ns}
    assert redone == {path.name for path in paths[:5]}


def test_a_folder_with_another_program_s_manifest_is_left_alone(tmp_path):
    path = tmp_path / "manifest.json"
    for text in ('{"name": "an app"}', "[]", "not json"):
        path.write_text(text)
        with pytest.raises(FileFormatError, match="another folder"):
            run(SMALL, tmp_path)
        assert [one.name for one in tmp_path.iterdir()] == ["manifest.json"]
        assert path.read_text() == text


def test_a_worker_of_another_version_is_refused():
    payload = json.loads(SMALL.job(0).payload)
    with pytest.raises(TttFastError, match="upgrade"):
        run_unit(json.dumps({**payload, "package": "0.0.1"}).encode())


# --- The summary.


def test_the_summary_is_what_plain_arithmetic_gives(tmp_path):
    plan = Sweep({"episodes": 30_000}, {"discount": [1.0, 0.9], "opponent": ["random", "minimax"]}, range(5))
    run(plan, tmp_path)
    rows, merged = plan.summary(tmp_path), plan.merged(tmp_path).collect()
    assert rows == plan.summary(tmp_path)
    assert [(row["discount"], row["opponent"]) for row in rows] == [
        (d, o) for d in (1.0, 0.9) for o in ("random", "minimax")
    ]
    for place, row in enumerate(rows):
        scores, needed, best = [], [], row["best_value"]
        for index in range(5 * place, 5 * place + 5):
            frame = merged.filter(pl.col("unit") == plan.names[index])
            curve = [(n, win - loss) for n, win, loss in frame.select("episodes", "x_wins", "o_wins").rows()]
            scores.append(curve[-1][1])
            late = [n for n, _ in curve]
            for n, score in curve:
                if best - score > 1e-12:
                    late = [m for m in late if m > n]
            needed.append(late[0] if late else float("inf"))
        mean = sum(scores) / 5
        assert row["seeds"] == 5
        assert row["mean_value"] == pytest.approx(mean, abs=1e-12)
        assert row["sd_value"] == pytest.approx((sum((s - mean) ** 2 for s in scores) / 4) ** 0.5, abs=1e-12)
        assert (row["min_value"], row["max_value"]) == pytest.approx((min(scores), max(scores)), abs=1e-12)
        assert row["optimal_seeds"] == sum(one < float("inf") for one in needed)
        middle = sorted(needed)[2]
        assert row["median_episodes"] == (None if middle == float("inf") else middle)
    assert rows[0]["best_value"] == pytest.approx(191 / 192)
    alone = Sweep({"episodes": 1000}, {}, [7])
    run(alone, tmp_path / "alone")
    [row] = alone.summary(tmp_path / "alone")
    assert (row["seeds"], row["sd_value"]) == (1, None) and "seat" not in row


def test_self_play_both_seats_and_curricula_stand_in_one_sweep(tmp_path):
    opponents = ["random", "self", "random@0.5>minimax"]
    plan = Sweep({"episodes": 20_000, "judges": "heuribot", "seat": 3}, {"opponent": opponents}, range(2))
    run(plan, tmp_path)
    rows = plan.summary(tmp_path)
    assert [row["opponent"] for row in rows] == opponents
    of = {row["opponent"]: row for row in rows}
    assert 0 < of["random"]["best_value"] < 191 / 192
    assert of["self"]["best_value"] == of["random@0.5>minimax"]["best_value"] == 0
    frame = plan.merged(tmp_path).collect()
    assert set(frame["seat"]) == {"both"}
    in_self_play = frame.filter(pl.col("opponent") == "self")
    assert (in_self_play["value"] + in_self_play["exploitability"]).to_list() == [0.0] * in_self_play.height
    assert frame.filter(pl.col("opponent") == "random")["o_v_opponent_wins"].null_count() == 0
    with pytest.raises(UsageError, match="expected both as the seat with the opponent 'self', got 'x'"):
        Sweep({}, {"opponent": opponents, "seat": [1, 3]}, range(2))


def test_the_merged_file_holds_every_row_once(tmp_path):
    folder = tmp_path / "a [b]*"
    run(SMALL, folder)
    SMALL.save_curves(folder, tmp_path / "all.parquet")
    frame = pl.read_parquet(tmp_path / "all.parquet")
    assert frame.height == sum(one.height for one in content(folder).values())
    assert frame.group_by("unit").len()["len"].to_list() == [3] * 12
    assert frame.select("unit", "episodes").is_duplicated().sum() == 0


# --- Executors.


def test_what_the_work_raises_passes_and_few_pieces_are_in_flight():
    taken = []

    def pieces():
        for n in range(1000):
            taken.append(n)
            yield n, b"%d" % n

    def work(payload: bytes) -> bytes:
        if payload == b"7":
            raise ZeroDivisionError
        return payload

    with closing(ThreadExecutor(2)) as pool, pytest.raises(ZeroDivisionError):
        for number, _ in enumerate(completed(pool, work, pieces())):
            assert len(taken) <= number + 5
    assert len(taken) < 20


def test_a_request_to_stop_begins_nothing_more():
    with closing(ThreadExecutor(2)) as pool:
        pieces = ((n, b"") for n in range(10**9))
        results: list[int] = []
        for key, _ in completed(pool, bytes.upper, pieces, lambda: len(results) >= 20):
            results.append(key)
        assert len(results) == len(set(results)) < 30


def test_a_unit_that_fails_keeps_the_others(tmp_path, monkeypatch):
    bad = SMALL.job(6).payload
    real = sweep.run_unit

    def fails(payload, watch=None):
        if payload == bad:
            raise MemoryError
        return real(payload, watch)

    monkeypatch.setattr(sweep, "run_unit", fails)
    with pytest.raises(MemoryError):
        run(SMALL, tmp_path, threads=1)
    assert set(range(5)).isdisjoint(SMALL.pending(tmp_path))


def test_progress_counts_jobs_under_way(tmp_path):
    halfway = threading.Event()
    seen = []

    def work(payload, watch):
        watch(50)
        assert halfway.wait(PATIENCE)
        return payload

    def on_progress(pieces, amount):
        seen.append((pieces, amount))
        if amount == 50:
            halfway.set()

    with closing(ThreadExecutor(2)) as pool:
        store = JobStore(tmp_path, ".txt", lambda path, name: path.read_bytes())
        assert store.run(work, [Job("one", b"result", 100)], pool, on_progress) == 1
    assert (0, 50) in seen
    assert store.read("one") == b"result"


def test_a_finished_job_is_no_longer_under_way(tmp_path):
    seen, second = [], threading.Event()

    def work(payload, watch):
        watch(30 if payload == b"1" else 50)
        assert payload == b"1" or second.wait(PATIENCE)
        return payload

    def on_progress(pieces, amount):
        seen.append((pieces, amount))
        if pieces and amount > 100:
            second.set()

    jobs = [Job("first", b"1", 100), Job("second", b"2", 100)]
    with closing(ThreadExecutor(1)) as pool:
        JobStore(tmp_path, ".txt", lambda path, name: path.read_bytes()).run(work, jobs, pool, on_progress)
    assert {amount for pieces, amount in seen if pieces} <= {100, 150, 200}


def test_no_scheduler_is_one_line(monkeypatch):
    monkeypatch.setattr(executors, "_SECONDS_TO_CONNECT", 0.5)
    for address in ("tcp://127.0.0.1:9", "nonsense://1"):
        with pytest.raises(TttFastError, match="cannot reach a dask scheduler") as caught:
            DaskExecutor(address)
        assert "\n" not in str(caught.value)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of distributed and its web server
def test_a_cluster_that_loses_a_worker_loses_nothing_and_counts_nothing_twice(tmp_path):
    plan = Sweep({"episodes": 300_000}, {"seat": [1, 2]}, range(30))
    run(plan, tmp_path / "threads")
    seen = []
    with losing_a_worker() as (pool, kill):

        def kill_one(units: int, episodes: int) -> None:
            seen.append((units, episodes))
            if units >= 10:
                kill()

        assert plan.run(range(60), tmp_path / "dask", pool, kill_one) == 60
    assert seen[-1] == (60, 60 * 300_000)
    assert_same(content(tmp_path / "threads"), content(tmp_path / "dask"))
    frame = plan.merged(tmp_path / "dask").select("unit", "episodes", "run_episodes").collect()
    assert frame.is_duplicated().sum() == 0
    assert frame.unique("unit")["run_episodes"].sum() == 60 * 300_000


def test_each_seed_is_read_as_a_setting():
    written = Sweep({"episodes": 1000}, {}, ["5", "6"])
    assert [written.config(index).seed for index in range(2)] == [5, 6]
    with pytest.raises(UsageError, match="expected seed to be a whole number of at least 0, got -1"):
        Sweep({"episodes": 1000}, {}, [1, -1]).config(1)
