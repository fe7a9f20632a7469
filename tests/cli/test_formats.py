"""Every command in every format: the fixed spellings of the design, and the same rows in all of them."""

import io
import json

import polars as pl
import pytest

from cli_runner import run

RESULTS = {"x_wins", "draws", "o_wins"}
SAMPLED = {"x", "o", "games", *RESULTS, *(f"exact_{name}" for name in RESULTS), "seconds", "games_per_second"}
SCORED = {"states", "agreeing", "agreement", "never_loses", "value", "exploitability"}
COMMANDS = {
    "match": (["match", "random", "minimax", "-n", "20k"], SAMPLED),
    "match of searches": (["match", "random", "mcts:sims=10", "-n", "6"], SAMPLED),
    "compare exactly": (["compare", "random", "minimax", "-n", "0"], {"x", "o", *(f"exact_{n}" for n in RESULTS)}),
    "score": (["score", "minimax", "--against", "buggy2"], {"x", "o", *RESULTS, *SCORED}),
    "show": (
        ["show", "XO.......", "--agents", "random,minimax:tie=first,prefer=fast"],
        {"action", "value_x", "distance", "random", "minimax:tie=first,prefer=fast"},
    ),
    "agents": (["agents"], {"agent", "option", "values", "default", "meaning", "games"}),
}
"""Of each form of rows one command; tests/cli/test_fixed_spellings.py has the columns of all."""
TIMES = {"seconds", "games_per_second", "episodes_per_second"}
TIMES |= {f"{side}_{what}" for side in "xo" for what in ("seconds_per_move", "slowest_move", "memory_bytes")}


def rows_of(arguments: list[str]) -> list[dict]:
    return run(*arguments, "--format", "json").json()["rows"]


def flat(row: dict) -> dict:
    """A row as a table's file holds it: nested values as JSON."""
    return {key: json.dumps(v) if isinstance(v, dict | list) else v for key, v in row.items() if key not in TIMES}


def equals_text(value: object, text: str | None) -> bool:
    """Whether the text of a csv cell is this value."""
    if value is None or value == "":
        return text in (None, "")
    if isinstance(value, bool):
        return text == str(value).lower()
    return text is not None and (float(text) == value if isinstance(value, float) else text == str(value))


@pytest.mark.parametrize("name", COMMANDS)
def test_the_other_formats_hold_the_same_rows(name):
    arguments, columns = COMMANDS[name]
    expected = [flat(row) for row in rows_of(arguments)]
    out = {form: run(*arguments, "--format", form).out for form in ("jsonl", "csv", "parquet", "markdown", "table")}
    assert [flat(json.loads(line)) for line in out["jsonl"].splitlines()] == expected
    found = pl.read_csv(io.BytesIO(out["csv"]), infer_schema=False).to_dicts()
    for have, want in zip(found, expected, strict=True):
        assert all(equals_text(value, have[key]) for key, value in want.items()), (have, want)
    found = pl.read_parquet(io.BytesIO(out["parquet"])).to_dicts()
    assert [{key: row[key] for key in want} for row, want in zip(found, expected, strict=True)] == expected
    lines = out["markdown"].decode().splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    is_upright = cells[0][0] == "column"
    assert columns <= ({line[0] for line in cells} if is_upright else set(cells[0]))
    assert (len(cells[0]) - 1 if is_upright else len(lines) - 2) == len(expected)
    assert b"\x1b" not in out["table"]


@pytest.mark.parametrize("suffix", ["json", "jsonl", "csv", "parquet", "md", "JSON", "txt"])
def test_the_suffix_of_the_file_decides(tmp_path, suffix):
    arguments, path = ["exact", "random", "minimax"], tmp_path / f"out.{suffix}"
    ran = run(*arguments, "-o", path)
    assert ran == (0, b"", f"wrote {path}\n")
    form = {"md": "markdown", "txt": "table"}.get(suffix, suffix.lower())
    assert path.read_bytes() == run(*arguments, "--format", form).out
    assert [found.name for found in tmp_path.iterdir()] == [path.name]


def test_a_suffix_that_is_not_written_is_refused(tmp_path):
    ran = run("exact", "random", "minimax", "-o", tmp_path / "out.xlsx")
    assert ran.code == 2 and "out.xlsx" in ran.err and not list(tmp_path.iterdir())


def test_a_format_beside_the_suffix_of_another_is_refused(tmp_path):
    ran = run("exact", "random", "minimax", "-o", tmp_path / "out.csv", "--format", "json")
    assert ran.code == 2 and "matches --format json" in ran.err and not list(tmp_path.iterdir())
    run("exact", "random", "minimax", "-o", tmp_path / "out", "--format", "json")
    assert json.loads((tmp_path / "out").read_text())["schema"] == "ttt-fast/exact/1"


# --- What the rows say.


def test_boards_that_a_game_reaches():
    final = rows_of(["exact", "random", "random", "--reach", "final"])
    assert len(final) == 958
    assert sum(row["probability"] for row in final) == pytest.approx(1)
    every = rows_of(["exact", "minimax:tie=first", "minimax:tie=first", "--reach", "all"])
    assert [row["probability"] for row in every] == [1.0] * 10
    assert sorted(row["ply"] for row in every) == list(range(10))


def test_score_by_state_adds_up_to_the_scorecard():
    listing = rows_of(["score", "buggy2", "--by-state"])
    card = {row["seat"]: row for row in rows_of(["score", "buggy2"])}
    for seat in "xo":
        agrees = [row["agrees"] for row in listing if row["player"] == seat]
        assert (len(agrees), sum(agrees)) == (card[seat]["states"], card[seat]["agreeing"])


def test_best_response_can_be_played(tmp_path):
    path = tmp_path / "br.npz"
    ran = run("best-response", "random", "-o", path, "--format", "json")
    as_x, as_o = ran.json()["rows"]
    assert as_x["value"] == pytest.approx(191 / 192)
    assert str(path) in ran.err
    (row,) = rows_of(["exact", str(path), "random"])
    assert row["x_wins"] - row["o_wins"] == pytest.approx(191 / 192)
    (row,) = rows_of(["exact", "random", str(path)])
    assert row["o_wins"] - row["x_wins"] == pytest.approx(as_o["value"])


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
def test_states_are_exported(tmp_path, suffix):
    path = tmp_path / f"states.{suffix}"
    ran = run("states", "-o", path)
    assert (ran.code, ran.out) == (0, b"")
    read = {"csv": pl.read_csv, "parquet": pl.read_parquet, "jsonl": pl.read_ndjson}[suffix]
    frame = read(path)
    assert frame.height == 5478
    assert frame.filter(pl.col("status") == "ongoing").height == 4520
    first = frame.row(0, named=True)
    assert (first["board"], first["value_x"], first["distance"]) == (".........", 0, 9)
    assert [first[f"child_{action}"] for action in range(9)] == list(range(1, 10))
    rules = {frame["heuribot_rule"][0], *frame.filter(pl.col("board") == "XX.OO....")["heuribot_rule"]}
    assert rules == {"CENTER", "WIN"}


def test_states_of_other_games_have_no_rule_of_heuribot(tmp_path):
    assert run("states", "--game", "tic-tac-toe:misere=yes", "-o", tmp_path / "states.csv").code == 0
    columns = pl.read_csv(tmp_path / "states.csv").columns
    assert "best_actions" in columns and "heuribot_rule" not in columns
