"""Text of others as it is shown: nothing that a terminal obeys, nothing that is long."""

import os
import signal

import pytest
from hypothesis import given, strategies as st

from cli_runner import assert_one_line, run
from ttt_fast.core import errors, signals

TEXTS = st.text(st.characters(), max_size=300)


@given(TEXTS)
def test_printable_text_is_what_repr_shows(text):
    found = errors.printable(text)
    assert found.isprintable() and errors.printable(found) == found
    assert found == "".join(one if one in "'\\" else repr(one)[1:-1] for one in text)
    assert errors.printable(text, kept="\n").split("\n") == [errors.printable(line) for line in text.split("\n")]


@given(TEXTS, st.integers(5, 100))
def test_the_middle_is_cut_out(text, longest):
    found = errors.cut(text, longest)
    start, _, end = found.rpartition("...") if len(text) > longest else (found, "", "")
    assert len(found) == min(len(text), longest) and text.startswith(start) and text.endswith(end)


@given(TEXTS, TEXTS, st.sampled_from(["expected the agent's move, got {!r}", "{!r}: expected {!r}", "no {!r} of 'it'"]))
def test_a_message_keeps_its_words_and_cuts_its_values(one, other, form):
    long = form.format(one + "x" * 1000, "y" * 1000 + other)
    found = errors.message(long)
    assert found.isprintable() and len(found) <= 460 and errors.message(found) == found
    assert found.startswith(long[:10]) and all(word in found for word in form.replace("{!r}", " ").split())
    assert errors.message(form.format(1, 2)) == form.format(1, 2)


LONG = "x" * 5000


@pytest.mark.parametrize(
    "words",
    [["exact", LONG, "random"], ["exact", "random", "random", "--game", LONG], ["show", LONG], ["watch", LONG],
     ["exact", f"python:{LONG}:x", "random"], [LONG], ["states", "--format", LONG], ["states", f"--{LONG}"]],
)  # fmt: skip
def test_long_values_are_cut_in_messages(words):
    ran = run(*words)
    assert_one_line(ran, ran.code, "xxx...xxx")
    assert ran.code in (1, 2) and len(ran.err) < 600


def test_everything_is_tidied_up_before_a_signal_ends_the_process(monkeypatch):
    """By the outermost of several handlers, the last thing first."""
    done = []
    monkeypatch.setattr(signal, "raise_signal", done.append)
    with (
        signals.ended_tidily(),
        signals.tidied_up(lambda: done.append("one")),
        signals.tidied_up(lambda: done.append("two")),
    ):
        os.kill(os.getpid(), signal.SIGTERM)
        assert done == ["two", "one", signal.SIGTERM]
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
