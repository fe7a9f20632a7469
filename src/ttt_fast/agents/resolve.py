"""What an agent is in a game, found out once: its policy over a table, its policy in single states, and its player."""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ttt_fast.agents.catalogue import AGENTS
from ttt_fast.agents.external import FunctionPlayer, from_object, is_agent, no_agent
from ttt_fast.agents.registry import agent_of, epsilon_of, objective_of, unknown_agent
from ttt_fast.agents.simple_players import PolicyPlayer
from ttt_fast.agents.spec import BEST_RESPONSE, PYTHON, AgentSpec, parse_agent
from ttt_fast.agents.tabulate import by_player, joined, restricted, tabulate, tabulated
from ttt_fast.core import wings
from ttt_fast.core.archive import open_archive
from ttt_fast.core.cache import file_stamp
from ttt_fast.core.checks import shown
from ttt_fast.core.errors import OTHER_PROGRAMS, AgentError, FileFormatError, PolicyError, TableSizeError
from ttt_fast.core.external import load_object, object_name
from ttt_fast.core.manifest import JsonObject, available_cores
from ttt_fast.games.game import Game
from ttt_fast.games.results import Seat
from ttt_fast.policies.best_response import best_response_policy
from ttt_fast.policies.files import POLICY_SUFFIXES, load_policy
from ttt_fast.policies.files.npz import POLICY_KIND, Q_TABLE_KIND, is_policy, read_policy
from ttt_fast.policies.policy import Policy
from ttt_fast.policies.weights import mixture
from ttt_fast.running.executors import run_chunks
from ttt_fast.running.interrupts import check_interrupt
from ttt_fast.search.player import Player
from ttt_fast.tables import StateTable, find_table, table_hint, table_of
from ttt_fast.tables.block import Block

_LEARNED_SUFFIX = ".npz"
_PER_QUERY = 1 << 14
"""States of one query, so that several threads share a block."""


class Chooser(Protocol):
    """An object that plays; an optional method `begin(seed)` is called before each game.

    Threads call it one after another, unless it has an attribute `thread_safe = True`.
    """

    def choose(self, state: Any) -> Any:
        """Return an action, or a probability for each action, in an ongoing state."""


class Evaluator(Protocol):
    """An object that evaluates the actions of many states at once, such as a network."""

    def action_values(self, observations: NDArray[np.float32]) -> NDArray[np.floating]:
        """Return (B, A) numbers for the observations of B states, (B, planes, rows, columns) float32."""


AgentLike = AgentSpec | Policy | str | os.PathLike[str] | Callable[[Any], Any] | Chooser | Evaluator | NDArray[Any]
"""An agent's text or spec, a policy, an array, a function of a state, or an object with `choose` or `action_values`."""
PolicyIn = Callable[[Block], Policy]
"""A function that returns a policy over some states."""


@dataclass(frozen=True, kw_only=True)
class Resolved:
    """An agent in a game.

    Attributes
    ----------
    spec, game
        The agent and the game.
    over
        Returns the policy over the table of the game; raises AgentError if it has none.
    new_player
        Returns a new player, for one thread; None for the player of the policy.
    local
        Returns the policy in the states of a block.  None if the moves in a state depend on other states, too.
    is_tabular
        Whether games between such agents are simulated on the table of the game.
    shares_threads
        Whether several threads may call `local` at once.
    is_text
        Whether the text alone determines the agent, so that tables made with it can be kept on disk.
    """

    spec: AgentSpec
    game: Game
    over: Callable[[StateTable | Game], Policy]
    new_player: Callable[[], Player] | None = None
    local: PolicyIn | None = None
    is_tabular: bool = True
    shares_threads: bool = True
    is_text: bool = True

    def player(self) -> Player:
        """Return a new player, for one thread."""
        if self.new_player is not None:
            return self.new_player()
        try:
            return PolicyPlayer(self.over(self.game))
        except TableSizeError:
            spec, game = self.spec, self.game
            others = [name for name in ("solver", "alphabeta", "mcts") if AGENTS[name].fits(game)]
            named = f", such as {', '.join(others)}," if others else ","
            is_foreign = spec.origin == "file" and not spec.name.lower().endswith(_LEARNED_SUFFIX)
            hint = OTHER_PROGRAMS if is_foreign else table_hint(game)
            wanted = f"an agent that plays {game.spec} without a state table{named}"
            raise AgentError(f"expected {wanted} got {spec.text!r}{hint}") from None

    @cached_property
    def whole(self) -> Policy:
        """The policy over the table of the game.

        Raises
        ------
        AgentError
            If the game has no table, or the agent no policy.
        """
        try:
            return self.over(self.game)
        except TableSizeError:
            wanted = (
                f"an agent whose moves in {self.game.spec} depend on the position alone, since it has no state table"
            )
            raise AgentError(f"expected {wanted}, got {self.spec.text!r}") from None

    def check_seat(self, seat: int) -> None:
        """Warn (`UnlearnedSeatWarning`) if a policy over the whole table has no state of a seat."""
        if self.local is None:
            self.whole.for_seat(seat)

    def policy_in(self, block: Block) -> Policy:
        """Return the policy in the states of a block, all of one ply."""
        return restricted(self.whole, block) if self.local is None else self.local(block)

    def ask(self, block: Block, states: NDArray[np.intp]) -> list[tuple[NDArray[np.intp], Policy]]:
        """Return the policy in some states of a block, in pieces that several threads may share."""
        pieces = [states[first : first + _PER_QUERY] for first in range(0, states.size, _PER_QUERY)]
        threads = min(available_cores(), len(pieces)) if self.shares_threads else 1
        policies = run_chunks(lambda piece: self.policy_in(block.part(pieces[piece])), 0, len(pieces), max(threads, 1))
        return list(zip(pieces, policies, strict=True))


def as_spec(agent: AgentLike) -> AgentSpec:
    """Return the spec of an agent: parsed from its text, or holding the object.

    Raises
    ------
    AgentError
        If a text is malformed.
    PolicyError
        If the object is not an agent.

    Examples
    --------
    >>> as_spec("minimax").origin, as_spec(min).text
    ('built in', 'python:given:min')
    """
    if isinstance(agent, AgentSpec):
        return agent
    if isinstance(agent, str | os.PathLike):
        return parse_agent(os.fspath(agent))
    if not is_agent(agent):
        raise PolicyError(no_agent(agent))
    name = agent.name if isinstance(agent, Policy) else object_name(agent)
    return AgentSpec(f"{PYTHON}:given:{name}", name, "object", value=agent)


def named_spec(agent: AgentLike, name: str | None = None) -> AgentSpec:
    """Return the spec of an agent; an object has its own name, or the given one."""
    spec = as_spec(agent)
    return spec if spec.value is None or isinstance(agent, AgentSpec) else replace(spec, text=name or spec.name)


def game_of(place: StateTable | Game) -> Game:
    """Return the game of a table, or a game unchanged."""
    return place.game if isinstance(place, StateTable) else place


def resolve(spec: AgentSpec, game: Game) -> Resolved:
    """Return what an agent is in a game; a spec is resolved once for each game, and its object is loaded once.

    Raises
    ------
    AgentError
        If an object is no agent of the game.
    PolicyError
        If an array is no policy.
    UsageError
        If `python:MODULE:NAME` cannot be loaded.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> found = resolve(as_spec("alphabeta:depth=2"), parse_game("connect4"))
    >>> found.is_tabular, found.player().name
    (False, 'alphabeta:depth=2')
    """
    found: Resolved | None = spec.resolved.get(game)
    if found is None:
        found = spec.resolved[game] = _resolved(spec, game)
    return found


def _resolved(spec: AgentSpec, game: Game) -> Resolved:
    if spec.origin in ("object", "external"):
        return _of_object(spec, game)
    if spec.children:
        return Resolved(spec=spec, game=game, over=partial(_composite, spec))
    if spec.origin == "file":
        return _of_file(spec, game)
    if spec.name not in AGENTS:
        raise unknown_agent(spec, game)
    family, values = agent_of(spec, game)
    make = family.policy or family.fill

    def over(place: StateTable | Game) -> Policy:
        if make is None:
            wanted = f"an agent with a policy over the states of {game.spec}"
            raise AgentError(f"expected {wanted}, got {spec.text!r}, a searching agent; use it in `match`")
        return make(table_of(place), spec.text, **values)

    def player() -> Player:
        if family.player is None or (family.policy is not None and find_table(game) is not None):
            return PolicyPlayer(over(game))
        return family.player(spec.text, game, **values)

    found = Resolved(
        spec=spec,
        game=game,
        over=over,
        new_player=None if family.player is None else player,
        is_tabular=family.policy is not None,
    )
    if make is not None and family.local is not None and family.local(**values):
        return replace(found, local=lambda block: make(block, spec.text, **values))
    if family.player is not None and not found.is_tabular:
        return replace(found, local=by_player(player, spec.text), shares_threads=False)
    return found


def _of_object(spec: AgentSpec, game: Game) -> Resolved:
    """Return what an object is; the object is loaded if the spec contains only its name."""
    if spec.is_signature:
        raise AgentError(f"expected the policy object {spec.text!r}, which was created in Python, got only the name")
    value = load_object(f"{PYTHON}:{spec.argument}") if spec.value is None else spec.value
    if isinstance(spec.value, Policy) and value.table.game != game:
        raise PolicyError(f"expected a policy for {game.spec}, got {value.name!r} for {value.table.game.spec}")
    found = from_object(value, spec.text, game)
    if isinstance(found, Policy):
        return Resolved(spec=spec, game=game, over=lambda place: found, is_text=False)
    if not isinstance(found, FunctionPlayer):
        return Resolved(
            spec=spec,
            game=game,
            over=lambda place: found(table_of(place)),
            local=found,
            is_tabular=False,
            shares_threads=False,
            is_text=False,
        )
    first, shares = [found], found.thread_safe

    def over(place: StateTable | Game) -> Policy:
        return tabulate(table_of(place), found.name, found.answer, found.begin)

    def player() -> Player:
        made = first.pop() if first else from_object(value, spec.text, game)
        assert isinstance(made, FunctionPlayer)
        return made

    return Resolved(
        spec=spec,
        game=game,
        over=over,
        new_player=player,
        local=partial(tabulated, spec.text, found.answer),
        is_tabular=False,
        shares_threads=shares,
        is_text=False,
    )


def _composite(spec: AgentSpec, place: StateTable | Game) -> Policy:
    """Return the policy of a composite agent over a table."""
    game = game_of(place)
    if spec.name == BEST_RESPONSE:
        objective = objective_of(spec)
        return best_response_policy(resolve(spec.children[0], game).over(place), objective, spec.text)
    return _mixture([resolve(child, game).over(place) for child in spec.children], spec)


def _mixture(policies: Sequence[Policy], spec: AgentSpec) -> Policy:
    parts = list(zip(spec.shares, policies, strict=True))
    table = policies[0].table
    weights = mixture(table, [(share, policy.edge_weights) for share, policy in parts])
    held = np.logical_and.reduce([policy.held for share, policy in parts if share])
    if weights is not None:
        return Policy.from_weights(table, weights, spec.text, held=held)
    mixed = sum(float(share) * policy.edge_probabilities for share, policy in parts)
    return Policy.from_probabilities(table, mixed, spec.text, held=held)


def _of_file(spec: AgentSpec, game: Game) -> Resolved:
    """Return what a file is: a policy over a table, or learned values that play.

    A policy of this package over a table at hand is read at once, so that the file is opened once.
    """
    kept: tuple[tuple[int, ...], Policy] | None = None

    def over(place: StateTable | Game) -> Policy:
        path = spec.text if spec.options else spec.name
        if kept is not None and kept[1].table is table_of(place) and kept[0] == file_stamp(path):
            return kept[1]
        if os.path.splitext(path)[1].lower() not in POLICY_SUFFIXES and not os.path.isfile(path):
            raise unknown_agent(spec, game)
        try:
            return load_policy(path, table_of(place)).renamed(spec.text)
        except TableSizeError:
            if (made := meta.get("game", game.spec)) != game.spec:
                raise PolicyError(f"expected a policy for {game.spec}, got {spec.text!r} for {shown(made)}") from None
            raise

    meta: JsonObject = {"kind": POLICY_KIND}
    if spec.name.lower().endswith(_LEARNED_SUFFIX):
        meta = {}
        with suppress(FileFormatError):  # which `over` raises
            stamp = file_stamp(spec.name)
            with open_archive(spec.name, (POLICY_KIND, Q_TABLE_KIND, *wings.VALUES)) as archive:
                meta = archive.meta
                if is_policy(meta) and not spec.options and (table := find_table(game)) is not None:
                    kept = stamp, read_policy(archive, table).renamed(spec.text)
    if is_policy(meta) or (not os.path.exists(spec.name) and find_table(game) is not None):
        return Resolved(spec=spec, game=game, over=over)
    from ttt_fast.agents.learned import LearnedPlayer, load_player
    from ttt_fast.values.files import class_in

    def player() -> LearnedPlayer:
        return load_player(spec.text, spec.name, game, epsilon_of(spec))

    @lru_cache(maxsize=1)
    def in_block(stamp: tuple[int, ...]) -> PolicyIn:  # the file is read at the first call, and if it has changed
        found, epsilon = player(), epsilon_of(spec)
        learned = found.learned
        if learned.values.has_policies:
            return lambda block: learned.values.policy_in(block, spec.text, learned.tie, epsilon)
        if epsilon:
            raise AgentError(f"expected a file without eps for an exact result in {game.spec}, got {spec.text!r}")
        return by_player(lambda: found, spec.text)

    kind = class_in(meta)
    return Resolved(
        spec=spec,
        game=game,
        over=over,
        new_player=player,
        local=lambda block: in_block(file_stamp(spec.name))(block),
        is_tabular=False,
        shares_threads=kind is not None and kind.has_policies,
    )


def policy_on(agent: AgentLike, table: StateTable, *, only_reached: bool = False) -> Policy:
    """Return the policy of an agent over the states of the free seat of a table with a fixed seat.

    Parameters
    ----------
    agent
        As for `as_policy`.
    table
        The table.
    only_reached
        Whether the agent is asked only in the states that it reaches against the fixed seat, and is uniform elsewhere.

    Raises
    ------
    AgentError
        As for `as_policy`.
    """
    assert table.fixed is not None
    source = resolve(named_spec(agent), table.game)
    free = int(Seat(table.fixed.seat).other)
    source.check_seat(free)
    parts, reached = list[tuple[NDArray[np.intp], Policy]](), np.zeros(table.num_states, np.bool_)
    reached[0] = True
    for ply in range(table.num_plies + 1):
        here = slice(*table.ply_start[ply : ply + 2].tolist())
        asked = reached[here] if only_reached else table.decision_mask[here]
        found = source.ask(table, here.start + np.flatnonzero(asked & (table.player[here] == free)))
        parts += found
        if only_reached:
            others = here.start + np.flatnonzero(asked & (table.player[here] != free))
            played = [table.edges_of(states)[policy.support] for states, policy in found]
            for edges in (*played, table.edges_of(others)):
                reached[table.edge_child[edges]] = True
        check_interrupt()
    return joined(table, source.spec.text, parts)
