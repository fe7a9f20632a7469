"""Sealed parquet files, and reading that is quiet when polars panics."""

import io
import os

import polars as pl
import pytest

from ttt_fast.core.frames import has_seal, is_whole, seal, without_backtraces

FRAME = pl.DataFrame({"episodes": range(500), "name": ["a", "b"] * 250, "wins": [n / 7 for n in range(500)]})


def parquet(frame, **options):
    stream = io.BytesIO()
    frame.write_parquet(stream, **options)
    return stream.getvalue()


@pytest.mark.parametrize(
    "options", [{}, {"statistics": False}, {"compression": "uncompressed"}, {"row_group_size": 50}]
)
@pytest.mark.parametrize("frame", [FRAME, FRAME.head(0)], ids=["rows", "no rows"])
def test_a_sealed_file_is_parquet_with_the_same_rows(tmp_path, frame, options):
    content = seal(parquet(frame, **options))
    assert has_seal(content) and is_whole(content)
    (tmp_path / "a.parquet").write_bytes(content)
    assert pl.read_parquet(io.BytesIO(content)).equals(frame)
    assert pl.scan_parquet(tmp_path / "a.parquet").collect().equals(frame)


def test_every_flipped_byte_breaks_the_seal():
    content = seal(parquet(FRAME.head(3)))
    for place in range(len(content)):
        assert not is_whole(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]), place
    for damaged in (content[:-1], content[1:], content + b"\0", b"", parquet(FRAME)):
        assert not is_whole(damaged)


def test_reading_is_quiet_and_standard_error_comes_back(capfd):
    with pytest.raises(ZeroDivisionError), without_backtraces():
        os.write(2, b"thread panicked")
        raise ZeroDivisionError
    os.write(2, b"heard")
    assert capfd.readouterr().err == "heard"
