"""Atomic writing, and archives that are checked on reading."""

import errno
import io
import json
import os
import stat
import struct
import subprocess
import sys
import threading
import tracemalloc
import zipfile
import zlib
from functools import cache

import numpy as np
import pytest

from ttt_fast.core.archive import (
    ArraySpec,
    check_whole,
    load_archive,
    load_arrays,
    read_bytes,
    read_meta,
    save_archive,
    write_atomically,
)
from ttt_fast.core.errors import FileFormatError, FileWriteError

SPECS = {"thing": {"a": ArraySpec("float64", (-1, 2)), "n": ArraySpec("int64", ())}}
ARRAYS = {"a": np.arange(6.0).reshape(3, 2), "n": np.array(7)}


def names(folder):
    return sorted(entry.name for entry in folder.iterdir())


def test_an_archive_comes_back_as_it_was(tmp_path):
    path = tmp_path / "a.npz"
    save_archive(path, "thing", {**ARRAYS, "extra": np.zeros(2)}, {"seed": 3, "note": "a\nb"})
    archive = load_archive(path, {"thing": {**SPECS["thing"], "ex*": None}})
    assert archive.kind == "thing"
    assert archive.meta == {"format": "ttt-fast", "version": 1, "kind": "thing", "seed": 3, "note": "a\nb"}
    assert set(archive.arrays) == {"a", "n"}
    for name, array in archive.arrays.items():
        assert array.shape == ARRAYS[name].shape
        assert np.array_equal(array, ARRAYS[name])
    assert names(tmp_path) == ["a.npz"]


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


@pytest.mark.parametrize(
    ("kind", "arrays", "message"),
    [
        ("other", ARRAYS, "expected a file of kind 'thing', got 'other'"),
        ("thing", {"a": ARRAYS["a"]}, "expected an array 'n', found none"),
        (
            "thing",
            {**ARRAYS, "a": np.zeros((3, 3))},
            r"expected 'a' of float64 and shape \(-1, 2\), got float64 and",
        ),
        ("thing", {**ARRAYS, "a": np.zeros(6)}, "expected 'a' of float64"),
        ("thing", {**ARRAYS, "a": np.zeros((3, 2), ">f8")}, "got >f8"),
        ("thing", {**ARRAYS, "n": np.zeros(1, np.int64)}, r"expected 'n' of int64 and shape \(\)"),
    ],
)
def test_arrays_are_checked(tmp_path, kind, arrays, message):
    save_archive(tmp_path / "a.npz", kind, arrays, {})
    with pytest.raises(FileFormatError, match=message):
        load_archive(tmp_path / "a.npz", SPECS)


@cache
def zipped(*members):
    """The content of a zip file of (name, content), packed once for all tests."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return stream.getvalue()


def zip_of(path, members):
    path.write_bytes(zipped(*members.items()))


def npy(value):
    stream = io.BytesIO()
    np.save(stream, value)
    return stream.getvalue()


OURS = {"format": "ttt-fast", "version": 1, "kind": "thing"}


@pytest.mark.parametrize(
    "meta",
    [
        {**OURS, "format": "other"},
        {**OURS, "version": "1"},
        {**OURS, "version": None},
        {**OURS, "kind": ["thing"]},
        {"format": "ttt-fast"},
        [1, 2],
        "ttt-fast",
        None,
    ],
)
def test_a_description_of_something_else_is_foreign(tmp_path, meta):
    zip_of(tmp_path / "a.npz", {"meta.npy": npy(json.dumps(meta))})
    with pytest.raises(FileFormatError, match="got a file that another program wrote"):
        load_archive(tmp_path / "a.npz", SPECS)


@pytest.mark.parametrize(
    "members",
    [
        {"meta.npy": npy("not json")},
        {"meta.npy": npy("[" * 100_000)},
        {"meta.npy": npy(np.zeros((2, 2)))},
        {"meta.npy": npy(np.zeros((0,), "U5"))},
        {"meta.txt": b"x"},
        {"meta.npy": b"x"},
        {"meta.npy": b"\x93NUMPY\x01\x00\x10\x00{'descr': '<f8'}"},
        {"meta.npy": npy(np.zeros(2)).replace(b"(2,), }", b"(999999999999,), }")},
        {"meta.npy": npy(np.zeros(2)).replace(b"'<f8'", b"'|O'")},
        {},
    ],
)
def test_strange_members_are_one_line(tmp_path, members):
    zip_of(tmp_path / "a.npz", members)
    with pytest.raises(FileFormatError) as caught:
        load_archive(tmp_path / "a.npz", SPECS)
    assert "\n" not in str(caught.value)


def test_a_member_that_nobody_knows_is_refused(tmp_path):
    save_archive(tmp_path / "a.npz", "thing", {**ARRAYS, "extra": np.zeros(2)}, {})
    with pytest.raises(FileFormatError, match="expected no array 'extra' in a file of kind 'thing'"):
        load_archive(tmp_path / "a.npz", SPECS)


@cache
def zeros(count, dtype="float64"):
    """A `.npy` file of zeros, which packs to a thousandth."""
    return npy(np.zeros(count, dtype))


META = npy(json.dumps({"format": "ttt-fast", "version": 1, "kind": "thing"}))
OPEN = {"thing": {"a": ArraySpec("float64", (-1,), 10_000_000), "*": None}}
LARGE = 9_000_000
TOO_LARGE = {
    "an array that nobody knows": ({"b.npy": zeros(LARGE)}, {"thing": {}}, "expected no array 'b'"),
    "a fixed array": ({"a.npy": zeros(LARGE)}, {"thing": {"a": ArraySpec("float64", (5,))}}, r"shape \(5,\), got"),
    "more elements": (
        {"a.npy": zeros(LARGE)}, {"thing": {"a": ArraySpec("float64", (-1,), 999)}}, "at most 999 elements, got 9,000,",
    ),
    "a ratio": ({"a.npy": zeros(LARGE)}, OPEN, r"at most 100 times its [\d,]+ packed bytes, got 72,000,"),
    "another type": ({"a.npy": zeros(LARGE, "bool")}, OPEN, "float64 and shape .*, got bool"),
    "all together": ({f"{one}.npy": zeros(LARGE) for one in "ab"}, OPEN, "damaged, truncated or of another kind"),
    "a header that claims more": (
        {"a.npy": zeros(20).replace(b"(20,), }     ", b"(9000000,), }")}, OPEN, "damaged, truncated or of another kind",
    ),
    "a description": ({"meta.npy": zeros(LARGE)}, OPEN, "damaged, truncated or of another kind"),
}  # fmt: skip


@pytest.mark.parametrize("name", TOO_LARGE)
def test_small_files_that_ask_for_much_are_refused_before_they_are_unpacked(tmp_path, name):
    members, kinds, message = TOO_LARGE[name]
    zip_of(tmp_path / "a.npz", {"meta.npy": META, **members})
    assert (tmp_path / "a.npz").stat().st_size < 400_000
    tracemalloc.start()
    with pytest.raises(FileFormatError, match=message):
        load_archive(tmp_path / "a.npz", kinds, 100_000_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8_000_000


def test_members_that_share_their_packed_bytes_are_refused(tmp_path):
    """Together they are packed larger than the file."""
    zip_of(tmp_path / "a.npz", {"meta.npy": META, "a.npy": zeros(LARGE // 10), "b.npy": zeros(LARGE // 10)})
    content = (tmp_path / "a.npz").read_bytes()
    first, second = (content.index(b"PK\x01\x02", content.rindex(name) - 50) for name in (b"a.npy", b"b.npy"))
    raw = bytearray(content)
    for start in (first, second):
        raw[start + 20 : start + 24] = struct.pack("<I", len(content))
    (tmp_path / "a.npz").write_bytes(raw)
    with pytest.raises(FileFormatError, match="damaged, truncated or of another kind"):
        load_archive(tmp_path / "a.npz", OPEN)


def test_all_checksums_are_compared_before_any_work(tmp_path):
    path = tmp_path / "a.npz"
    save_archive(path, "thing", ARRAYS, {}, compressed=True)
    assert check_whole(path) == {"meta": (), "a": (3, 2), "n": ()}
    good = path.read_bytes()
    for place in range(0, len(good) - 200, 7):
        path.write_bytes(good[:place] + bytes([good[place] ^ 16]) + good[place + 1 :])
        try:
            assert check_whole(path) == {"meta": (), "a": (3, 2), "n": ()}  # a byte that tells nothing, as a date
            assert {name: array.tolist() for name, array in load_archive(path, SPECS).arrays.items()} == {
                name: array.tolist() for name, array in ARRAYS.items()
            }
        except FileFormatError as error:
            assert "\n" not in str(error)
    zip_of(path, {"meta.npy": META, "a.npy": zeros(LARGE)})
    with pytest.raises(FileFormatError, match="damaged, truncated or of another kind"):
        check_whole(path)
    with pytest.raises(FileFormatError, match="no such file"):
        check_whole(tmp_path / "missing.npz")


@pytest.mark.parametrize("compressed", [False, True])
def test_arrays_without_a_description_are_read_as_they_were_saved(tmp_path, compressed):
    save = np.savez_compressed if compressed else np.savez
    save(tmp_path / "a.npz", **ARRAYS, text=np.array(["x", "yz"]))
    if compressed:
        with pytest.raises(FileFormatError, match="damaged, truncated or of another kind"):
            load_arrays(tmp_path / "a.npz")
        return
    found = load_arrays(tmp_path / "a.npz")
    assert found.pop("text").tolist() == ["x", "yz"]
    assert {name: array.tolist() for name, array in found.items()} == {n: a.tolist() for n, a in ARRAYS.items()}


def test_reading_stops_at_the_limit(tmp_path):
    (tmp_path / "a").write_bytes(b"12345")
    assert read_bytes(tmp_path / "a", 5) == b"12345"
    with pytest.raises(FileFormatError, match="expected at most 4 bytes, got more"):
        read_bytes(tmp_path / "a", 4)
    with pytest.raises(FileFormatError, match="expected at most 1000 bytes, got more"):
        read_bytes("/dev/zero", 1000)


def claiming(content, size, checksum=None):
    """A zip file of one deflated member whose headers claim that it unpacks to `size` bytes."""
    raw, checksum = bytearray(content), struct.pack("<I", checksum or 0)
    for mark, place in ((b"PK\x03\x04", 14), (b"PK\x01\x02", 16)):  # CRC, packed and unpacked size, 4 bytes each
        start = raw.index(mark) + place
        raw[start + 8 : start + 12] = struct.pack("<I", size)
        raw[start : start + 4] = checksum if checksum != bytes(4) else raw[start : start + 4]
    return bytes(raw)


@pytest.mark.parametrize("read", [lambda path: load_archive(path, SPECS), read_meta], ids=["all", "description"])
@pytest.mark.parametrize("claimed", [10, 1_000_000])
def test_a_member_that_is_larger_than_its_header_says_is_not_unpacked(tmp_path, read, claimed):
    path = tmp_path / "a.npz"
    zip_of(path, {"meta.npy": bytes(1 << 26)})
    path.write_bytes(claiming(path.read_bytes(), claimed))
    assert path.stat().st_size < 100_000
    tracemalloc.start()
    try:
        found = read(path)
    except FileFormatError as error:
        found = str(error)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == {} or "damaged, truncated or of another kind" in found
    assert peak < 8_000_000


def test_a_member_that_goes_on_after_a_sound_beginning_is_refused(tmp_path):
    path, whole = tmp_path / "a.npz", npy(json.dumps(OURS))
    zip_of(path, {"meta.npy": whole + b"more"})
    path.write_bytes(claiming(path.read_bytes(), len(whole), zlib.crc32(whole)))
    assert read_meta(path) == {}
    with pytest.raises(FileFormatError, match="damaged, truncated or of another kind"):
        load_archive(path, SPECS)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_members_that_unpack_without_a_bound_are_refused(tmp_path, method):
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("meta.npy", npy(json.dumps(OURS)))
    assert read_meta(path) == {}
    with pytest.raises(FileFormatError, match="damaged, truncated or of another kind"):
        load_archive(path, SPECS)


def test_an_array_that_claims_more_than_it_holds_asks_for_no_memory(tmp_path):
    zip_of(tmp_path / "a.npz", {"meta.npy": npy(np.zeros(2)).replace(b"(2,), }        ", b"(200000000,), }")})
    tracemalloc.start()
    with pytest.raises(FileFormatError):
        load_archive(tmp_path / "a.npz", SPECS)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000


def test_too_little_memory_is_no_damage(tmp_path, monkeypatch):
    save_archive(tmp_path / "a.npz", "thing", ARRAYS, {})

    def exhausted(*_, **__):
        raise MemoryError

    monkeypatch.setattr(np.lib.format, "read_array", exhausted)
    with pytest.raises(MemoryError):
        load_archive(tmp_path / "a.npz", SPECS)


SMALL_ADDRESS_SPACE = """
import resource, sys
from ttt_fast.core.archive import load_archive
pages = int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + (64 << 20),) * 2)
print(load_archive(sys.argv[1], {"thing": {"*": None}}, 16 << 30).kind)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the address space is limited and told on Linux")
def test_a_file_takes_no_more_memory_than_it_is_large(tmp_path):
    save_archive(tmp_path / "a.npz", "thing", ARRAYS, {})
    line = [sys.executable, "-c", SMALL_ADDRESS_SPACE, tmp_path / "a.npz"]
    ran = subprocess.run(line, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (0, "thing\n"), ran.stderr


@pytest.mark.parametrize("size", [0, 1, 5000, (1 << 20) - 1, 1 << 20, (5 << 19) + 3])
def test_files_and_pipes_are_read_whole(tmp_path, size):
    content = bytes(range(256)) * (size // 256) + bytes(size % 256)
    (tmp_path / "file").write_bytes(content)
    assert read_bytes(tmp_path / "file") == content
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(content,))
    writer.start()
    assert read_bytes(tmp_path / "pipe") == content
    writer.join()


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="a file that does not tell its size")
def test_a_file_that_tells_no_size_is_read_whole():
    assert b"VmSize" in read_bytes("/proc/self/status")


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
