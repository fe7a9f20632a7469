"""Every study: its quick form runs, its files have their columns, its page fills, and its bits are the same again."""

import re
import threading

import pytest

from study_checks import check_files, check_pictures, folder_of, pictures, reproduced, same_files, undrawn
from ttt_fast import as_player
from ttt_fast.cli.reproduce import DATA
from ttt_fast.studies.engine import work
from ttt_fast.studies.ultimate import matches


def smaller_player(spec, game):
    """A player of fewer simulations and plies."""
    spec = re.sub(r"sims=(\d+)", lambda found: f"sims={int(found[1]) // 20}", spec.replace("minimax-5", "minimax-3"))
    return as_player(re.sub(r"depth=[4-9]", "depth=3", spec), game)


@pytest.fixture
def less(monkeypatch):
    """Players of Ultimate that search less, and two solved decisions of a player instead of eight."""
    whole = work.plan_of

    def plan_of(package, *, quick=False):
        plan = whole(package, quick=quick)
        if package.endswith("sai"):
            plan.decisions = 2
        return plan

    monkeypatch.setattr(matches, "as_player", smaller_player)
    monkeypatch.setattr(matches, "_own", threading.local())
    monkeypatch.setattr(work, "plan_of", plan_of)


@pytest.mark.parametrize("study", ["smirnov", "optimum"])  # all are in the next test
def test_a_study_runs_in_its_quick_form(less, study, tmp_path):
    with undrawn():
        ran = reproduced(study, tmp_path, "--threads", "2", "--runs", tmp_path / "kept")
    check_files(study, folder_of(study, tmp_path))
    assert ran.json()["rows"] and len(ran.err.splitlines()) > 1


@pytest.mark.slow
@pytest.mark.parametrize("study", DATA)
def test_the_same_bits_with_other_threads_and_from_kept_work(less, study, tmp_path):
    kept = tmp_path / "runs"
    for name, threads in (("one", 2), ("again", 1)):
        ran = reproduced(study, tmp_path / name, "--threads", threads, "--runs", kept)
        assert ran.json()["rows"] and ran.err
        assert same_files(folder_of(study, tmp_path / name), folder_of(study, tmp_path / "one"))
        if study not in ("alphazero", "exact-connect4", "scaling", "ultimate"):  # long; their work has tests of threads
            for path in sorted(path for path in kept.rglob("*") if path.is_file())[::2]:
                path.unlink()  # half of the work is done again
    folder = folder_of(study, tmp_path / "one")
    check_files(study, folder)
    check_pictures(study, folder)
    before = (folder / "README.md").read_text()
    reproduced(study, tmp_path / "one", "--pages")
    assert (folder / "README.md").read_text() == before


def test_committed_files_are_small_and_pictures_are_there():
    for study in DATA:
        files = {path.name: path.stat().st_size for path in folder_of(study).iterdir() if path.is_file()}
        assert max(size for name, size in files.items() if name != "runs.csv") < 200_000
        assert pictures(study) <= files.keys()
