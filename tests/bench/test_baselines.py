"""The plain programs that the benchmarks compare with: their examples."""

import doctest

import pytest

from baselines import chunks, connect_four, random_games


@pytest.mark.slow
@pytest.mark.parametrize("module", [chunks, connect_four, random_games])
def test_the_examples_run(module):
    found = doctest.testmod(module)
    assert found.failed == 0 and found.attempted > 0
