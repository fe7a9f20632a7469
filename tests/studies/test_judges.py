"""Judges of statements: what they compare, and that each is there and used."""

from importlib import import_module

import numpy as np
import pytest

from ttt_fast import FileFormatError
from ttt_fast.cli.reproduce import DATA
from ttt_fast.studies.engine.sources import claims_of
from ttt_fast.studies.engine.study import package_of
from ttt_fast.studies.engine.tables import Tables
from ttt_fast.studies.engine.verdicts import StatementVerdict, by_parts, compared, falls, holds


@pytest.fixture
def tables(tmp_path):
    found = Tables(tmp_path, "ttt-fast reproduce nothing")
    found.write("ends", [{"who": "a", "wins": 5, "so far": 0}, {"who": "b", "wins": None, "so far": 1},
                         {"who": "b", "wins": 9, "so far": 2}])  # fmt: skip
    runs = (("a", 0.9, 0.01), ("b", 0.8, 0.01), ("c", 0.7, 0.1))
    found.write("runs", [{"who": who, "won": won, "won low": won - half, "won high": won + half}
                         for who, won, half in runs]
                + [{"who": "none", "won": None, "won low": None, "won high": None}])  # fmt: skip
    return found


def test_values_of_tables(tables):
    assert tables.value("ends", "wins", who="a") == 5
    assert tables.value("ends", "wins", so_far=2) == 9
    assert np.array_equal(tables.array("ends", "wins"), [5, np.nan, 9], equal_nan=True)
    assert tables.array("ends", "so far", who="b").tolist() == [1, 2]


def test_values_that_are_not_there_are_one_line(tables):
    for wrong in (lambda: tables.value("ends", "wins", who="b"), lambda: tables.array("ends", "wins", who="c")):
        with pytest.raises(FileFormatError, match=r"expected .* run: ttt-fast reproduce nothing") as caught:
            wrong()
        assert "\n" not in str(caught.value)


def test_means_are_compared_by_the_interval_of_their_difference(tables):
    a, b, c = (tables.mean("runs", "won", who=who) for who in "abc")
    assert a > b and b < a and not b > a
    assert not b > c and not c < b
    assert [str(compared(*pair)) for pair in ((a, b), (b, a), (b, c))] == ["holds", "does not hold", "cannot be told"]
    each = tables.means("runs", "won")
    assert (each < a).tolist() == [False, True, True]
    assert falls(each) == 1 and falls(tables.array("ends", "wins")) == 0


def test_verdicts_of_parts():
    assert [str(by_parts(parts)) for parts in ([True, True], [True, False], [False])] == [
        "holds", "holds in part", "does not hold",
    ]  # fmt: skip
    assert holds(False) == StatementVerdict.DOES_NOT_HOLD


@pytest.mark.parametrize("study", DATA)
def test_every_judge_is_there_and_used(study):
    """A claim has a verdict, or a function of `judges.py`; and none of its functions waits in vain."""
    package = package_of(study)
    names = {one.judge for one in claims_of(package)} - set(StatementVerdict)
    found = vars(import_module(f"{package}.judges")) if names else {}
    own = {name for name, one in found.items() if getattr(one, "__module__", "") == f"{package}.judges"}
    assert {name for name in own if not name.startswith("_")} == names
