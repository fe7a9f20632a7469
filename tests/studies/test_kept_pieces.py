"""Pieces of work that are kept: done once, read again, and done again where a file is damaged."""

import signal
from contextlib import closing

import numpy as np
import pytest

from ttt_fast.core.errors import TttFastError
from ttt_fast.running import jobs
from ttt_fast.running.executors import ThreadExecutor
from ttt_fast.studies.engine import work as module
from ttt_fast.studies.engine.work import kept_pieces

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
    with closing(ThreadExecutor(1)) as executor:
        yield lambda *settings: (kept_pieces(tmp_path / "kept", square, settings, executor, told.append), told)


def test_each_piece_is_done_once_and_again_if_its_file_is_damaged(keep, tmp_path):
    (first, second), told = keep({"number": 3}, {"number": 2})
    assert (int(first.arrays["square"]), str(first.arrays["name"])) == (9, "of 3")
    assert int(second.arrays["square"]) == 4 and first.seconds >= 0 and set(first.arrays) == {"square", "name"}
    assert DONE == [3, 2] and told == ["square: 2 done"]
    again, _ = keep({"number": 2}, {"number": 3}, {"number": 5})
    assert [int(one.arrays["square"]) for one in again] == [4, 9, 25] and DONE == [3, 2, 5]
    assert again[1].name == first.name and again[1].seconds == first.seconds
    for damage in (b"", b"PK\3\4", (tmp_path / "kept" / first.name).read_bytes()[:-30]):
        (tmp_path / "kept" / first.name).write_bytes(damage)
        DONE.clear()
        (mended,), _ = keep({"number": 3})
        assert DONE == [3] and int(mended.arrays["square"]) == 9


def test_an_interruption_keeps_what_is_done(keep):
    with pytest.raises(KeyboardInterrupt):
        keep({"number": 1}, {"number": 2, "stops": True}, *({"number": number} for number in range(3, 40)))
    assert 2 <= len(DONE) < 39
    begun = len(DONE)
    found, _ = keep(*({"number": number} for number in range(1, 2)))
    assert len(DONE) == begun and np.array_equal(found[0].arrays["square"], 1)


def test_workers_of_another_version_are_refused(monkeypatch):
    payload = module._job(square, {"number": 3}).payload
    monkeypatch.setattr(jobs, "package_version", lambda: "another")
    with pytest.raises(TttFastError, match=r"expected workers with ttt-fast .*, got one with another"):
        module._work(payload)
