"""Atomic writing, and archives that are checked on reading."""

import errno
import os
import stat

import numpy as np
import pytest

from ttt_fast import FileFormatError
from ttt_fast.core.archive import read_meta
from ttt_fast.core.errors import FileWriteError
from ttt_fast.files import ArraySpec, load_archive, read_bytes, save_archive, write_atomically

SPECS = {"thing": {"a": ArraySpec("float64", (-1, 2)), "n": ArraySpec("int64", ())}}
ARRAYS = {"a": np.arange(6.0).reshape(3, 2), "n": np.array(7)}


def names(folder):
    return sorted(entry.name for entry in folder.iterdir())


def test_an_archive_comes_back_as_it_was(tmp_path):
    path = tmp_path / "a.npz"
    save_archive(path, "thing", {**ARRAYS, "extra": np.zeros(2)}, {"seed": 3, "note": "a\nb"})
    archive = load_archive(path, SPECS)
    assert archive.kind == "thing"
    assert archive.meta == {"format": "ttt-fast", "version": 1, "kind": "thing", "seed": 3, "note": "a\nb"}
    assert set(archive.arrays) == {"a", "n"}
    for name, array in archive.arrays.items():
        assert array.shape == ARRAYS[name].shape
        assert np.array_equal(array, ARRAYS[name])
    assert names(tmp_path) == ["a.npz"]


def test_the_description_alone_is_that_of_a_file_of_this_package(tmp_path):
    path, foreign = tmp_path / "a.npz", tmp_path / "b.npz"
    save_archive(path, "thing", ARRAYS, {"seed": 3})
    assert read_meta(path) == {"format": "ttt-fast", "version": 1, "kind": "thing", "seed": 3}
    np.savez(foreign, **ARRAYS, meta=np.array('{"format": "other"}'))
    assert read_meta(foreign) == read_meta(tmp_path / "none.npz") == {}


def test_columns_first_arrays_come_back_rows_first(tmp_path):
    path = tmp_path / "a.npz"
    save_archive(path, "thing", {**ARRAYS, "a": np.asfortranarray(ARRAYS["a"])}, {})
    assert load_archive(path, SPECS).arrays["a"].flags.c_contiguous


def test_the_description_cannot_change_what_the_file_is(tmp_path):
    save_archive(tmp_path / "a.npz", "thing", ARRAYS, {"kind": "other", "version": 9, "format": "x"})
    assert load_archive(tmp_path / "a.npz", SPECS).kind == "thing"


def test_the_same_content_gives_the_same_bytes(tmp_path, monkeypatch):
    save_archive(tmp_path / "a.npz", "thing", ARRAYS, {"seed": 3})
    monkeypatch.setattr("time.time", lambda: 2_000_000_000.0)
    save_archive(tmp_path / "b.npz", "thing", ARRAYS, {"seed": 3})
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_reading_stops_at_the_limit(tmp_path):
    (tmp_path / "a").write_bytes(b"12345")
    assert read_bytes(tmp_path / "a", 5) == b"12345"
    with pytest.raises(FileFormatError, match="expected at most 4 bytes, got more"):
        read_bytes(tmp_path / "a", 4)


def test_too_little_memory_is_no_damage(tmp_path, monkeypatch):
    save_archive(tmp_path / "a.npz", "thing", ARRAYS, {})

    def exhausted(*_, **__):
        raise MemoryError

    monkeypatch.setattr(np, "empty", exhausted)
    with pytest.raises(MemoryError):
        load_archive(tmp_path / "a.npz", SPECS)


def test_what_stood_there_before_is_replaced_whole(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    seen = []
    write_atomically(path, lambda stream: (stream.write(b"ne"), seen.append(path.read_text()), stream.write(b"w")))
    assert seen == ["old"]
    assert path.read_text() == "new"
    assert names(tmp_path) == ["a.txt"]


def test_new_files_have_the_mode_that_the_umask_leaves(tmp_path):
    before = os.umask(0o027)
    try:
        write_atomically(tmp_path / "a", lambda stream: stream.write(b"x"))
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt(), ValueError()])
def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path, error):
    path = tmp_path / "a"
    path.write_text("old")

    def write(stream):
        stream.write(b"half")
        raise error

    with pytest.raises(FileWriteError if isinstance(error, OSError) else type(error)):
        write_atomically(path, write)
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a"]


@pytest.mark.parametrize("name", ["fsync", "replace", "chmod"])
def test_a_disk_that_fails_late_leaves_the_old_archive_and_no_other(tmp_path, monkeypatch, name):
    path = tmp_path / "a.npz"
    save_archive(path, "thing", ARRAYS, {})
    before = path.read_bytes()

    def full(*arguments):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, name, full)
    with pytest.raises(FileWriteError, match=r"no space left on device; nothing was changed$"):
        save_archive(path, "thing", {**ARRAYS, "n": np.array(8)}, {})
    assert path.read_bytes() == before
    assert names(tmp_path) == ["a.npz"]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real" / "file")
    for text in (b"one", b"two"):
        write_atomically(tmp_path / "link", lambda stream, text=text: stream.write(text))
        assert (tmp_path / "real" / "file").read_bytes() == text
    assert (tmp_path / "link").is_symlink()
    assert names(tmp_path / "real") == ["file"]


def test_a_pipe_is_written_to_and_not_replaced(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        save_archive(path, "thing", ARRAYS, {})
        assert os.read(reader, 2) == b"PK"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert names(tmp_path) == ["pipe"]


@pytest.mark.parametrize("name", ["missing/a", "a\0b", ".", "x" * 300])
def test_impossible_names_are_one_line(tmp_path, name):
    with pytest.raises(FileWriteError, match="cannot write") as caught:
        write_atomically(tmp_path / name, lambda stream: stream.write(b"x"))
    assert "\n" not in str(caught.value)
    assert names(tmp_path) == []


def test_long_names_that_the_file_system_takes_can_be_written(tmp_path):
    name = "é" * 120
    write_atomically(tmp_path / name, lambda stream: stream.write(b"x"))
    assert names(tmp_path) == [name]
