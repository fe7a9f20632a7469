"""All agents by name: the description and the options of each, and the functions that create it."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast.agents.simple_players import CentreFirstPlayer, DefaultPlayer, RandomPlayer, default_weights
from ttt_fast.agents.spec import COMPOSITES, PYTHON
from ttt_fast.core import wings
from ttt_fast.core.checks import shown
from ttt_fast.core.errors import AgentError
from ttt_fast.core.lazy import object_at
from ttt_fast.core.specs import Option, choice, integer, probability
from ttt_fast.games.connect_four_rule import centre_first_actions
from ttt_fast.games.game import Game
from ttt_fast.policies import heuribot, scripted
from ttt_fast.policies.policy import Policy
from ttt_fast.policies.weights import TIE_NAMES
from ttt_fast.search.player import Player
from ttt_fast.tables import StateTable
from ttt_fast.tables.state_table import is_ordinary


@dataclass(frozen=True)
class Agent:
    """A named family of agents.

    What an agent gives depends on how it finds its moves:

    =========================================  ==========================================
    the moves of an agent                      give
    =========================================  ==========================================
    come from the table of the game            `policy`
    come from a rule for each state            `policy`, `player` and `local`
    come from a search without memory          `player`, `fill` and `local`
    depend on chance, time or earlier moves    `player`
    =========================================  ==========================================

    Attributes
    ----------
    summary
        A one-line description.
    options
        Its options by name.
    policy
        Called with a table, the agent string and the values of the options; returns a policy.  None if the agent has no
        policy.
    player
        Called with the agent string, a game and the values of the options; returns a player for one thread.  None if
        the agent plays only games in which it has a policy.
    fill
        Like `policy`, but searches every state; called only if an exact result is requested.  None if the moves of the
        player are not known in advance.
    games
        Names of the games that the agent plays; empty for all games.
    plays
        Returns whether the agent plays one of these games with its options.  None if it plays all of them.
    details
        Returns a longer description, and may read files for it; None without one.
    local
        Called with the values of the options; returns whether the policy in a state depends on this state alone.  None:
        it depends on other states.
    study
        The study whose source the agent reproduces; empty for agents of general use.
    is_built_in
        Whether the agent is part of this package, and not of `add_agent`.
    """

    summary: str
    options: Mapping[str, Option] = field(default_factory=dict)
    policy: Callable[..., Policy] | None = None
    player: Callable[..., Player] | None = None
    fill: Callable[..., Policy] | None = None
    games: tuple[str, ...] = ()
    plays: Callable[[Game], bool] | None = None
    details: Callable[[], str] | None = None
    local: Callable[..., bool] | None = None
    study: str = ""
    is_built_in: bool = True

    def fits(self, game: Game) -> bool:
        """Return whether the agent plays a game."""
        return (not self.games or game.name in self.games) and (self.plays is None or self.plays(game))


Weigh = Callable[..., NDArray[np.integer]]


def _random_seed(text: str) -> int | None:
    return None if text == "none" else integer(0, 10**18 - 1)(text)


def _random(table: StateTable, name: str, frozen: int | None) -> Policy:
    if frozen is None:
        return Policy.uniform(table, name)
    return Policy.from_weights(table, scripted.frozen_random(table, frozen), name)


def _random_player(name: str, game: Game, frozen: int | None) -> Player:
    if frozen is not None:
        raise AgentError(f"expected a game with a state table for {name!r}, got {game.spec!r}")
    return RandomPlayer(name)


def _heuribot(table: StateTable, name: str, source: heuribot.Variant) -> Policy:
    return Policy.from_actions(table, heuribot.classify_states(table, source).actions, name)


def _centre_first(table: StateTable, name: str) -> Policy:
    return Policy.from_actions(table, centre_first_actions(table.game, table.key, table.player), name)


def _weighed(weigh: Weigh) -> Callable[..., Policy]:
    """Return a function that makes a policy from weights, (E,), one for each legal action."""
    return lambda table, name, **options: Policy.from_weights(table, weigh(table, **options), name)


def _buggy(weigh: Weigh) -> Callable[..., Policy]:
    return _weighed(lambda table, source: weigh(table, as_coded=source == "coded"))


_ORDINARY: dict[str, Any] = {"games": ("tic-tac-toe",), "plays": is_ordinary}
_AS = {
    "as": Option("written", "written|coded", choice("written", "coded"), "as the document says, or as its code does")
}

_OF_TABLES: dict[str, Agent] = {
    "random": Agent(
        "draws uniformly from the legal actions",
        {
            "frozen": Option(
                "none", "SEED", _random_seed, "draw one move for each state, once, and always play it (Langan)"
            )
        },
        _random,
        _random_player,
        local=lambda frozen: frozen is None,
    ),
    "minimax": Agent(
        "keeps the minimax value; needs a state table",
        {
            "tie": Option(
                "uniform", "|".join(TIE_NAMES), choice(*TIE_NAMES),
                "which of equally good moves: any, or the first in an order of cells",
            ),
            "prefer": Option(
                "none", "none|fast", choice("none", "fast"),
                "fast: wins sooner and loses later (utility 10 - filled squares, Smirnov)",
            ),
        },
        _weighed(scripted.minimax),
    ),
    "default": Agent(
        "wins if it can, else blocks, else moves at random (Sai)",
        {
            "skill": Option(
                "1", "0..1", probability, "chance that it notices: 1 as described, 0.01 as published code does"
            )
        },
        _weighed(default_weights),
        lambda name, game, skill: DefaultPlayer(name, skill),
        local=lambda skill: True,
    ),
    "buggy": Agent(
        "minimax with a hole in the right column (Langan, figure 5)", _AS, _buggy(scripted.buggy), study="langan",
        **_ORDINARY
    ),
    "buggy2": Agent(
        "minimax that sometimes moves at random (Langan, figure 6)", _AS, _buggy(scripted.buggy2), study="langan",
        **_ORDINARY
    ),
    "centre-first": Agent(
        "wins if it can, otherwise blocks, otherwise does not enable a win on top; prefers the centre",
        policy=_centre_first,
        player=lambda name, game: CentreFirstPlayer(name),
        games=("connect4",),
        local=lambda: True,
    ),
    "heuribot": Agent(
        "follows the first of nine rules that fits; published tables are as=coded (Smirnov)",
        {
            "as": Option(
                "written", "|".join(heuribot.VARIANTS), choice(*heuribot.VARIANTS),
                "as the page says, as its code does, or as fits its first table",
            )
        },
        _heuribot,
        study="smirnov",
        **_ORDINARY,
    ),
}  # fmt: skip


def _mcts() -> Agent:
    from ttt_fast.search.mcts import player

    return Agent("Monte Carlo tree search: plain UCT by default", player.OPTIONS, player=player.build)


def _mcts_best() -> Agent:
    from ttt_fast.search.mcts import player

    return Agent("Monte Carlo tree search with all that helps", player.BEST_OPTIONS, player=player.build_best)


def _alphabeta() -> Agent:
    from ttt_fast.search.alphabeta import player

    summary = "searches by minimax with alpha-beta pruning"
    return Agent(summary, player.OPTIONS, player=player.build, fill=player.fill, local=lambda **options: True)


def _learned() -> Agent:
    from ttt_fast.agents import shipped

    summary = "searches by the learned evaluation that ships for the game"
    return Agent(summary, shipped.OPTIONS, player=shipped.build, games=shipped.GAMES, details=shipped.budgets)


def _puct() -> Agent:
    from ttt_fast.search import puct

    return Agent("searches with the network of an AlphaZero run; needs a state table", puct.OPTIONS, puct.build_policy)


def _solver() -> Agent:
    from ttt_fast.search.connect_four import player

    return Agent("plays perfectly", player.OPTIONS, player=player.SolverPlayer, games=("connect4",))


def _of_wing(name: str) -> Agent:
    agent: Agent = object_at(wings.AGENTS[name])(name)
    return agent


_SEARCHES: dict[str, Callable[[], Agent]] = {
    "mcts": _mcts,
    "mcts-best": _mcts_best,
    "alphabeta": _alphabeta,
    "learned": _learned,
    "puct": _puct,
    "solver": _solver,
    **{name: partial(_of_wing, name) for name in wings.AGENTS},
}
"""Searching agents, imported on demand, since importing all searches takes longer than an exact result; those of wings;
and those of `add_agent`."""


class Catalogue(Mapping[str, Agent]):
    """The agents by name; a search is imported when its agent is looked up."""

    def __getitem__(self, name: str) -> Agent:
        """Return the agent of a name; raises KeyError if it does not exist."""
        return _OF_TABLES[name] if name in _OF_TABLES else _search(name)

    def __contains__(self, name: object) -> bool:
        """Return whether there is an agent of this name."""
        return name in _OF_TABLES or name in _SEARCHES

    def __iter__(self) -> Iterator[str]:
        """Return the names."""
        return iter([*_OF_TABLES, *_SEARCHES])

    def __len__(self) -> int:
        """Return the number of agents."""
        return len(_OF_TABLES) + len(_SEARCHES)


@cache
def _search(name: str) -> Agent:
    return _SEARCHES[name]()


AGENTS = Catalogue()
"""The agents by name.  Composite agents (`best-response`, `mix`) and files are read by `agents.registry`."""


def add_agent(name: str, agent: Agent) -> None:
    """Register an agent under a name, in Python and for every command of this process.

    A script that registers its agents and then calls `ttt_fast.cli.main.main()` provides all commands for them.

    Parameters
    ----------
    name
        Letters, digits and hyphens, beginning with a letter.
    agent
        Its description, its options, and the functions that make its policy and its player.

    Raises
    ------
    AgentError
        If the name cannot be part of an agent's text, or is already in use.
    """
    if not (isinstance(name, str) and re.fullmatch(r"[A-Za-z][A-Za-z0-9-]*", name)):
        raise AgentError(f"expected the name of an agent as letters, digits and hyphens, got {shown(name)}")
    if name in AGENTS or name in COMPOSITES or name == PYTHON:
        raise AgentError(f"expected a name that no agent has yet, got {name!r}")
    _SEARCHES[name] = lambda: replace(agent, is_built_in=False)
