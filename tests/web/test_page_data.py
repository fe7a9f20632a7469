"""The content of the page: what a browser unpacks is the table, the solution and the policies; and what is refused."""

import json
import re
import shutil
import sys
from base64 import b64decode

import numpy as np
import pytest

from cli_runner import assert_one_line, run
from ttt_fast import (
    AgentError,
    TableSizeError,
    UsageError,
    as_player,
    as_policy,
    parse_game,
    solution_of,
    symmetry_of,
    table_of,
)
from ttt_fast.analysis.agents import AgentAnalysis
from ttt_fast.values.files import load
from ttt_fast.web import render
from ttt_fast.web.page_data import FULL_CHANCE, labels, page_data
from ttt_fast.web.render import MAX_PAGE_BYTES, page_html, script_json

SMALL = "connect4:columns=3,rows=3,length=3"
SIZED = "connect4:columns=4,rows=4"
"""A game with a table, but of more states than a page has."""
LARGE = "openspiel:breakthrough(rows=4,columns=3)"
DATA = re.compile(rb'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


def numbers(text: str, kind: str) -> np.ndarray:
    return np.frombuffer(b64decode(text), kind)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    path = tmp_path_factory.mktemp("runs") / "q.npz"
    assert run("train", "--episodes", "20k", "-o", path).code == 0
    return str(path)


@pytest.mark.parametrize("game", ["tic-tac-toe", SMALL])
def test_the_arrays_are_those_of_the_table(game):
    table, data = table_of(game), page_data(game, ["random"])
    solution = solution_of(table)
    assert (numbers(data["counts"], "<u1") == np.diff(table.edge_start)).all()
    assert (numbers(data["actions"], "<u1") == table.edge_action).all()
    assert (numbers(data["children"], "<u2") == table.edge_child).all()
    assert (numbers(data["status"], "<u1") == table.status).all()
    assert (numbers(data["player"], "<u1") == table.player).all()
    assert (numbers(data["ply"], "<u1") == table.ply).all()
    assert (numbers(data["value"], "<i1") == solution.value).all()
    assert (numbers(data["distance"], "<u1") == solution.distance).all()
    assert (numbers(data["representative"], "<u2") == symmetry_of(table).representative).all()
    assert data["boards"] == [table.board(state) for state in range(table.num_states)]
    assert len(set(data["boards"])) == table.num_states
    assert (data["rules"] is None) == (game != "tic-tac-toe")


def test_only_files_are_named_without_their_folder():
    composite = "mix:1/2*minimax+1/2*runs/q.npz"
    told = labels([composite, "best-response:runs/q.npz", "runs/q.npz", "minimax:tie=first"])
    assert told == [(composite, composite), ("best-response:runs/q.npz", "best-response:runs/q.npz"),
                    ("runs/q.npz", "q.npz"), ("minimax:tie=first", "minimax:tie=first")]  # fmt: skip


@pytest.mark.parametrize("spec", ["minimax", "heuribot", "default:skill=0.01", "mix:0.99999*minimax+0.00001*random"])
def test_chances_are_those_of_the_policy_and_never_vanish(spec):
    agent, policy = page_data("tic-tac-toe", [spec])["agents"][0], as_policy(spec)
    chances = numbers(agent["chances"], "<u2")
    assert ((chances > 0) == policy.support).all()
    assert abs(chances / FULL_CHANCE - policy.edge_probabilities).max() <= 1 / FULL_CHANCE
    assert agent["values"] is None and agent["held"] is None


def test_a_learned_file_has_its_values_and_the_states_that_it_holds(trained):
    agent, policy = page_data("tic-tac-toe", [trained])["agents"][0], as_policy(trained)
    learned, table = load(trained).values, policy.table
    assert agent["name"] == "q.npz"
    assert (numbers(agent["held"], "<u1") == policy.held).all()
    values, known = numbers(agent["values"], "<i2"), policy.held[table.edge_state]
    assert (values[~known] == -32768).all()
    assert abs(values[known] * agent["unit"] - learned.q[known]).max() <= agent["unit"]


def test_the_values_of_a_page_are_those_of_the_policy_whatever_its_name_and_file(trained, tmp_path):
    table, path = table_of("tic-tac-toe"), tmp_path / "q.npz"
    copied = shutil.copy(trained, path)
    policy = as_policy(str(copied))
    views = [AgentAnalysis(as_player(one)).over(table) for one in (policy, policy.renamed("mine"))]
    assert run("train", "--episodes", "1k", "--seed", "5", "-o", path, "--force").code == 0
    views.append(AgentAnalysis(as_player(policy)).over(table))
    assert np.isfinite(views[0].values).sum() > 1000
    assert all(np.array_equal(view.values, views[0].values, equal_nan=True) for view in views)
    assert np.isnan(AgentAnalysis(as_player(as_policy("random", name=str(path)))).over(table).values).all()


def test_a_player_that_thinks_is_asked_about_every_state():
    data = page_data(SMALL, ["alphabeta:depth=9"])
    agent, table = data["agents"][0], table_of(SMALL)
    chances = numbers(agent["chances"], "<u2")
    assert (table.row_sums(chances == FULL_CHANCE)[table.decision_mask] == 1).all()
    assert solution_of(table).optimal[chances > 0].all()  # it looks to the end
    player = as_player("alphabeta:depth=9", parse_game(SMALL))
    player.begin(np.uint64(0))
    values = numbers(agent["values"], "<i2")
    shown = dict(zip(table.edge_action[:3].tolist(), (values[:3] * agent["unit"]).tolist(), strict=True))
    assert shown == pytest.approx(player.action_values(table.state(0)), abs=agent["unit"])


def test_a_page_is_one_small_file_that_is_the_same_each_time():
    agents = ["minimax", "heuribot", "default", "random", "buggy2", "best-response:random"]
    page = page_html("tic-tac-toe", agents)
    assert len(page) < MAX_PAGE_BYTES
    assert page == page_html("tic-tac-toe", agents)
    assert [one["name"] for one in json.loads(DATA.search(page)[1])["agents"]] == agents
    assert re.findall(rb'(?:src|href)="(?!#|data:)', page) == []


def test_every_script_and_the_style_are_named_by_the_policy_of_the_page():
    page = page_html(SMALL, ["random"]).decode()
    policy = re.search(r'Content-Security-Policy" content="(.*?)"', page)[1]
    assert policy.startswith("default-src 'none';") and "unsafe" not in policy and "http" not in policy
    parts = re.findall(r'<(style|script)((?: type="[a-z]+")?)>(.*?)</\1>', page, re.DOTALL)
    assert [kind for _, kind, _ in parts] == ["", ' type="importmap"', ' type="module"']
    assert all(render._hash_source(text) in policy for _, _, text in parts)


def test_no_text_in_the_data_ends_the_script():
    hostile = '</script><script>alert("1")</script><!--'
    assert "<" not in script_json({"name": hostile})
    assert json.loads(script_json({"name": hostile})) == {"name": hostile}


def test_a_game_too_large_and_agents_that_are_none_are_refused():
    with pytest.raises(TableSizeError, match="10,000"):
        page_data("connect4:columns=4,rows=4,length=3", ["random"])
    with pytest.raises(AgentError, match="'minimax'"):
        page_data("tic-tac-toe", ["minimax", "random", "minimax"])
    with pytest.raises(AgentError, match="one or more"):
        page_data("tic-tac-toe", [])


def test_a_page_that_would_be_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(render, "MAX_PAGE_BYTES", 1000)
    with pytest.raises(UsageError, match=r"at most 1,000 bytes, got .*: use fewer than 1 agents"):
        page_html(SMALL, ["random"])


def test_commands_write_their_pages(tmp_path, trained):
    made = run("page", "-o", tmp_path / "page.html", "--agents", f"minimax:tie=first,prefer=fast,{trained}")
    assert (made.code, made.out) == (0, b"") and "open it in a browser" in made.err
    content = json.loads(DATA.search((tmp_path / "page.html").read_bytes())[1])
    assert [one["name"] for one in content["agents"]] == ["minimax:tie=first,prefer=fast", "q.npz"]
    assert run("page", "--game", SMALL, "-o", tmp_path / "small.html").code == 0
    usual = json.loads(DATA.search((tmp_path / "small.html").read_bytes())[1])["agents"]
    assert [one["name"] for one in usual] == ["minimax", "default", "random"]
    assert run("page", trained, "-o", tmp_path / "report.html").code == 0
    assert b"q.npz: report" in (tmp_path / "report.html").read_bytes()


REFUSED = {
    "no page": (["page", "-o", "page.txt"], ".html", "'page.txt'"),
    "a policy and agents": (["page", "random", "--agents", "random"], "expected a policy or --agents"),
    "connect4": (["page", "--game", "connect4"], "10,000 states", "; try ttt-fast play --browser --game connect4"),
    "a large table": (["page", "--game", SIZED, "--agents", "minimax"], f"try ttt-fast play --browser --game {SIZED}"),
    "a game to quote": (["page", "--game", LARGE], f"; try ttt-fast play --browser --game '{LARGE}'"),
    "an agent": (["page", "--agents", "mimimax"], "'mimimax'"),
    "a search as a policy": (["page", "mcts"], "'mcts'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_mistakes_are_one_line(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments, *words = REFUSED[name]
    assert_one_line(run(*arguments), 2, *words)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", [["page"], ["page", "random"]])
def test_without_the_extra_one_line_says_how_to_get_it(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert_one_line(run(*command), 2, "install 'ttt-fast[web]'")
