"""Agents that a user registers under a name."""

import pytest

from cli_runner import run
from ttt_fast import AgentError, Policy, as_player, exact_outcome, induced_table, list_agents, parse_game
from ttt_fast.agents import catalogue
from ttt_fast.agents.api import Agent, SearchResult, WrappedPlayer, add_agent
from ttt_fast.core.specs import Option, probability
from ttt_fast.games import api
from ttt_fast.tables import store
from ttt_fast.terminal.hints import player_hints
from ttt_fast.web.server.pool import Pool
from ttt_fast.web.server.requests import PositionRequest
from ttt_fast.web.server.responses import agent_response


@pytest.fixture(autouse=True)
def _forgotten(monkeypatch):
    monkeypatch.setattr(catalogue, "_SEARCHES", dict(catalogue._SEARCHES))
    yield
    catalogue._search.cache_clear()


def test_a_registered_policy_is_exact_and_listed():
    add_agent("chance", Agent("draws a legal action", policy=lambda table, name: Policy.uniform(table, name)))
    assert exact_outcome("chance", "heuribot").o_wins == exact_outcome("random", "heuribot").o_wins
    assert "chance" in [row["agent"] for row in list_agents()]


def test_tables_with_a_registered_agent_are_not_kept(monkeypatch, tmp_path):
    """Another process may register another agent under its name."""
    monkeypatch.setattr(store, "folder", lambda: tmp_path)
    monkeypatch.setattr("ttt_fast.analysis.induced.KEPT_POSITIONS", 0)
    add_agent("chance", Agent("draws a legal action", policy=lambda table, name: Policy.uniform(table, name)))
    for agent in ("chance", "mix:0.5*chance+0.5*minimax"):
        assert induced_table(agent, "x").outcome("random").fractions.x_wins > 0
    assert [one.table for one in store.tables_on_disk() if "chance" in one.table] == []


def test_a_registered_player_takes_options():
    class Sure(WrappedPlayer):
        def __init__(self, player, share):
            super().__init__(player)
            self.share = share

        def search(self, state):
            return SearchResult(api.legal_actions(state)[0], float(self.share), 1)

    option = Option("1/2", "0..1", probability, "its value of each position")

    def build(name, game, share):
        return Sure(as_player("random", game), share)

    add_agent("sure", Agent("is sure", {"share": option}, player=build))
    assert as_player("sure:share=0.25", "connect4").search(parse_game("connect4").initial_state) == (0, 0.25, 1)
    with pytest.raises(AgentError, match=r"share"):
        as_player("sure:share=2", "connect4")


@pytest.mark.parametrize(
    "name", ["", "a b", "1st", "mine:x", "x.npz", 3, "random", "mcts", "mix", "best-response", "python"]
)
def test_names_that_cannot_be_or_are_taken_are_refused(name):
    with pytest.raises(AgentError, match="expected "):
        add_agent(name, Agent("no"))


def test_the_marked_move_and_the_numbers_are_of_one_search():
    """As under a time limit, each search of this player prefers another move."""

    class Restless(WrappedPlayer):
        name, searches = "restless", 0

        def __init__(self, name, game):
            self.player = as_player("random", game)
            made.append(self)

        def search(self, state):
            self.searches += 1
            return SearchResult(api.legal_actions(state)[self.searches % 7], 1.0, 1)

        def visit_counts(self):
            return dict.fromkeys(range(7), 1) | {self.searches % 7: 9}

        def visit_values(self):
            return dict.fromkeys(range(7), 0.0) | {self.searches % 7: 1.0}

        def action_values(self, state):
            self.search(state)
            return self.visit_values()

    made = []
    add_agent("restless", Agent("prefers another move each time", player=Restless))
    game = parse_game("connect4")
    rows = run("show", "", "--game", "connect4", "--agents", "restless", "--format", "json").json()["rows"]
    assert [row["action"] for row in rows if row["restless"] == 1] == [1]
    assert [row["action"] for row in rows if row["restless value"] == 1] == [1]
    answer = agent_response(game, PositionRequest("connect4", agent="restless"), Pool())
    assert answer["plays"] == 1 and answer["moves"][1] == {"action": 1, "chance": 1.0, "value": 1.0, "visits": 9}
    notes, line = player_hints(as_player("restless", game), game, game.initial_state)
    assert notes[1] == "+1" and "would play 2" in line
    assert [one.searches for one in made] == [1, 1, 1]


def test_a_limited_search_has_the_value_of_its_own_move_alone():
    rows = run("show", "44", "--game", "connect4", "--agents", "alphabeta:nodes=200", "--format", "json").json()["rows"]
    name = "alphabeta:nodes=200"
    assert [row[f"{name} value"] is not None for row in rows] == [row[name] == 1 for row in rows]
