"""What only a process of its own can show: signals, pipes, full disks, start-up."""

import json
import os
import shutil
import signal
import sys
import time

import pytest

from cli_runner import SCRIPT, assert_one_line, run, run_process, start, wait_for
from conftest import PATIENCE, REPOSITORY
from ttt_fast import TrainingRun
from ttt_fast.core.jit import cache_folder

pty = pytest.importorskip("pty", reason="needs POSIX")

OFTEN = [  # matches and training are saved after every chunk, and chunks take a while
    sys.executable,
    "-c",
    """
import time
from ttt_fast.algorithms.tabular import learners
from ttt_fast.training import loop as training
training.SECONDS_AT_ONCE = 0.0
from ttt_fast.play import tabular
tabular.SECONDS_BETWEEN_SAVES = 0.0
run_chunks = tabular.run_chunks
def in_slow_chunks(*arguments):
    for counts in run_chunks(*arguments):
        yield counts
        time.sleep(0.01)
tabular.run_chunks = in_slow_chunks
learn_chunks = learners.learn_chunks
def slowly(*arguments):
    learn_chunks(*arguments)
    time.sleep(0.01)
learners.learn_chunks = slowly
from ttt_fast.cli.main import main
main()
""",
]


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory) -> str:
    """The hash of the table that a run of 1M episodes learns when nobody disturbs it."""
    path = tmp_path_factory.mktemp("whole") / "q.npz"
    return run(*train_line(1_000_000), "-o", path, "-f", "json").json()["rows"][0]["sha256"]


def train_line(episodes: int) -> list[str]:
    return ["train", "--episodes", str(episodes), "--seed", "5", "--chunk", "10k", "--checkpoint-every", "0.001"]


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_an_interrupted_training_says_how_to_go_on_and_does(tmp_path, tmp_path_factory, uninterrupted, number):
    path, early = tmp_path / "q.npz", tmp_path_factory.mktemp("early") / "q.npz"
    process = start(*train_line(1_000_000), "-o", path, program=OFTEN)
    wait_for(path.exists, process)
    early.write_bytes(path.read_bytes())  # what would be left if it were killed now
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (130, b"")
    assert f"ttt-fast train --resume {path} --checkpoint-every 0.001\n" in err.decode()
    assert "Traceback" not in err.decode()
    assert [entry.name for entry in tmp_path.iterdir()] == ["q.npz"]  # and no temporary file
    assert 0 < TrainingRun.load(early).episodes <= TrainingRun.load(path).episodes < 1_000_000
    for begun in (path, early):
        (row,) = run("train", "--resume", begun, "-f", "json").json()["rows"]
        assert (row["episodes"], row["sha256"]) == (1_000_000, uninterrupted)


def test_a_training_survives_its_terminal_until_its_checkpoint_is_written(tmp_path, uninterrupted):
    """A terminal that is closed sends SIGHUP, and takes no more text."""
    path = tmp_path / "q.npz"
    controller, terminal = pty.openpty()
    own = "import fcntl, termios; fcntl.ioctl(2, termios.TIOCSCTTY, 0)"  # which hears when the terminal is closed
    program, ends = [*OFTEN[:2], own + OFTEN[2]], dict.fromkeys(("stdin", "stdout", "stderr"), terminal)
    process = start(*train_line(1_000_000), "-o", path, program=program, start_new_session=True, **ends)
    os.close(terminal)
    wait_for(path.exists, process)
    os.close(controller)
    assert process.wait(timeout=PATIENCE) > 0  # it is not killed by the signal
    assert [entry.name for entry in tmp_path.iterdir()] == ["q.npz"]
    assert 0 < TrainingRun.load(path).episodes < 1_000_000
    (row,) = run("train", "--resume", path, "-f", "json").json()["rows"]
    assert (row["episodes"], row["sha256"]) == (1_000_000, uninterrupted)


def test_an_interrupted_match_keeps_what_was_counted_and_goes_on(tmp_path):
    line = ["match", "random", "minimax", "-n", "4M", "--chunk", "20k", "-f", "json"]
    path = tmp_path / "m.npz"
    process = start(*line, "--save", path, program=OFTEN)
    wait_for(path.exists, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "--resume" in err.decode()
    (row,) = json.loads(out)["rows"]
    assert row["complete"] is False
    assert 0 < row["games"] == row["x_wins"] + row["draws"] + row["o_wins"] < 4_000_000
    counted = [run(*line, *more).json()["rows"][0] for more in (["--resume", path], [])]
    assert [row["games"] for row in counted] == [4_000_000] * 2
    assert len({(row["x_wins"], row["draws"], row["o_wins"], str(row["plies"])) for row in counted}) == 1


# --- Streams.


def repeated(*lines):
    """Further commands whose stream is that of a quick case."""
    return [pytest.param(*line, marks=pytest.mark.slow) for line in lines]


@pytest.mark.parametrize("arguments", [["agents", "-f", "csv"], *repeated([["--help"]])])
def test_a_reader_that_leaves_is_no_error(arguments):
    """`ttt-fast agents | head`: the pipe is closed before anything is written."""
    reading, writing = os.pipe()
    os.close(reading)
    process = start(*arguments, stdout=writing)
    os.close(writing)
    _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (0, b"")


@pytest.mark.parametrize("arguments", [["agents"], *repeated([["agents", "-f", "parquet"]], [["--help"]])])
def test_a_full_disk_behind_stdout_is_one_line(arguments):
    with open("/dev/full", "wb") as full:
        process = start(*arguments, stdout=full)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert err.decode().count("\n") == 1
    assert "no space left" in err.decode()
    assert "internal error" not in err.decode()


def test_a_closed_stdout_is_one_line():
    """`ttt-fast agents >&-`."""
    process = start("agents", program=["sh", "-c", 'exec "$0" "$@" >&-', *SCRIPT])
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert err.decode().count("\n") == 1
    assert "internal error" not in err.decode()


def redirected(words, how, **options):
    """Run a command with a redirection of a shell."""
    return run_process(*words, program=["sh", "-c", f'exec "$0" "$@" {how}', *SCRIPT], **options)


SEARCHES = ["match", "mcts:sims=2", "random", "-n", "2", "-f", "csv"]
ERRORS = [
    (["exact", "random", "random"], 0, "2>&-"),
    (["exact", "rndom", "random"], 2, "2>/dev/full"),
    *repeated((SEARCHES, 0, "2>/dev/full"), (SEARCHES, 0, "2>&-"), (["exact", "missing.npz", "random"], 1, "2>&-")),
]


@pytest.mark.parametrize(("words", "code", "how"), ERRORS)
def test_a_stderr_that_cannot_be_written_changes_nothing(words, code, how):
    ran, usual = redirected(words, how), run(*words)
    assert ran.code == usual.code == code and ran.err == ""
    assert ran.out.splitlines()[:1] == usual.out.splitlines()[:1]  # the others contain times


def test_a_closed_stdin_is_the_end_of_the_input():
    words = ["play", "minimax", "--seed", "1"]
    assert redirected(words, "<&-") == run(*words)


THREADS = {
    "NUMBA_NUM_THREADS": ["match", "random", "random", "-n", "10"],
    "POLARS_MAX_THREADS": ["exact", "random", "random", "-f", "parquet"],
}


@pytest.mark.parametrize(("variable", "number"), [("NUMBA_NUM_THREADS", "0"), ("POLARS_MAX_THREADS", "-3")])
def test_an_impossible_number_of_threads_is_one_line(variable, number):
    ran = run_process(*THREADS[variable], env={variable: number})
    assert_one_line(ran, 2, f"expected a number above 0 in {variable}, got '{number}'")


@pytest.mark.slow
@pytest.mark.parametrize("variable", THREADS)
def test_a_number_of_threads_that_is_no_number_is_left_to_the_library(variable):
    ran = run_process(*THREADS[variable], env={variable: "some"})
    assert ran.code == 0 and "Traceback" not in ran.err


def test_colours_that_are_forced_bring_no_live_lines_into_a_pipe(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    ran = run("match", "random", "random", "-n", "1k")
    assert ran.code == 0 and "\x1b" not in ran.err and b"\x1b" not in ran.out


@pytest.mark.parametrize("program", [["-m", "ttt_fast"], [str(REPOSITORY / "cli.py")]])
def test_the_package_and_cli_py_are_the_program(program):
    words = ("exact", "random", "random", "-f", "csv")
    assert run_process(*words, program=[sys.executable, *program]) == run(*words)


def read_from_a_terminal(*arguments: object, env: dict[str, str]) -> bytes:
    """Run with a pseudo-terminal as stdout and stderr; return what a person would see."""
    controller, terminal = pty.openpty()
    process = start(*arguments, stdout=terminal, stderr=terminal, env={"TERM": "xterm-256color", **env})
    os.close(terminal)
    seen = b""
    while True:
        try:
            part = os.read(controller, 65536)
        except OSError:  # the other end has closed
            break
        if not part:
            break
        seen += part
    process.wait(timeout=PATIENCE)
    os.close(controller)
    assert process.returncode == 0, seen
    return seen


def test_a_terminal_gets_colours_unless_it_declines():
    assert b"\x1b[" in read_from_a_terminal("agents", env={"NO_COLOR": ""})
    assert b"\x1b[3" not in read_from_a_terminal("agents", env={"NO_COLOR": "1"})


def test_a_terminal_shows_progress_with_rate(tmp_path):
    seen = read_from_a_terminal("train", "-n", "2M", "-o", tmp_path / "q.npz", env={"COLUMNS": "150"})
    assert b"episodes/s" in seen
    assert b"exact: wins" in seen


@pytest.mark.slow
def test_a_command_that_compiles_leaves_scipy_out(tmp_path):
    code = "import atexit, sys; atexit.register(lambda: print([n for n in NAMES if n in sys.modules]))\n" + SCRIPT[-1]
    program = [sys.executable, "-c", "NAMES = 'numba.np.arraymath', 'scipy.linalg'\n" + code]
    fresh = {name: str(tmp_path) for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")}
    ran = run_process("perft", "--game", "tic-tac-toe", "-d", "2", program=program, env=fresh)
    assert ran.code == 0 and ran.text.endswith("['numba.np.arraymath']\n")
    assert ran.err == "compiling kernel 1, once\n"


# --- Start.

NEED_NO_COMPILER = (
    ("exact", "heuribot", "random"),
    ("show", "X...O...."),
    ("score", "heuribot"),
    ("compare", "heuribot", "random", "minimax", "-n", "0"),
    ("best-response", "random"),
)


def test_exact_commands_of_tic_tac_toe_need_no_compiler_on_the_first_day(tmp_path):
    """All of them in one process: `numba` would stay imported."""
    code = f"""
import sys
from ttt_fast.cli.main import main
for words in {NEED_NO_COMPILER!r}:
    sys.argv = ["ttt-fast", *words]
    try:
        main()
    except SystemExit as leaving:
        assert not leaving.code, words
    assert "numba" not in sys.modules, words
"""
    fresh = {name: str(tmp_path) for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")}
    ran = run_process(env=fresh, program=[sys.executable, "-c", code])
    assert (ran.code, ran.err) == (0, "") and ran.out == b"".join(run(*line).out for line in NEED_NO_COMPILER)


@pytest.mark.slow
def test_warmup_leaves_nothing_to_compile(tmp_path):
    """A file of compiled code bears the time of its last use: what commands use, `warmup` has used or written."""
    folder = tmp_path / cache_folder().name
    shutil.copytree(cache_folder(), folder, ignore=shutil.ignore_patterns("*.tmp.*"))  # of other workers
    folder.chmod(0o700)
    warm = {"NUMBA_CACHE_DIR": str(tmp_path)}

    def used_by(*lines):
        for path in folder.glob("*.nbc"):
            os.utime(path, (time.time() - 3600,) * 2)
        begun = time.time() - 60
        for line in lines:
            assert run_process(*line, env=warm).code == 0
        return {path.name for path in folder.glob("*.nbc") if path.stat().st_mtime > begun}

    ran = run_process("warmup", env=warm)
    assert (ran.code, ran.out) == (0, b"")
    warmed = used_by(["warmup"])
    used = used_by(
        ["match", "random", "minimax", "-n", "1k"],
        ["train", "-n", "5000", "-o", tmp_path / "q.npz"],
        ["score", "heuribot"],
        ["best-response", "random"],
        ["states"],
        ["show", "X........"],
    )
    assert used and used <= warmed
