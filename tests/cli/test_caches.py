"""The disk cache of compiled code is optional: empty, full, damaged or absent, every command gives its result."""

import json
import os
import re
import shlex
import subprocess
import sys

import pytest

from conftest import PATIENCE, REPOSITORY

resource = pytest.importorskip("resource")

GAMES = """
import ttt_fast

LINES = ("012", "345", "678", "036", "147", "258", "048", "246")

def result(board):
    won = [board[int(a)] for a, b, c in LINES if board[int(a)] == board[int(b)] == board[int(c)] != "."]
    return (1 if won[0] == "X" else -1) if won else None if "." in board else 0

def game(name):
    return ttt_fast.table_from_functions(
        "." * 9,
        lambda board: [cell for cell in range(9) if board[cell] == "."],
        lambda board, cell: board[:cell] + "XO"[board.count(".") % 2 == 0] + board[cell + 1 :],
        result,
        name=name,
    )

for name in ("first", "second", "third"):
    table = game(name)
    random = ttt_fast.as_policy("random", name)
    print(table.num_states, *ttt_fast.exact_fractions(random, random))
"""
"""Three games of one process: the search in Python of the third one used to be cut off by a compilation."""
EXACT = "5478 737/1260 8/63 121/420\n"
MATCH = ("match", "random", "heuribot", "-n", "1k", "--format", "json")


def run(*words, bytes_of_a_file=None, cwd=None, **settings):
    """Run the program, or a script, in a process whose files may be limited to some bytes, as on a full disk."""
    limit = bytes_of_a_file

    def limited():
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    kept = {key: text for key, text in os.environ.items() if not key.startswith(("NUMBA_", "XDG_"))}
    done = subprocess.run(
        [sys.executable, "-B", *words], env={**kept, **settings}, preexec_fn=limited,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def program(*words, **settings):
    return run(str(REPOSITORY / "cli.py"), *words, **settings)


@pytest.fixture
def empty(tmp_path):
    return {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}


@pytest.mark.slow
def test_custom_games_with_an_empty_cache(tmp_path, empty):
    script = tmp_path / "games.py"
    script.write_text(GAMES, encoding="utf-8")
    assert run(str(script), **empty).stdout == 3 * EXACT


def rows_of(done):
    """The rows of a command without what it timed."""
    rows = json.loads(done.stdout)["rows"]
    return [{name: value for name, value in row.items() if "second" not in name} for row in rows]


@pytest.fixture(scope="module")
def usual():
    """The rows of a match with the usual cache."""
    return rows_of(program(*MATCH))


@pytest.mark.slow
def test_a_full_disk_is_told_in_one_line(tmp_path, empty, usual):
    limit = 1000  # enough for a folder to be accepted, too little for compiled code
    done = program(*MATCH, bytes_of_a_file=limit, **empty)
    lines = [line for line in done.stderr.splitlines() if "compiling" not in line]
    assert len(lines) == 1 and f"cannot be stored in {tmp_path / 'cache'}" in lines[0]
    assert rows_of(done) == usual
    assert not list(tmp_path.rglob("*.tmp.*"))


@pytest.mark.slow
def test_no_usable_folder(usual):
    done = program(*MATCH, bytes_of_a_file=0)
    assert done.stderr.count("cannot be stored") <= 1
    assert rows_of(done) == usual


@pytest.mark.slow
def test_damaged_code_is_compiled_again(tmp_path, empty):
    """Such as files of another protocol, or of another program."""
    script = tmp_path / "kernel.py"
    script.write_text(
        "from ttt_fast.kernels import kernel\n@kernel\ndef twice(number):\n    return 2 * number\nprint(twice(4))\n",
        encoding="utf-8",
    )
    assert run(str(script), **empty).stdout == "8\n"
    (entry,) = tmp_path.rglob("*twice*.nbc")
    whole = entry.read_bytes()
    for content in (b"", whole[:-1], whole[:32] + b"cos\n"):
        entry.write_bytes(content)
        assert run(str(script), **empty).stdout == "8\n"
        assert len(entry.read_bytes()) == len(whole)


@pytest.mark.slow
def test_games_are_the_same_with_and_without_gathers(empty):
    """LLVM gathers on some processors; on those whose gathers are slow, it reads one number after another."""
    words = ("match", "random", "heuribot", "-n", "300k", "--format", "json")
    rows = [rows_of(program(*words, **empty, NUMBA_CPU_NAME=name)) for name in ("generic", "cascadelake")]
    assert rows[0] == rows[1]


NO_FOLDER = """
import tempfile, types
from ttt_fast.core import cache

def refuse(**options):
    raise FileNotFoundError("no usable temporary folder")

cache._candidate_parents = lambda: ()
cache.tempfile = types.SimpleNamespace(**{**vars(tempfile), "mkdtemp": refuse})
"""
COMMAND = "import sys\nfrom ttt_fast.cli.main import main\nsys.argv[0] = 'ttt-fast'\nmain()"


@pytest.mark.slow
def test_the_commands_of_the_pages_with_an_empty_cache(tmp_path, empty):
    """Those of README with fewer episodes and seeds, each in its own process."""
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    lines = re.search(r"## A learner's day.*?```bash\n(.*?)```", readme, re.DOTALL)[1].splitlines()
    commands = [shlex.split(line, comments=True)[1:] for line in lines if "--browser" not in line]
    assert len(commands) >= 9
    fewer = {"20M": "200k", "200k": "2k", "20": "2"}
    for words in commands:
        program(*(fewer.get(word, word) for word in words), cwd=tmp_path, **empty)


@pytest.mark.slow
def test_no_temporary_folder(usual):
    assert rows_of(run("-c", NO_FOLDER + COMMAND, *MATCH)) == usual
