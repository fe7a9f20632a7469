"""The comparison of two checkouts: intervals by order statistics, and a group measured on both sides."""

import pytest

from against import interval_of
from cli_runner import run_python
from conftest import REPOSITORY


def test_intervals_leave_out_what_the_binomial_allows():
    assert interval_of([3.0, 1.0, 2.0]) == (2.0, 1.0, 3.0)  # three turns give no 95 %: all of them
    assert interval_of([float(n) for n in range(11)]) == (5.0, 1.0, 9.0)  # 98.8 %; one further in 93.5 %


@pytest.mark.slow
def test_a_checkout_is_as_fast_as_itself():
    script = REPOSITORY / "bench" / "against.py"
    words = ["--only", "multinomial", "--turns", "1", "--seconds", "0.01"]
    printed = run_python(script, REPOSITORY, *words).text
    assert printed.startswith("multinomial") and "propagate 10^15 games" in printed
