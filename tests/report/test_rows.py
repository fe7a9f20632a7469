"""Rows in every format and back."""

import csv
import io
import json
import math

import polars as pl
import pytest
from hypothesis import given, strategies as st

from ttt_fast import UsageError
from ttt_fast.report.rows import chosen_format, encode

NAMES = st.sampled_from(["x", "games", "share", "note", "ok", "plies"])
TEXT = st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=12)
VALUES = {
    "x": TEXT,
    "games": st.integers(0, 10**18),
    "share": st.floats(allow_nan=False, allow_infinity=False),
    "note": TEXT | st.none(),
    "ok": st.booleans(),
    "plies": st.dictionaries(TEXT, st.integers(0, 10**6), max_size=3),
}
ROWS = st.lists(st.fixed_dictionaries(VALUES), min_size=1, max_size=5)


def flat(row: dict) -> dict:
    return {key: json.dumps(value) if isinstance(value, dict) else value for key, value in row.items()}


@given(ROWS)
def test_json(rows):
    found = json.loads(encode("json", "exact", rows, {"x": "random"}))
    assert found["schema"] == "ttt-fast/exact/1"
    assert found["manifest"]["config"] == {"x": "random"}
    assert found["rows"] == rows


@given(ROWS)
def test_json_lines(rows):
    content = encode("jsonl", "exact", rows, {}).decode()
    assert [json.loads(line) for line in content.split("\n")[:-1]] == rows


@given(ROWS)
def test_parquet(rows):
    assert pl.read_parquet(io.BytesIO(encode("parquet", "exact", rows, {}))).to_dicts() == [flat(row) for row in rows]


@given(ROWS)
def test_csv(rows):
    text = encode("csv", "exact", rows, {}).decode()
    parse = {"games": int, "share": float, "ok": {"true": True, "false": False}.get, "plies": json.loads}
    found = [
        {key: parse.get(key, str)(cell) for key, cell in row.items()}
        for row in csv.DictReader(io.StringIO(text, newline=""))
    ]
    assert found == [{**row, "note": row["note"] or ""} for row in rows]


@given(ROWS)
def test_markdown_has_the_cells_between_bars(rows):
    lines = encode("markdown", "exact", rows, {}).decode().split("\n")
    assert len(lines) == len(rows) + 3  # header, rule, rows, the end
    bars = {line.replace("\\|", "").count("|") for line in lines[:-1]}
    assert bars == {len(VALUES) + 1}


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_what_json_does_not_have_is_null(bad):
    rows = [{"z": bad, "deep": {"list": [bad, 1.5]}}]
    assert json.loads(encode("json", "match", rows, {"limit": bad}))["rows"] == [
        {"z": None, "deep": {"list": [None, 1.5]}}
    ]
    assert json.loads(encode("jsonl", "match", rows, {})) == {"z": None, "deep": {"list": [None, 1.5]}}
    (found,) = pl.read_parquet(io.BytesIO(encode("parquet", "match", rows, {})))["z"].to_list()
    assert found == bad or math.isnan(found)


def test_rows_need_not_have_the_same_columns():
    rows = [{"x": "a"}, {"x": "b", "rival": "c"}]
    frame = pl.read_csv(io.BytesIO(encode("csv", "match", rows, {})))
    assert frame.to_dicts() == [{"x": "a", "rival": None}, {"x": "b", "rival": "c"}]
    assert encode("markdown", "match", rows, {}).decode().splitlines()[2] == "| a |  |"


def test_a_type_that_comes_late_is_seen():
    rows = [{"v": 1}] * 200 + [{"v": 0.5}]
    assert pl.read_parquet(io.BytesIO(encode("parquet", "m", rows, {})))["v"].to_list()[-1] == 0.5


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (True, "yes"),
        (False, "no"),
        (0, "0"),
        (-1234, "-1,234"),
        (10**15, "1,000,000,000,000,000"),
        (0.5, "0.5"),
        (1 / 3, "0.333333"),
        (123456.7, "123,457"),
        (-99999.5, "-99999.5"),
        (1e-9, "1e-09"),
        (math.nan, "nan"),
        ("a|b", "a\\|b"),
        ({"5": 1}, "{'5': 1}"),
    ],
)
def test_cells_as_a_person_sees_them(value, text):
    row = encode("markdown", "match", [{"name": value}], {}).decode().splitlines()[2]
    assert row == f"| {text} |"


def test_a_wide_row_is_upright_in_markdown():
    row = {f"column_{i}": i for i in range(13)}
    lines = encode("markdown", "match", [row], {}).decode().splitlines()
    assert lines[:3] == ["| column | value |", "| --- | ---: |", "| column_0 | 0 |"]
    assert encode("markdown", "match", [row] * 2, {}).decode().startswith("| column | 1 | 2 |")
    assert encode("markdown", "match", [row] * 4, {}).decode().startswith("| column_0 | column_1 |")


def test_parquet_is_not_for_a_terminal(monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    with pytest.raises(UsageError, match="expected a file for --format parquet"):
        chosen_format("parquet", None)
    assert chosen_format("parquet", "a.bin") == "parquet"
