"""Two machines compared: what `bench` has written, and all that is none of it."""

import json

import pytest
from hypothesis import given, settings, strategies as st

from cli_runner import assert_one_line, run


def written(path, **rates):
    """Write a file like that of `bench` with the given rates: slowest, median and fastest."""
    rows = [
        {"what": what, "unit": "calls", "slowest": slowest, "per_second": middle, "fastest": fastest}
        for what, (slowest, middle, fastest) in rates.items()
    ]
    path.write_text(json.dumps({"schema": "ttt-fast/bench/1", "manifest": {}, "rows": rows}))
    return path


def test_the_ratio_is_that_of_the_second_to_the_first(tmp_path):
    one = written(tmp_path / "one.json", play=(90, 100, 110), gone=(1, 1, 1))
    two = written(tmp_path / "two.json", play=(180, 200, 220), new=(1, 1, 1))
    (row,) = run("bench", "compare", one, two, "-f", "json").json()["rows"]
    assert (row["what"], row["first"], row["second"], row["ratio"]) == ("play", 100, 200, 2)
    assert (row["low"], row["high"]) == (pytest.approx(180 / 110), pytest.approx(220 / 90))


def test_files_without_anything_in_common_are_refused(tmp_path):
    one, two = written(tmp_path / "a.json", one=(1, 1, 1)), written(tmp_path / "b.json", two=(1, 1, 1))
    assert_one_line(run("bench", "compare", one, two), 1, "with common measurements")


@settings(max_examples=15)
@given(st.one_of(st.binary(max_size=80), st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["rows", "schema", "what"]), inner),
    max_leaves=8,
).map(lambda value: json.dumps(value).encode())))  # fmt: skip
def test_any_other_file_is_one_line(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("bench") / "x.json"
    path.write_bytes(content)
    assert_one_line(run("bench", "compare", path, path), 1, "x.json")


@pytest.mark.parametrize("rate", [0, -1.0, "fast", None, float("nan"), float("inf")])
def test_rates_that_are_no_rates_are_refused(tmp_path, rate):
    wrong = written(tmp_path / "a.json", play=(1, rate, 2))
    assert_one_line(run("bench", "compare", wrong, wrong), 1, "a.json")


def test_rows_of_another_command_are_refused(tmp_path):
    other = written(tmp_path / "a.json", play=(1, 2, 3))
    other.write_text(other.read_text().replace("ttt-fast/bench/1", "ttt-fast/match/1"))
    assert_one_line(run("bench", "compare", other, other), 1, "a.json")


def test_the_report(tmp_path):
    one, two = written(tmp_path / "one.json", play=(90, 100, 110)), written(tmp_path / "two.json", play=(45, 50, 55))
    assert "two.json beside one.json" in run("bench", "compare", one, two).text


@pytest.mark.parametrize(
    ("words", "told"),
    [(["compare"], "two files"), (["compare", "a.json"], "two files"), (["race"], "expected 'run'"),
     (["run", "a.json"], "expected 'run'")],
)  # fmt: skip
def test_other_words_are_refused(words, told):
    ran = run("bench", *words)
    assert ran.code == 2
    assert told in ran.err
