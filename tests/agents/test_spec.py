"""Agents as text, parsed once into a tree by a pure function."""

import json
from fractions import Fraction

import pytest
from hypothesis import example, given, strategies as st

from cli_runner import run_python
from ttt_fast import AgentError, AgentSpec, TttFastError, parse_agent
from ttt_fast.agents.spec import refuse_external
from ttt_fast.core.errors import ExternalAgentError

BUILT_IN = ["random", "minimax", "minimax:tie=first", "mcts:sims=50,c=1.5", "nobody"]
FILES = ["q.npz", "runs/q.npz", "./q", "runs/python.npz", "C:\\tables\\q.npz", "q.npz:eps=0.1"]
FILES += ["a:b.npz", "1:2:3.npz:eps=0.1", "./a=b.npz"]
EXTERNAL = ["python:mine:choose", "python:mine.bots:Bot.second", "python:a:b c"]
SIGNATURE = "mine#" + 64 * "0"


def composed(leaves):
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            inner.map("({})".format),
            inner.map("best-response:({})".format),
            inner.map("best-response:({}),objective=wins".format),
            inner.map("mix:1/2*random+1/2*({})".format),
            inner.map(" {} ".format),
        ),
        max_leaves=4,
    )


@pytest.mark.parametrize(
    ("texts", "origin"), [(BUILT_IN, "built in"), (FILES, "file"), (EXTERNAL, "external"), ([SIGNATURE], "object")]
)
def test_the_origin_follows_from_the_spelling(texts, origin):
    assert {text: parse_agent(text).origin for text in texts} == dict.fromkeys(texts, origin)


@given(composed(st.sampled_from(BUILT_IN + FILES)))
def test_agents_made_of_agents_keep_their_texts(text):
    spec = parse_agent(text)
    assert spec.text == str(spec) == text.strip() and not spec.is_external
    assert parse_agent(spec.text) == spec and hash(parse_agent(text)) == hash(spec)
    leaves = [node for node in spec.nodes() if not node.children]
    assert leaves and all(node.name in text for node in leaves)
    assert all(sum(node.shares) == 1 for node in spec.nodes() if node.name == "mix")
    refuse_external(spec, "a place")


@given(composed(st.sampled_from(EXTERNAL)))
def test_external_agents_are_found_inside_other_agents(text):
    assert parse_agent(text).is_external
    with pytest.raises(ExternalAgentError, match=r"in a place; ") as raised:
        refuse_external(parse_agent(text), "a place")
    assert "\n" not in str(raised.value) and raised.value.exit_code == 2


@given(st.text(max_size=40))
@example("mix:")
@example("best-response:")
@example("python:")
@example(":")
@example("(" * 40)
@example("#" + 64 * "a")
def test_any_text_is_a_tree_or_one_line(text):
    try:
        assert isinstance(parse_agent(text), AgentSpec)
    except TttFastError as error:
        assert isinstance(error, AgentError) and len(str(error).splitlines()) == 1


def test_parts_of_composite_agents():
    spec = parse_agent("best-response:minimax:tie=first,prefer=fast")
    assert (spec.children[0].text, spec.options) == ("minimax:tie=first,prefer=fast", ())
    spec = parse_agent("best-response:random, objective=wins")
    assert (spec.children[0].text, spec.options) == ("random", (("objective", "wins"),))
    spec = parse_agent("mix:1/4*random+0.75*minimax")
    assert spec.shares == (Fraction(1, 4), Fraction(3, 4)) and [one.text for one in spec.children] == [
        "random",
        "minimax",
    ]
    for wrong in ("random", "1/2*random", "-1*random+2*minimax", "x*random"):
        with pytest.raises(AgentError, match="expected"):
            parse_agent(f"mix:{wrong}")


def test_options_are_text_in_their_order():
    assert parse_agent("mcts: sims = 5,c=2").options == (("sims", "5"), ("c", "2"))
    assert parse_agent("minimax:first").options == (("first", None),)
    assert parse_agent("(minimax:tie=first)").options == (("tie", "first"),)
    assert parse_agent("python:mine:bots.first").argument == "mine:bots.first"


@given(st.lists(composed(st.sampled_from(BUILT_IN + FILES + EXTERNAL[:1])).map(str.strip), min_size=1, max_size=4))
def test_a_list_is_split_between_its_agents(texts):
    assert AgentSpec.split(",".join(texts)) == texts


def test_a_signature_is_that_of_an_object():
    assert parse_agent(SIGNATURE).is_signature and not parse_agent(SIGNATURE).is_external


WATCHED = """
import builtins, json, os, sys
from ttt_fast.agents.spec import AgentSpec, parse_agent
touched, watching = [], False

def hook(event, arguments):
    if watching and event.split(".")[0] in ("open", "import", "os", "subprocess", "socket"):
        touched.append(f"{event} {arguments[:1]}")

def refused(name):
    def call(*arguments, **named):
        touched.append(name)
        raise AssertionError(name)
    return call

sys.addaudithook(hook)
texts = json.loads(sys.argv[1])
os.stat = os.lstat = refused("stat")
watching = True
for text in texts:
    parse_agent(text)
    AgentSpec.split(text)
watching = False
print(json.dumps(touched))
"""


def test_parsing_touches_no_file(tmp_path):
    (tmp_path / "there").write_text("", encoding="utf-8")
    texts = [*BUILT_IN, *FILES, *EXTERNAL, SIGNATURE, str(tmp_path / "there"), "mix:1/2*(python:os:getcwd)+1/2*q.npz"]
    assert run_python("-c", WATCHED, json.dumps(texts)).json() == []
