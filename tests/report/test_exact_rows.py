"""Rows of exact results."""

from ttt_fast.agents.convert import as_policy
from ttt_fast.evaluate.exact_result import exact_result
from ttt_fast.report.results import exact_row


def test_the_row_of_an_exact_result_lists_the_lengths_that_occur():
    random = as_policy("random")
    found = exact_row(exact_result(random, random))
    lengths = found["plies_by_result"]
    assert {name: list(shares) for name, shares in lengths.items()} == {
        "x_wins": [5, 7, 9],
        "draws": [9],
        "o_wins": [6, 8],
    }
    for name, shares in lengths.items():
        assert abs(sum(shares.values()) - found[f"exact_{name}" if f"exact_{name}" in found else name]) < 1e-12
