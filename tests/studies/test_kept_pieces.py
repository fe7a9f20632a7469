"""Pieces of work that are kept: done once, read again, and done again where a file is damaged."""

import signal

import numpy as np
import pytest

from ttt_fast.studies.engine.work import Runner

DONE = []


def square(number, stops=False):
    """A piece of work that is counted, and may be interrupted."""
    DONE.append(number)
    if stops:
        signal.raise_signal(signal.SIGINT)
    return {"square": number**2, "name": f"of {number}"}


@pytest.fixture
def keep(tmp_path):
    DONE.clear()
    told = []

    def keep(*settings):
        runner = Runner(tmp_path / "kept", quick=True, threads=1, say=told.append)
        return runner.pieces(square, settings), runner.taken, told

    return keep


def test_each_piece_is_done_once_and_again_if_its_file_is_damaged(keep, tmp_path):
    (first, second), taken, told = keep({"number": 3}, {"number": 2})
    assert (int(first["square"]), str(first["name"])) == (9, "of 3")
    assert int(second["square"]) == 4 and min(taken.values()) >= 0 and set(first) == {"square", "name"}
    assert DONE == [3, 2] and told == ["square: 2 done"]
    again, later, _ = keep({"number": 2}, {"number": 3}, {"number": 5})
    assert [int(one["square"]) for one in again] == [4, 9, 25] and DONE == [3, 2, 5]
    assert taken.items() <= later.items()
    file = tmp_path / "kept" / f"{next(iter(taken))}.npz"
    for damage in (b"", b"PK\3\4", file.read_bytes()[:-30]):
        file.write_bytes(damage)
        DONE.clear()
        (mended,), _, _ = keep({"number": 3})
        assert DONE == [3] and int(mended["square"]) == 9


def test_an_interruption_keeps_what_is_done(keep):
    with pytest.raises(KeyboardInterrupt):
        keep({"number": 1}, {"number": 2, "stops": True}, *({"number": number} for number in range(3, 40)))
    assert 2 <= len(DONE) < 39
    begun = len(DONE)
    (found,), _, _ = keep({"number": 1})
    assert len(DONE) == begun and np.array_equal(found["square"], 1)
