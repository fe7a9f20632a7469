"""Agents that a stranger may name: a word of the package, its options within limits, and nothing read meanwhile."""

import pytest

from ttt_fast import AgentError, parse_agent, parse_game
from ttt_fast.agents.catalogue import AGENTS
from ttt_fast.agents.registry import MOST, check_limits
from ttt_fast.core.errors import ExternalAgentError

GAMES = ("tic-tac-toe", "connect4", "ultimate")


@pytest.mark.parametrize("game", GAMES)
def test_every_agent_of_the_package_is_taken_with_its_own_defaults(game):
    played = parse_game(game)
    for name, agent in AGENTS.items():
        if agent.fits(played):
            check_limits(parse_agent(name), played)


def test_every_option_that_takes_a_file_is_found():
    """An option that parses the name of a file says so in its values, by which the check knows it."""

    def takes_a_file(option):
        try:
            return option.parse("some/file.npz") == "some/file.npz"
        except ValueError:
            return False

    found = {
        (name, key)
        for name, agent in AGENTS.items()
        for key, option in agent.options.items()
        if takes_a_file(option) and "FILE" not in option.values.split("|")
    }
    assert found == set()
    for spec, game in (
        ("mcts:leaf=a.npz", "connect4"),
        ("mcts-best:leaf=a.npz", "ultimate"),
        ("alphabeta:eval=a.npz", "ultimate"),
        ("puct:net=a.npz", "tic-tac-toe"),
    ):
        with pytest.raises(AgentError, match="no file in a request"):
            check_limits(parse_agent(spec), parse_game(game))


@pytest.mark.parametrize("name", ["mcts", "mcts-best", "alphabeta", "learned"])
def test_every_limit_holds_at_its_edge(name):
    game = parse_game("ultimate")
    for key in set(MOST) & set(AGENTS[name].options):
        check_limits(parse_agent(f"{name}:{key}={MOST[key]}"), game)
        with pytest.raises(AgentError, match="at most"):
            check_limits(parse_agent(f"{name}:{key}={MOST[key] + 1}"), game)
        with pytest.raises(AgentError, match="at most"):
            check_limits(parse_agent(f"mix:1/2*random+1/2*({name}:{key}={MOST[key] + 1})"), game)


@pytest.mark.parametrize("spec", ["python:os:getcwd", "mix:1*python:a:b", "(python:a:b)", "best-response:python:a:b"])
def test_code_of_others_is_refused(spec):
    with pytest.raises(ExternalAgentError, match="in a request"):
        check_limits(parse_agent(spec), parse_game("tic-tac-toe"))


def test_a_file_that_exists_is_refused_as_one_that_does_not(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").write_text("", encoding="utf-8")
    words = []
    for name in ("there", "never"):
        with pytest.raises(AgentError) as caught:
            check_limits(parse_agent(name), parse_game("tic-tac-toe"))
        words.append(str(caught.value).replace(name, "NAME"))
    assert words[0] == words[1]
