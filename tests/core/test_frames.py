"""Sealed parquet files, and reading that is quiet when polars panics."""

import io
from codecs import BOM_UTF8

import polars as pl
import pytest

from ttt_fast import FileFormatError, UsageError
from ttt_fast.core import frames
from ttt_fast.files import encode_frame

FRAME = pl.DataFrame({"episodes": range(500), "name": ["a", "b"] * 250, "wins": [n / 7 for n in range(500)]})


def parquet(frame, **options):
    stream = io.BytesIO()
    frame.write_parquet(stream, **options)
    return stream.getvalue()


@pytest.mark.parametrize("options", [{}, {"compression": "uncompressed", "row_group_size": 50}])
@pytest.mark.parametrize("frame", [FRAME, FRAME.head(0)], ids=["rows", "no rows"])
def test_a_sealed_file_is_parquet_with_the_same_rows(tmp_path, frame, options):
    content = frames.seal(parquet(frame, **options))
    assert frames.is_whole(content)
    (tmp_path / "a.parquet").write_bytes(content)
    assert pl.read_parquet(io.BytesIO(content)).equals(frame)
    assert pl.scan_parquet(tmp_path / "a.parquet").collect().equals(frame)


@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl"])
def test_frames_are_read_as_they_were_written(tmp_path, form):
    path = tmp_path / f"curve.{form.upper()}"
    path.write_bytes(encode_frame(FRAME, form))
    assert frames.read_frame(path).equals(FRAME)
    if form != "parquet":
        path.write_bytes(BOM_UTF8 + path.read_bytes())
        assert frames.read_frame(path).equals(FRAME)


def test_the_rows_of_a_document_are_a_frame(tmp_path):
    path = tmp_path / "rows.json"
    path.write_text('\ufeff{"schema": "any", "rows": [{"a": 1}, {"a": 2.5}]}', encoding="utf-8")
    assert frames.read_frame(path).to_dict(as_series=False) == {"a": [1.0, 2.5]}


def test_other_files_are_not_read(tmp_path):
    with pytest.raises(
        UsageError, match=r"expected a file that ends in \.parquet, \.csv, \.jsonl, \.json, got '.*a\.txt'"
    ):
        frames.read_frame(tmp_path / "a.txt")
    with pytest.raises(FileFormatError, match=r"none\.csv"):
        frames.read_frame(tmp_path / "none.csv")
