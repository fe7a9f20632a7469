"""Labels of the network of Ultimate, a small run, and its command; steps and patterns are in test_ultimate_td.py."""

from dataclasses import replace

import numpy as np
import pytest

import learn_ultimate
from ttt_fast import FileFormatError, as_player, parse_game
from ttt_fast.core.archive import read_meta
from ultimate_label_files import LabelSettings, load_labels, make_chunk
from ultimate_run import FitSettings, Generation, learn_evaluation

pytestmark = pytest.mark.slow


def test_labels_are_told_for_the_player_to_move():
    settings = LabelSettings(games=3, simulations=60)
    for chunk in (0, 1):
        labels = make_chunk(settings, None, chunk)
        again = make_chunk(settings, None, chunk)
        assert all((one == other).all() for one, other in zip(labels, again, strict=True))
        assert (labels.patterns[9::10] // 10 == chunk).all()
        assert set(labels.results) <= {-1, 0, 1} and (np.abs(labels.values) <= 1).all()
        decided = np.abs(labels.values) == 1  # proved
        assert decided.any() and (labels.values == labels.results)[decided].mean() > 0.7


QUICK = FitSettings(steps=40, minibatch=16, warm_up=5)
SMALL = (
    Generation(LabelSettings(chunks=2, games=2, simulations=30), QUICK),
    Generation(LabelSettings(chunks=1, games=1, simulations=30), QUICK),
)


GOLDEN = "440af653f2d74d036bb9ee8428568f1dc575829e4a440b15c81d02c3c6fb62ea"
"""The hash of the last network of `SMALL` with seed 5, on AVX2 as on AVX-512."""


def test_a_run_goes_on_where_it_stopped(tmp_path):
    lines = []
    whole = learn_evaluation(tmp_path / "whole", SMALL, 5, 1, lines.append)
    assert any("generation 1, chunk 1 of 1" in line for line in lines)

    class StoppedError(Exception):
        pass

    def stop(line):
        if "generation 1" in line:
            raise StoppedError

    with pytest.raises(StoppedError):
        learn_evaluation(tmp_path / "parts", SMALL, 5, 2, stop)
    again = learn_evaluation(tmp_path / "parts", SMALL, 5, 2, lines.append)
    assert whole.read_bytes() == again.read_bytes() and whole.name == "network-1.npz"
    assert read_meta(whole)["sha256"] == GOLDEN
    other = (SMALL[0], replace(SMALL[1], fit=replace(QUICK, steps=41)))
    with pytest.raises(FileFormatError, match=r"expected parameters of .*41.*, got those of"):
        learn_evaluation(tmp_path / "parts", other, 5, 1, lines.append)
    with pytest.raises(FileFormatError, match="expected labels made with"):
        learn_evaluation(tmp_path / "parts", SMALL, 6, 1, lines.append)
    assert load_labels(tmp_path / "whole", replace(SMALL[0].labels, seed=5)).values.size > 100


def test_the_command_makes_the_file_that_the_agent_plays_by(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(learn_ultimate, "RECIPE", SMALL)
    output = tmp_path / "mine.npz"
    words = [str(tmp_path / "run"), "-o", str(output), "--threads", "1", "--seed", "5"]
    assert learn_ultimate.main(words) == 0
    meta = read_meta(output)
    assert meta["games"] == ["ultimate", "ultimate:tie=boards"] and "learn_ultimate.py" in meta["command"]
    assert len(meta["generations"]) == 2 and len(meta["sha256"]) == 64
    assert as_player(meta["search"] + f",sims=9,leaf={output}", parse_game("ultimate")).name.startswith("mcts")
    monkeypatch.setattr(learn_ultimate, "RECIPE", SMALL[::-1])
    assert learn_ultimate.main(words) == 1
    assert "expected labels made with" in capsys.readouterr().err
