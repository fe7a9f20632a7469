"""The published base tables: every wrong figure is explained, and the minimax that they used is found."""

import pytest

from ttt_fast.studies import base, langan, smirnov


@pytest.fixture(scope="module")
def rows():
    return base.judged_cells()


def test_every_published_cell_has_a_row(rows):
    assert len(rows) == len(langan.BASE_CELLS) + len(smirnov.BASE_CELLS) == 64


def test_counts_of_verdicts(rows):
    assert base.verdict_counts(rows) == {"equal": 37, "within noise": 15, "wrong": 12}
    assert sum(base.verdict_counts(rows).values()) == len(rows)


def test_every_wrong_figure_has_a_reason_and_no_other(rows):
    for row in rows:
        assert bool(row["why"]) == (row["verdict"] == "wrong"), row
        assert row["verdict"] == "wrong" or not row["fits"]


def test_shares_of_a_match_sum_to_one(rows):
    """A slip of the pen in the tables here would show; the one that is published is known."""
    sums: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        if row["quantity"] in ("x_wins", "draws", "o_wins") and "section" not in row["source"]:
            sums.setdefault((row["source"], row["cell"]), []).append(row["published_share"])
    assert all(len(shares) == 3 for shares in sums.values())
    wrong = [key for key, shares in sums.items() if abs(sum(shares) - 1) > 1e-9]
    assert wrong == [("smirnov first table", "X Random, O Minimax")]


def test_all_of_langans_matches_are_within_noise(rows):
    verdicts = {row["verdict"] for row in rows if row["source"].startswith("langan table")}
    assert verdicts == {"equal", "within noise"}


def test_which_minimax_the_tables_used():
    found = {row["agent"]: (row["fits langan"], row["fits smirnov"]) for row in base.minimax_rows()}
    assert len(found) == 8
    fits_langan = {agent for agent, (first, _) in found.items() if first}
    fits_smirnov = {agent for agent, (_, second) in found.items() if second}
    assert fits_langan == {f"minimax:tie=uniform,prefer={prefer}" for prefer in ("none", "fast")}
    assert fits_smirnov == {f"minimax:tie={tie},prefer=none" for tie in ("first", "last", "column-major")}


def test_facts():
    facts = {row["claim"]: row for row in base.fact_rows()}
    assert [row["verdict"] for row in facts.values()] == ["wrong", "wrong", "equal", "equal"]
    assert [row["computed"] for row in facts.values()] == ["5,478", "255,168", "47.40", "5,478"]
    for row in facts.values():
        assert (row["verdict"] == "equal") == (row["published"] == row["computed"])


def test_the_page_shows_every_cell_and_every_reason(tmp_path, rows):
    assert base.run(tmp_path / "new" / "base") == rows
    page = (tmp_path / "new" / "base" / "README.md").read_text()
    assert all(row["why"] in page for row in rows)
    assert page.count("| equal |") + page.count("| within noise |") + page.count("| wrong |") >= len(rows)
