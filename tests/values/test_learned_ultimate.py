"""The file of a run over the network of Ultimate: the network alone at its end, before it the optimizer's memory."""

import numpy as np
import pytest

from ttt_fast.core.archive import Archive
from ttt_fast.games.registry import parse_game
from ttt_fast.values.learned_ultimate import UltimateValues, pack, unpack
from ttt_fast.values.ultimate_network import NUM_PARAMETERS


def drawn(seed):
    return np.random.default_rng(seed).normal(0, 0.05, NUM_PARAMETERS).astype(np.float32)


def test_what_goes_on_comes_back_as_it_was():
    memory = (drawn(2), drawn(3), np.array([0.5, 0.25]))
    values = UltimateValues(parse_game("ultimate:tie=boards"), drawn(1), memory, "abc")
    arrays, meta = pack(values)
    read = unpack(Archive("values", arrays, meta))
    assert (read.game, read.start_sha256, read.can_go_on) == (values.game, "abc", True)
    assert np.array_equal(read.parameters, values.parameters) and read.sha256() == values.sha256()
    assert len(read.memory) == 3 and all(map(np.array_equal, read.memory, memory))


def test_what_is_done_comes_back_rounded():
    values = UltimateValues(parse_game("ultimate"), drawn(1))
    read = unpack(Archive("values", *pack(values)))
    assert not read.can_go_on and read.memory == () and read.sha256() == values.sha256()
    assert np.array_equal(read.parameters, values.rounded().parameters)


@pytest.mark.parametrize("wrong", ["parameters", "memory", "hash"])
def test_what_is_no_run_is_refused(wrong):
    memory = (drawn(2), drawn(3), np.array([0.5, 0.25]))
    arrays, meta = pack(UltimateValues(parse_game("ultimate"), drawn(1), memory))
    if wrong == "hash":
        meta["sha256"] = "0" * 64
    else:
        name = {"parameters": "parameters", "memory": "second_moments"}[wrong]
        arrays[name] = np.full_like(arrays[name], np.nan if wrong == "memory" else 0.5)
    with pytest.raises(ValueError):
        unpack(Archive("values", arrays, meta))
