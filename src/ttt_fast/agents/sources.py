"""Sources: agents as functions from the states of a fragment to a policy, for tables that their own play induces."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast.agents.making import AgentLike, as_spec, is_learned_file, loaded_object, player_of, policy_of
from ttt_fast.agents.proven import ProvenPlayer, policy_over
from ttt_fast.agents.registry import agent_of, epsilon_of
from ttt_fast.agents.spec import AgentSpec
from ttt_fast.agents.tabulate import Answer, answers_in
from ttt_fast.core.errors import AgentError, AnswerError, PolicyError, TableSizeError
from ttt_fast.core.external import error_line, object_name
from ttt_fast.core.rng import chunk_stream
from ttt_fast.games.api import GameState
from ttt_fast.games.game import Game
from ttt_fast.policies.arrays import policy_from_array
from ttt_fast.policies.fragments import edges_of, restricted_policy
from ttt_fast.policies.policy import Policy
from ttt_fast.search.player import Player, checked
from ttt_fast.tables import StateTable, table_of
from ttt_fast.tables.fragment import fragment_of
from ttt_fast.values.files import shared_learned
from ttt_fast.values.ntuples import NTupleValues


@dataclass(frozen=True)
class Source:
    """An agent as a function from the states of a fragment to a policy.

    Attributes
    ----------
    name
        The text of the agent.
    policy
        Returns its policy over the states of a fragment.
    shares_threads
        Whether several threads may call `policy` at once.
    is_text
        Whether the text alone determines the agent, so that its tables can be kept on disk.
    whole
        Its policy over the whole table; None without one.
    """

    name: str
    policy: Callable[[StateTable], Policy]
    shares_threads: bool = False
    is_text: bool = True
    whole: Policy | None = None

    def check_seat(self, seat: int) -> None:
        """Warn (`UnlearnedSeatWarning`) if a policy over the whole table has no state of a seat."""
        if self.whole is not None:
            self.whole.for_seat(seat)


def source_of(agent: AgentLike, game: Game) -> Source:
    """Return the source of an agent.

    Parameters
    ----------
    agent
        As for `as_policy`.  An object with a method `action_values` receives the observations of many states at once,
        (B, planes, rows, columns) float32, and returns (B, A) numbers; the legal action of the highest is played.
    game
        The game.

    Raises
    ------
    AgentError
        If a text names no agent of this game, or one whose moves depend on the whole table of a game without one.
    PolicyError
        If an object is not an agent.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> game = parse_game("connect4")
    >>> start = fragment_of(game, np.array([4432676798593], np.uint64))
    >>> source_of("alphabeta:depth=2", game).policy(start)
    <Policy alphabeta:depth=2 of connect4: weights, holds 1 of 1 states>
    """
    if isinstance(agent, Policy):
        return _restricted(agent, agent.name)
    values_of = getattr(agent, "action_values", None)
    if callable(values_of) and not isinstance(agent, AgentSpec | str | os.PathLike):
        return _batched(agent, values_of)
    spec = as_spec(agent)
    if spec.origin in ("object", "external"):
        return _external(spec, game)
    if spec.children or (spec.origin == "file" and not is_learned_file(spec)):
        return _whole(spec, game)
    if spec.origin == "file":
        return _learned(spec, game)
    family, values = agent_of(spec, game)
    make = family.policy or family.fill
    if make is not None and family.local is not None and family.local(**values):
        return Source(spec.text, lambda fragment: make(fragment, spec.text, **values), shares_threads=True)
    if family.player is not None and family.policy is None:
        return _of_player(player_of(spec, game), spec.text)
    return _whole(spec, game)


def _restricted(policy: Policy, name: str, is_text: bool = False) -> Source:
    """Return the source of a policy over the whole table."""
    return Source(name, lambda fragment: restricted_policy(policy, fragment), True, is_text, whole=policy)


def policy_on(agent: AgentLike, table: StateTable) -> Policy:
    """Return the policy of an agent over a fragment, or over the states of the free seat of an induced table.

    Raises
    ------
    AgentError
        As for `source_of`.
    """
    assert table.fixed is not None
    source = source_of(agent, table.game)
    free = (table.player != 0) & (table.player != table.fixed.seat)
    parts = []
    if table.fixed.seat == 0:
        return source.policy(table)
    source.check_seat(3 - table.fixed.seat)
    for ply in range(table.num_plies):
        states = table.ply_start[ply] + np.flatnonzero(free[slice(*table.ply_start[ply : ply + 2])])
        if states.size:
            parts.append((states, source.policy(fragment_of(table.game, table.key[states]))))
    exact = all(policy.is_exact for _, policy in parts)
    weights: NDArray[Any] = np.ones(table.num_edges, np.int64 if exact else np.float64)
    for states, policy in parts:
        of_edges: Any = policy.edge_weights if exact else policy.edge_probabilities
        weights[edges_of(table, states)] = of_edges
    if exact:
        return Policy.from_weights(table, weights, source.name, held=free)
    sums = table.to_edges(table.row_sums(weights))
    return Policy.from_probabilities(table, weights / sums, source.name, held=free)


def _whole(spec: AgentSpec, game: Game) -> Source:
    """Return the source of an agent whose policy depends on the whole table."""
    try:
        return _restricted(policy_of(spec, table_of(game)), spec.text, is_text=True)
    except TableSizeError:
        wanted = f"an agent whose moves in {game.spec} depend on the position alone, since it has no state table"
        raise AgentError(f"expected {wanted}, got {spec.text!r}") from None


def _external(spec: AgentSpec, game: Game) -> Source:
    """Return the source of an object."""
    found = loaded_object(spec, game)
    if isinstance(found, Policy):
        return _restricted(found, spec.text)
    return Source(spec.text, partial(_tabulated, spec.text, found.answer), found.thread_safe, is_text=False)


def _of_player(player: Player, name: str) -> Source:
    """Return the source of a searching player, which is asked for its move in each state."""
    player.begin(chunk_stream(0))

    def choose(state: GameState) -> int:
        return checked(player.search(state), player, state).action

    return Source(name, partial(_tabulated, name, choose))


def _tabulated(name: str, choose: Callable[[GameState], Answer], fragment: StateTable) -> Policy:
    """Return the policy of a function of a state over a fragment."""
    states = np.arange(fragment.num_states, dtype=np.int32)
    answers = answers_in(states, choose, fragment, name)
    try:
        return policy_from_array(answers, fragment, states, name)
    except PolicyError as error:
        raise AnswerError(str(error)) from error


def _batched(agent: object, values_of: Callable[[NDArray[np.float32]], NDArray[np.float64]]) -> Source:
    """Return the source of an object that evaluates the actions of many states at once."""
    name = object_name(agent)

    def policy(fragment: StateTable) -> Policy:
        states = np.arange(fragment.num_states, dtype=np.int32)
        try:
            values = np.asarray(values_of(fragment.observe(states)))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise AnswerError(f"policy {name!r}: action_values failed: {error_line(error)}") from error
        return policy_from_array(values, fragment, states, name, scores=True)

    return Source(name, policy, is_text=False)


def _learned(spec: AgentSpec, game: Game) -> Source:
    """Return the source of a file of learned values."""
    player, epsilon = player_of(spec, game), epsilon_of(spec)
    if isinstance(player, ProvenPlayer):
        return Source(spec.text, partial(policy_over, player.loaded, name=spec.text), shares_threads=True)
    learned = shared_learned(spec.name)
    values, tie = learned.values, learned.tie
    if not isinstance(values, NTupleValues):
        if epsilon:
            raise AgentError(f"expected a file without eps for an exact result in {game.spec}, got {spec.text!r}")
        return _of_player(player, spec.text)

    def policy(fragment: StateTable) -> Policy:
        if tie == "random" or epsilon:
            edges = values.edge_values(fragment)
            tied = "uniform" if tie == "random" else tie
            return Policy.from_values(fragment, edges, spec.text, tie=tied, epsilon=epsilon)
        return Policy.from_actions(fragment, values.choices(fragment.key, tie), spec.text)

    return Source(spec.text, policy, shares_threads=True)
