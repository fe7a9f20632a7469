"""The comparison of two checkouts: intervals by order statistics, and a group measured on both sides."""

import subprocess
import sys

import pytest

from against import interval_of
from conftest import PATIENCE, REPOSITORY


def test_intervals_leave_out_what_the_binomial_allows():
    assert interval_of([3.0, 1.0, 2.0]) == (2.0, 1.0, 3.0)  # three turns give no 95 %: all of them
    assert interval_of([float(n) for n in range(11)]) == (5.0, 1.0, 9.0)  # 98.8 %; one further in 93.5 %


@pytest.mark.slow
def test_a_checkout_is_as_fast_as_itself():
    script = str(REPOSITORY / "bench" / "against.py")
    words = ["--only", "multinomial", "--turns", "1", "--seconds", "0.01"]
    done = subprocess.run(
        [sys.executable, script, str(REPOSITORY), *words], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("multinomial") and "propagate 10^15 games" in done.stdout
