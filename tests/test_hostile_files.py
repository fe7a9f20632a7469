"""The promise of SECURITY.md about files that are no ordinary files: a limit of memory, one line, and nothing else."""

import os
import subprocess
import sys

import pytest

from cli_runner import assert_one_line, run
from conftest import PATIENCE
from ttt_fast import as_policy, save_policy
from ttt_fast.core.archive import check_writable
from ttt_fast.files import read_bytes, write_atomically

READERS = [
    "score zz.npz", "show ......... --agents zz.npz", "train --resume zz.npz", "prove zz.npz", "solve --file zz.txt",
    "train --config zz.toml", "watch zz.jsonl", "match random minimax --resume zz.npz", "score zz.pkl", "score zz.dat",
        "match random default --game connect4 -n 2 --openings zz.txt", "match zz.npz random", "exact random zz.p",
    "match random default --game connect4 -n 2 --resume zz.jsonl", "review zz.jsonl", "review zz.txt", "plot zz.jsonl",
    "plot zz.parquet",
    "bench compare zz.json zz.json", "prove good.npz --certificate zz.json", "page zz.npz -o r.html", "plot folder",
    "sweep --set epsilon=0.1 --seeds 1 -n 1k -o folder", "match mcts:net=zz.npz random -n 2 --game ultimate",
]  # fmt: skip
"""Commands that read a file `zz`, of which each one is a link to a device without an end."""
READER = """
import resource, sys
from cli_runner import run
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
for line in sys.stdin:
    ran = run(*line.split())
    print(ran.code, ran.out, ran.err.rstrip(), sep="\\0")
"""


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there is no device without an end")
def test_a_device_without_an_end_is_refused_at_the_limit_by_every_command(tmp_path):
    (tmp_path / "folder").mkdir()
    for name in ["npz", "txt", "toml", "jsonl", "json", "parquet", "pkl", "dat", "p"]:
        (tmp_path / f"zz.{name}").symlink_to("/dev/zero")
    (tmp_path / "folder" / "manifest.json").symlink_to("/dev/zero")
    (tmp_path / "folder" / "zz.parquet").symlink_to("/dev/zero")
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(__file__)}
    ran = subprocess.run([sys.executable, "-c", READER], cwd=tmp_path, env=environment, input="\n".join(READERS),
                         capture_output=True, text=True, timeout=PATIENCE)  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.split("\n")[:-1]
    for command, line in zip(READERS, lines, strict=True):
        code, out, err = line.split("\0")
        assert code in "12" and out == "b''" and err.startswith("ttt-fast: ") and "internal" not in err, (command, line)


def test_a_pipe_is_read_to_its_end_or_to_the_limit():
    for size in (5, 9):
        reading, writing = os.pipe()
        os.write(writing, b"x" * size)
        os.close(writing)
        if size == 5:
            assert read_bytes(f"/dev/fd/{reading}", 5) == b"xxxxx"
        else:
            with pytest.raises(Exception, match="expected at most 5 bytes, got more"):
                read_bytes(f"/dev/fd/{reading}", 5)
        os.close(reading)


WRITERS = [
    "match random minimax -n 1k --resume loop.npz", "match random minimax -n 1k --save loop.npz",
    "exact random random -o loop.csv", "train --resume loop.npz", "train --resume loop.npz -o loop.npz",
    "match random default --game connect4 -n 2 --save loop.jsonl", "train -n 10k -o loop.npz",
    "train -n 10k -o loop/q.npz", "plot loop --figure x", "score loop.npz", "plot loop.csv",
    "train -n 10k -o y.npz --curve loop.csv", "sweep --set epsilon=0.1 --seeds 1 -n 1k -o loop", "states -o loop.csv",
    "page -o loop.html", "best-response random -o loop.npz", "reproduce hensler --quick --results loop",
]  # fmt: skip


@pytest.mark.parametrize("command", WRITERS)
def test_a_link_to_itself_is_one_line(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    for name in ("loop", "loop.npz", "loop.jsonl", "loop.csv", "loop.html"):
        os.symlink(name, name)
    ran = run(*command.split())
    assert_one_line(ran, ran.code, "loop")
    assert ran.code in (1, 2) and all(os.path.islink(name) for name in os.listdir())


def test_what_a_killed_writer_left_is_removed_before_the_next_write(tmp_path):
    path, left, other, fresh = (
        tmp_path / name for name in ("q.npz", ".q.npz.abcdefgh.tmp", ".r.npz.abcdefgh.tmp", ".q.npz.hgfedcba.tmp")
    )
    unit = tmp_path / f".{'0f' * 20}.abcdefgh.tmp"
    for one in (left, other, fresh, unit):
        one.write_bytes(b"half")
        os.utime(one, (1, 1))

    def killed_beside(stream):
        os.utime(found := next(one for one in tmp_path.iterdir() if one.name not in names), (1, 1))
        check_writable(path)
        assert found.exists()  # a living writer has locked it
        stream.write(b"whole")

    os.utime(fresh)
    names = {one.name for one in tmp_path.iterdir()}
    write_atomically(path, killed_beside)
    assert {one.name for one in tmp_path.iterdir()} == {"q.npz", other.name, fresh.name, unit.name}
    check_writable(tmp_path, is_folder=True)
    assert not unit.exists() and other.exists()


@pytest.mark.parametrize(
    "command",
    [
        "show ......... --agents NAME", "compare random NAME", "score NAME", "match NAME random -n 100", "prove NAME",
        "exact random NAME", "page --agents minimax,NAME -o p.html", "page NAME -o r.html", "train --resume NAME",
        "exact random random -o NAME", "train -n 1k -o NAME", "match random random -n 1k --save NAME",
        "sweep --set epsilon=0.1 --seeds 1 -n 1k -o NAME",
    ],
)  # fmt: skip
def test_a_name_with_control_characters_is_refused_and_shown_escaped(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    name = "e\x1b]0;x\x07.npz"
    save_policy("plain.npz", as_policy("minimax"))
    os.rename("plain.npz", name)
    ran = run(*(word.replace("NAME", name) for word in command.split()))
    assert_one_line(ran, ran.code, r"e\x1b]0;x\x07.npz")
    assert ran.code and "\x1b" not in ran.err and os.listdir() == [name]
