"""Whatever is typed: exit code 0, 1, 2 or 130, and never a traceback."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from cli_runner import run

AGENTS = st.sampled_from(
    ["random", "minimax", "heuribot:as=coded", "mix:1/2*random+1/2*minimax", "best-response:random", "random:frozen=3"]
)
WILD = st.text(max_size=12).filter(lambda text: "\0" not in text)
AGENT_LIKE = st.from_regex(r"(mix|best-response|minimax|random|default|\(+)[:=*+,()a-z0-9./]{0,12}", fullmatch=True)
BOARD = st.text(alphabet="XO.", min_size=9, max_size=9) | WILD
COUNT = st.sampled_from(["0", "1", "7", "1k", "1e2", "-1", "1e99", "", "nan", "0.5"]) | WILD
SMALL = st.sampled_from(["0", "1", "2", "-1", "x", "1e3", "99999999999999999999"])
GAME = st.sampled_from(["tic-tac-toe", "connect4", "ultimate", "connect4:columns=4", "chess"])
LINE = st.text(alphabet="123456789 ", max_size=12) | WILD
FORM = st.sampled_from(["table", "json", "jsonl", "csv", "parquet", "markdown", "", "xml"])
ANY_AGENT = AGENTS | AGENT_LIKE | WILD


def option(name: str, value) -> st.SearchStrategy:
    return st.just([]) | st.tuples(st.just(name), value).map(list)


def line(*parts) -> st.SearchStrategy:
    """A command line: words and groups of words."""
    return st.tuples(*parts).map(lambda groups: [w for g in groups for w in ([g] if isinstance(g, str) else g)])


FORMATS = option("--format", FORM)
LINES = {
    "match": line(
        st.just("match"), ANY_AGENT, ANY_AGENT, st.just("-n"), COUNT, option("--seed", SMALL),
        option("--threads", SMALL), option("--method", st.sampled_from(["play", "propagate", "?"])),
        option("--position", BOARD), FORMATS,
    ),
    "exact": line(st.just("exact"), ANY_AGENT, ANY_AGENT, option("--position", BOARD), FORMATS),
    "compare": line(st.just("compare"), st.lists(ANY_AGENT, max_size=3), st.just("-n"), COUNT, FORMATS),
    "score": line(st.just("score"), ANY_AGENT, option("--against", ANY_AGENT), FORMATS),
    "show": line(st.just("show"), BOARD, option("--agents", st.lists(ANY_AGENT, max_size=3).map(",".join)), FORMATS),
    "show of a game": line(
        st.just("show"), LINE, option("--game", GAME),
        option("--agents", st.lists(ANY_AGENT, max_size=2).map(",".join)), FORMATS,
    ),
    "play": line(
        st.just("play"), option("--game", GAME), option("--position", LINE | BOARD),
        option("--hints-by", ANY_AGENT), option("--seat", st.sampled_from("xo")), st.lists(ANY_AGENT, max_size=1),
    ),
    "best-response": line(st.just("best-response"), ANY_AGENT, option("--seat", SMALL), FORMATS),
    "anything": st.lists(WILD | st.sampled_from(["match", "show", "--format", "-o", "agents"]), max_size=5),
}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def in_an_empty_folder(tmp_path_factory):
    """`-o` and a policy file may be named by chance."""
    before = Path.cwd()
    os.chdir(tmp_path_factory.mktemp("fuzz"))
    yield
    os.chdir(before)


@pytest.mark.slow
@pytest.mark.parametrize("command", LINES)
@settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_every_line_is_done_or_refused(command, data):
    arguments = data.draw(LINES[command])
    ran = run(*arguments)
    assert ran.code in (0, 1, 2, 130)
    assert "Traceback" not in ran.err
    assert "internal error" not in ran.err, (arguments, ran.err)
    if ran.code not in (0, 130):
        assert ran.err.strip()
