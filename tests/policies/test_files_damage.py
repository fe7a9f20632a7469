"""Damaged files of every format: one line, nothing else, and the file stays as it is."""

import errno
import os
import pickle
import random
from pathlib import Path

import numpy as np
import pytest

from langan_file import encoded_table
from ttt_fast import save_policy
from ttt_fast.core.archive import save_archive
from ttt_fast.core.errors import FileFormatError, FileWriteError
from ttt_fast.policies.files import POLICY_SUFFIXES, load_policy
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import table_of
from ttt_fast.tables.state_table import boards_of

TABLE = table_of("tic-tac-toe")
BOARDS = boards_of(TABLE)
Q_TABLE = np.random.default_rng(0).integers(-2, 3, TABLE.child.shape).astype(np.float64)
FEW = TABLE.ply < 2
GREEDY = Policy.from_values(TABLE, Q_TABLE, "greedy", held=FEW)
AGENT_ROWS = {
    "".join(map(str, BOARDS[state])): {(cell // 3, cell % 3): 0.5 for cell in range(9) if mask[cell]}
    for state, mask in enumerate(TABLE.legal_action_mask[FEW])
}
AFTERSTATES = {str(BOARDS[state]): 0.25 for state in np.flatnonzero(TABLE.ply == 1)}


WRITERS = {
    "policy.npz": lambda path: save_policy(path, GREEDY),
    "q_table.npz": lambda path: save_archive(path, "q_table", {"q_table": TABLE.of_edges(Q_TABLE), "held": FEW}, {}),
    "langan.dat": lambda path: path.write_bytes(encoded_table(Q_TABLE, FEW, TABLE)),
    "rows.pkl": lambda path: path.write_bytes(pickle.dumps(AGENT_ROWS)),
    "afterstates.pickle": lambda path: path.write_bytes(pickle.dumps(AFTERSTATES)),
    "base3.txt": lambda path: save_policy(path, GREEDY),
}


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    """The bytes of a good file of each format."""
    folder = tmp_path_factory.mktemp("good")
    for name, write in WRITERS.items():
        write(folder / name)
        load_policy(folder / name, TABLE)
    return {name: (folder / name).read_bytes() for name in WRITERS}


def attempt(path: Path, content: bytes) -> Policy | None:
    """Load `content`; whatever it is, it is a policy or one line, and the folder is as before."""
    path.write_bytes(content)
    policy = None
    try:
        policy = load_policy(path, TABLE)
        np.testing.assert_allclose(policy.probabilities.sum(axis=1), TABLE.decision_mask, atol=1e-9)
    except FileFormatError as error:
        assert "\n" not in str(error)
        assert str(path) in str(error)
        assert len(str(error)) < 600
    assert path.read_bytes() == content
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
    return policy


def positions(size, count, seed):
    """Positions in a file: its beginning, its end, and some between."""
    between = random.Random(seed).sample(range(size), min(count, size))
    return sorted({*range(min(24, size)), *range(max(0, size - 8), size), *between})


@pytest.mark.parametrize("name", WRITERS)
def test_a_truncated_file_is_refused(tmp_path, originals, name):
    content = originals[name]
    for length in positions(len(content), 40, 1):
        if name == "base3.txt" and length == len(content) - 1:
            continue  # all but the last end of line is all that matters
        assert attempt(tmp_path / name, content[:length]) is None, length


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_with_a_flipped_bit_is_refused_or_still_a_policy(tmp_path, originals, name):
    bits = random.Random(2)
    original = load_policy_of(tmp_path / name, originals[name])
    for position in positions(len(originals[name]), 60, 3):
        content = bytearray(originals[name])
        content[position] ^= 1 << bits.randrange(8)
        policy = attempt(tmp_path / name, bytes(content))
        if policy is not None and name.endswith(".npz"):  # the only format with checksums
            assert np.array_equal(policy.probabilities, original.probabilities), position
            assert np.array_equal(policy.held, original.held), position


def load_policy_of(path, content):
    policy = attempt(path, content)
    assert policy is not None
    return policy


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("extra", [b"\0", b"\n", b"junk", bytes(200), b"PK\x05\x06" + bytes(18)])
def test_a_file_with_something_after_its_end_is_refused_or_the_same(tmp_path, originals, name, extra):
    original = load_policy_of(tmp_path / name, originals[name])
    policy = attempt(tmp_path / name, originals[name] + extra)
    harmless = name.endswith(".npz") or (name == "base3.txt" and extra == b"\n")
    assert harmless or policy is None
    assert policy is None or np.array_equal(policy.probabilities, original.probabilities)


class RunsCode:
    def __reduce__(self):
        return (exec, ("raise SystemExit('a pickle was run')",))


def foreign_files(folder):
    np.savez(folder / "plain", a=np.arange(3))
    np.savez(folder / "meta", meta=np.arange(3))
    np.savez(folder / "objects", meta=np.array(RunsCode(), object), allow_pickle=True)
    np.save(folder / "array", np.zeros((5478, 9)))
    yield from (path.read_bytes() for path in sorted(folder.iterdir()))
    yield from (
        b"",
        b"\0",
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
        b"<html>\n</html>\n",
        b"PK\x03\x04",
        b"PK\x05\x06",
    )
    yield b"PK\x05\x06" + bytes(18)  # an empty zip file
    yield pickle.dumps(RunsCode())
    yield random.Random(4).randbytes(1000)
    yield "naïve ٣ .".encode()


@pytest.mark.parametrize("suffix", [*POLICY_SUFFIXES, "", ".bin"])
def test_files_of_other_programs_are_refused(tmp_path, suffix):
    (tmp_path / "foreign").mkdir()
    (tmp_path / "here").mkdir()
    for content in foreign_files(tmp_path / "foreign"):
        assert attempt(tmp_path / "here" / f"p{suffix}", content) is None


@pytest.mark.parametrize("kind", ["policy", "q_table"])
def test_a_newer_file_says_so(tmp_path, monkeypatch, kind):
    monkeypatch.setattr("ttt_fast.core.archive.FORMAT_VERSION", 2)
    save_archive(tmp_path / "p.npz", kind, {"q_table": TABLE.of_edges(Q_TABLE), "held": FEW}, {})
    monkeypatch.undo()
    with pytest.raises(FileFormatError, match=r"written by a newer ttt-fast \(file version 2.*upgrade"):
        load_policy(tmp_path / "p.npz", TABLE)


@pytest.mark.parametrize("suffix", [*POLICY_SUFFIXES, "", ".bin"])
def test_missing_files_folders_and_impossible_names_are_one_line(tmp_path, suffix):
    folder = tmp_path / f"folder{suffix}"
    folder.mkdir()
    with pytest.raises(FileFormatError, match=r"cannot read .*: is a directory$"):
        load_policy(folder, TABLE)
    with pytest.raises(FileFormatError, match=r"cannot read .*: no such file or directory$"):
        load_policy(tmp_path / f"missing{suffix}", TABLE)
    with pytest.raises(FileFormatError, match=r"cannot read 'a\\x00b.*: embedded null byte$"):
        load_policy(f"a\0b{suffix}", TABLE)


@pytest.mark.parametrize("name", ["p.npz", "p.txt"])
def test_a_full_disk_leaves_the_old_file_and_no_other(tmp_path, monkeypatch, name):
    path = tmp_path / name
    save_policy(path, Policy.from_values(TABLE, -Q_TABLE, "old"))
    before = path.read_bytes()

    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileWriteError, match=r"no space left on device; nothing was changed$"):
        save_policy(path, GREEDY)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == [name]
