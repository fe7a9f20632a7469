"""The number of kernels that remain to be compiled, and the estimate of their seconds."""

import json
from importlib import import_module
from types import SimpleNamespace

import pytest

from ttt_fast.core import cache, compilation
from ttt_fast.core.compilation import Compilation, Compiling, kernels_of

RECORDED = json.loads(compilation.SECONDS.read_text(encoding="utf-8"))


@pytest.fixture
def clock(monkeypatch):
    """Seconds that pass only where a test lets them; the table has three kernels."""
    now = SimpleNamespace(seconds=100.0)
    monkeypatch.setattr(compilation.time, "perf_counter", lambda: now.seconds)
    monkeypatch.setattr(compilation, "kernels_of", lambda words: {"m.a": 2.0, "m.b": 4.0, "m.c": 1.0})
    return now


@pytest.fixture
def compiling():
    found = Compiling()
    found.expect(["match"])
    return found


def compiled(compiling, kernel, clock, seconds):
    compiling.begin(kernel)
    clock.seconds += seconds
    compiling.end()


def test_kernels_are_counted_with_the_speed_of_this_machine(compiling, clock):
    seen = []
    with compiling.watched_by(seen.append):
        compiled(compiling, "m.a", clock, 4.0)  # half as fast as the table
        compiled(compiling, "m.b", clock, 8.0)
        compiled(compiling, "m.c", clock, 2.0)
    assert seen == [Compilation("m.a", 1, 3, 7.0), None, Compilation("m.b", 2, 3, 10.0), None,
                    Compilation("m.c", 3, 3, 2.0), None]  # fmt: skip


def test_a_nested_kernel_is_reported_but_not_counted(compiling, clock):
    seen = []
    with compiling.watched_by(seen.append):
        compiling.begin("m.a")
        clock.seconds += 1.5
        compiled(compiling, "m.inner", clock, 0.25)
        compiling.end()
    assert seen == [Compilation("m.a", 1, 3, 7.0), Compilation("m.a", 1, 3, 5.5), None]


def test_cached_and_skipped_kernels_do_not_count(compiling, clock):
    seen = []
    compiling.is_cached = lambda kernel: kernel == "m.a"
    with compiling.watched_by(seen.append):
        compiled(compiling, "m.b", clock, 0.5)
        compiled(compiling, "m.other", clock, 0.5)
        compiled(compiling, "m.c", clock, 0.5)
    assert [one[:3] for one in seen if one] == [("m.b", 1, 2), ("m.other", 2, 3), ("m.c", 3, 3)]


def test_a_command_without_a_record_has_no_total(compiling, clock, monkeypatch):
    seen = []
    monkeypatch.setattr(compilation, "kernels_of", lambda words: {})
    with compiling.watched_by(seen.append):
        compiled(compiling, "m.b", clock, 0.5)
    assert str(seen[0]) == "compiling kernel 1, m.b (some seconds, once)"


def test_the_most_words_decide():
    assert kernels_of(["train", "--algorithm=dqn", "-n", "10"]) == RECORDED["train dqn"]
    assert kernels_of(["match", "a", "b", "--game", "connect4:rows=5"]) == RECORDED["match connect4"]
    assert kernels_of(["train", "-n", "10"]) == RECORDED["train"]
    assert kernels_of(["glossary"]) == {}


def test_each_recorded_kernel_exists():
    for kernel, seconds in [item for kernels in RECORDED.values() for item in kernels.items()]:
        module, _, name = kernel.rpartition(".")
        assert hasattr(import_module(f"ttt_fast.{module}"), name) and seconds >= 0, kernel


def test_code_counts_as_cached_if_it_is_newer_than_its_sources(tmp_path, monkeypatch):
    kernel = "play.packed._play_games"
    assert not cache.has_code(tmp_path, kernel)
    (tmp_path / f"ttt_fast.{kernel}.{'0' * 12}.{'0' * 20}.nbc").touch()
    assert cache.has_code(tmp_path, kernel)
    sources = cache.PACKAGE / "play" / "sampler.py"
    unused = cache._unused
    monkeypatch.setattr(cache, "_unused", lambda path: -1.0 if path == sources else unused(path))
    assert not cache.has_code(tmp_path, kernel)
