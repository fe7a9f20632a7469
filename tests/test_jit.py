"""Where compiled kernels are cached, and that a second process uses what the first one compiled."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ttt_fast
from conftest import PATIENCE
from ttt_fast import _jit

PACKAGE = Path(ttt_fast.__file__).resolve().parent


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package folder of two files that `_jit` takes for its own; no settings of the user."""
    folder = tmp_path / "package"
    (folder / "inner").mkdir(parents=True)
    (folder / "one.py").write_text("first = 1\n", encoding="utf-8")
    (folder / "inner" / "two.py").write_text("second = 2\n", encoding="utf-8")
    monkeypatch.setattr(_jit, "_PACKAGE", folder)
    monkeypatch.setattr(_jit.numba_config, "CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    return folder


@pytest.fixture
def below_a_file(tmp_path):
    """A path at which nothing can be made, not even by root."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    return tmp_path / "file" / "folder"


def test_numba_cache_dir_comes_first(package, tmp_path, monkeypatch):
    monkeypatch.setattr(_jit.numba_config, "CACHE_DIR", str(tmp_path / "mine"))
    assert _jit.choose_cache_folder().parent == tmp_path / "mine"


def test_an_unusable_numba_cache_dir_is_passed_over(package, below_a_file, monkeypatch):
    monkeypatch.setattr(_jit.numba_config, "CACHE_DIR", str(below_a_file))
    assert _jit.choose_cache_folder().parent == package / "__pycache__"


def test_beside_the_package_comes_next(package):
    folder = _jit.choose_cache_folder()
    assert folder.parent == package / "__pycache__" and folder.is_dir()
    assert folder.name == f"kernels-{_jit.kernel_source_hash()}"


def test_then_the_cache_folder_of_the_user(package, tmp_path):
    (package / "__pycache__").write_text("", encoding="utf-8")  # read-only, even for root
    assert _jit.choose_cache_folder().parent == tmp_path / "user" / "ttt_fast"


def test_then_the_home(package, tmp_path, monkeypatch):
    (package / "__pycache__").write_text("", encoding="utf-8")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert _jit.choose_cache_folder().parent == tmp_path / "home" / ".cache" / "ttt_fast"


@pytest.mark.parametrize("home", ["~/.cache", None])
def test_a_private_temporary_folder_stands_behind_them_all(package, below_a_file, tmp_path, monkeypatch, home):
    (package / "__pycache__").write_text("", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", home or str(below_a_file))  # "~": no HOME and no such user
    monkeypatch.setattr(_jit.tempfile, "tempdir", str(tmp_path))
    first, second = _jit.choose_cache_folder(), _jit.choose_cache_folder()
    assert first.parent.parent == second.parent.parent == tmp_path and first != second
    assert first.parent.stat().st_mode & 0o077 == 0


def test_not_writable_means_passed_over(package, tmp_path, monkeypatch):
    usable = _jit._is_writable
    monkeypatch.setattr(_jit, "_is_writable", lambda folder: package not in folder.parents and usable(folder))
    assert _jit.choose_cache_folder().parent == tmp_path / "user" / "ttt_fast"


def edit(folder):
    (folder / "inner" / "two.py").write_text("second = 3\n", encoding="utf-8")


def rename(folder):
    (folder / "one.py").rename(folder / "uno.py")


def add(folder):
    (folder / "three.py").write_text("", encoding="utf-8")


def move_a_line(folder):
    (folder / "one.py").write_text("", encoding="utf-8")
    (folder / "inner" / "two.py").write_text("first = 1\nsecond = 2\n", encoding="utf-8")


@pytest.mark.parametrize("change", [edit, rename, add, move_a_line])
def test_any_change_of_a_source_changes_the_name(package, change):
    before = _jit.choose_cache_folder()
    assert _jit.choose_cache_folder() == before
    change(package)
    assert _jit.choose_cache_folder() != before


@pytest.mark.parametrize("setting", ["BOUNDSCHECK", "OPT", "DISABLE_JIT"])
def test_settings_that_change_the_code_change_the_name(package, monkeypatch, setting):
    before = _jit.kernel_source_hash()
    monkeypatch.setattr(_jit.numba_config, setting, "other")
    assert _jit.kernel_source_hash() != before


def test_files_that_are_no_source_do_not(package):
    before = _jit.kernel_source_hash()
    (package / "notes.txt").write_text("", encoding="utf-8")
    _jit.choose_cache_folder()
    assert _jit.kernel_source_hash() == before


def test_old_caches_are_removed_but_the_latest(package):
    parent = package / "__pycache__"
    for age in range(6):
        old = parent / f"kernels-{age}"
        old.mkdir(parents=True)
        os.utime(old, (1000 - age, 1000 - age))
    (parent / "one.cpython-311.pyc").write_text("", encoding="utf-8")
    current = _jit.choose_cache_folder()
    kept = {path.name for path in parent.iterdir()}
    assert kept == {current.name, "kernels-0", "kernels-1", "kernels-2", "one.cpython-311.pyc"}


def test_decorating_leaves_numbas_own_setting_alone(monkeypatch, tmp_path):
    monkeypatch.setattr(_jit.numba_config, "CACHE_DIR", "as it was")

    def nothing():
        return 0

    assert _jit.kernel(nothing)() == 0  # caches below CACHE_FOLDER
    assert _jit.numba_config.CACHE_DIR == "as it was"


@pytest.mark.parametrize("decorator", [_jit.kernel, _jit.kernel_without_overlap, _jit.inlined_kernel])
def test_options_of_every_kernel(decorator):
    options = decorator(lambda: 0).targetoptions
    assert options["nogil"] and options["nopython"] and options["error_model"] == "python"
    assert not options.get("fastmath")


def test_the_first_compilation_is_told_once():
    told = []
    _jit.at_first_compilation(lambda: told.append("now"))
    assert told == []
    for number in (1, 2.0):
        assert _jit.numba.njit(lambda x: x)(number) == number
    assert told == ["now"]


SOLVE = """
import ttt_fast._jit
from ttt_fast.policies.agents import parse_agent
from ttt_fast.policies.best_response import _respond, best_response
from ttt_fast.tables import solution, standard_solution, state_table
print(int(standard_solution().value.sum()), repr(best_response(parse_agent("random"), 1).value[0]))
print(sum(sum(one.stats.cache_misses.values()) for one in (solution._solve, state_table._enumerate, _respond)))
print(ttt_fast._jit.CACHE_FOLDER)
"""
EVERYTHING = """
import ttt_fast._jit
from ttt_fast.evaluate.scorecard import scorecard
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.training import start_training, train
from ttt_fast.matchup.match import MatchConfig, play_match
from ttt_fast.policies.agents import parse_agent
from ttt_fast.search.perft import perft
from ttt_fast.search.random_play import play_random_games
from ttt_fast.search.roster import make_player
agents = [parse_agent(spec) for spec in ("random", "minimax", "mix:0.5*buggy+0.5*random")]
match = play_match(agents[0], agents[2], MatchConfig(games=10_000))
run = train(start_training(TrainingConfig(episodes=1000)), agents[0])
print([row.value for row in scorecard(agents[2])], match.counts.sum(), match.x_wins, run.q_table.sum(), end=" ")
for game in map(parse_game, ("tic-tac-toe", "connect4", "ultimate")):
    state = api.play(game.initial_state, 1)
    print(state, play_random_games(state, 100), perft(state, 3, 1), perft(state, 4, 1), end=" ")
    print(make_player("alphabeta:depth=3,tt=1", game).think(state), end=" ")
    print(api.winning_action(state), api.threat_action(state), api.state_key(state), api.status(state), end=" ")
print()
print("?")
print(ttt_fast._jit.CACHE_FOLDER)
"""


def run_python(code, **settings):
    """Run code in a new process; no NUMBA_CACHE_DIR and no cache folder of the user but those given."""
    environment = {key: text for key, text in os.environ.items() if not key.startswith(("NUMBA_", "XDG_"))}
    done = subprocess.run(
        [sys.executable, "-B", "-W", "error", "-c", code],
        env={**environment, **settings},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    answer, misses, folder = done.stdout.splitlines()
    return answer, misses, Path(folder)


def files_in(folder):
    return {path: path.stat().st_mtime_ns for path in sorted(folder.rglob("*.nb*"))}


def test_a_second_process_compiles_nothing(tmp_path):
    """Also the test that loading from a warm cache does not crash, as cached kernels that call themselves do."""
    cold, _, folder = run_python(SOLVE, NUMBA_CACHE_DIR=str(tmp_path))
    assert folder.parent == tmp_path
    written = files_in(tmp_path)
    assert {path.suffix for path in written} == {".nbi", ".nbc"}
    warm, misses, _ = run_python(SOLVE, NUMBA_CACHE_DIR=str(tmp_path))
    assert (warm, misses) == (cold, "0") and files_in(tmp_path) == written


@pytest.mark.slow
def test_a_second_process_compiles_no_kernel_of_any_part(tmp_path):
    cold, _, _ = run_python(EVERYTHING, NUMBA_CACHE_DIR=str(tmp_path))
    written = files_in(tmp_path)
    assert len(written) > 20
    warm, _, _ = run_python(EVERYTHING, NUMBA_CACHE_DIR=str(tmp_path))
    assert warm == cold and files_in(tmp_path) == written


def test_a_read_only_installation_without_a_home_works(tmp_path, below_a_file):
    copied = tmp_path / "site" / "ttt_fast"
    shutil.copytree(PACKAGE, copied, ignore=shutil.ignore_patterns("__pycache__"))
    (copied / "__pycache__").write_text("", encoding="utf-8")  # no folder can be made here
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    _, _, folder = run_python(
        SOLVE, PYTHONPATH=str(copied.parent), XDG_CACHE_HOME=str(below_a_file), TMPDIR=str(temporary)
    )
    assert folder.parent.parent == temporary


def test_an_edit_of_a_helper_is_not_missed(tmp_path):
    """numba alone would go on using the old helper: the caller's file has not changed."""
    copied = tmp_path / "site" / "ttt_fast"
    shutil.copytree(PACKAGE, copied, ignore=shutil.ignore_patterns("__pycache__"))
    code = """
import ttt_fast._jit
from ttt_fast.tables import standard_table
print(standard_table().num_states); print(0); print(ttt_fast._jit.CACHE_FOLDER)
"""
    before, _, _ = run_python(code, PYTHONPATH=str(copied.parent))
    rules = copied / "games" / "tic_tac_toe.py"
    text = rules.read_text(encoding="utf-8")
    assert "    return found\n" in text
    rules.write_text(text.replace("    return found\n", "    return False\n"), encoding="utf-8")
    after, _, _ = run_python(code, PYTHONPATH=str(copied.parent))
    assert (before, after) == ("5478", "6046")  # no line counts: every way to fill a board
