"""Names of code of others: where they are found, and the places that refuse them."""

import sys

import pytest
from hypothesis import example, given, strategies as st

from ttt_fast.core.errors import ForeignNameError, TttFastError, UsageError
from ttt_fast.core.foreign import load_named, names_foreign, reason_of, refuse_foreign

NAMES = st.sampled_from(["python:mine:choose", "engine:./bot --level 3", "engine:ms=5 bot"])
AGENTS = st.recursive(
    NAMES,
    lambda inner: st.one_of(
        inner.map("({})".format),
        inner.map("best-response:{}".format),
        inner.map("best-response:({}),objective=wins".format),
        inner.map("mix:1/2*random+1/2*({})".format),
        inner.map("mix:1/2*{}+1/2*random".format),
        inner.map("random@0.5>{}".format),
        inner.map(" {} ".format),
        inner.map("random,{}".format),
    ),
    max_leaves=4,
)
OTHERS = st.text(st.characters(exclude_characters=":"), max_size=30)


@given(AGENTS)
def test_they_are_found_inside_of_other_agents(spec):
    assert names_foreign(spec)
    with pytest.raises(ForeignNameError, match=r"in a place$") as told:
        refuse_foreign(spec, "a place")
    assert "\n" not in str(told.value) and told.value.exit_code == 2


@given(OTHERS, st.sampled_from(["mcts:sims=5", "runs/python.npz", "engine", "my-engine:x", "folder/python:a.npz"]))
@example("", "best-response:engine.npz")
def test_other_agents_are_not_refused(text, agent):
    assert not names_foreign(text) and not names_foreign(agent)
    refuse_foreign(agent, "a place")


def test_what_is_named_is_loaded_from_the_present_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "named_here.py").write_text("class A:\n    b = 5\n")
    assert load_named("python:named_here:A.b", "an agent") == 5
    for wrong, reason in {
        "python:named_here": "expected an agent as python:MODULE:NAME, got 'python:named_here'",
        "python:named_here:A:b": "expected an agent as python:MODULE:NAME",
        "python:named_here:c": "cannot load an agent 'python:named_here:c': AttributeError",
        "python:nothing_here:c": "cannot load an agent 'python:nothing_here:c': ModuleNotFoundError",
    }.items():
        with pytest.raises(UsageError, match=reason):
            load_named(wrong, "an agent")
    sys.modules.pop("named_here")


def test_reasons_are_one_line():
    assert reason_of(ValueError("one\ntwo")) == "ValueError: one"
    assert reason_of(TttFastError("expected this")) == "expected this"
    assert reason_of(TttFastError("")) == ""
