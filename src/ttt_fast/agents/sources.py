"""Sources: agents as functions from blocks of states to policies, for games or tables that are asked in blocks."""

import os
from collections.abc import Callable, Sequence
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
from ttt_fast.core.manifest import available_cores
from ttt_fast.core.rng import chunk_stream
from ttt_fast.games import api
from ttt_fast.games.api import GameState
from ttt_fast.games.game import Game
from ttt_fast.games.results import Seat
from ttt_fast.policies.arrays import policy_from_array
from ttt_fast.policies.policy import Form, Policy
from ttt_fast.running.executors import run_chunks
from ttt_fast.running.interrupts import check_interrupt
from ttt_fast.search.player import Player, checked
from ttt_fast.tables import StateTable, table_of
from ttt_fast.tables.block import Block
from ttt_fast.tables.state_table import NO_STATE
from ttt_fast.values.files import shared_learned
from ttt_fast.values.ntuples import NTupleValues

_PER_QUERY = 1 << 14
"""States of one query, so that several threads share a block."""


@dataclass(frozen=True)
class Source:
    """An agent as a function from the states of a block to a policy.

    Attributes
    ----------
    name
        The text of the agent.
    policy
        Returns its policy over the states of a block.
    shares_threads
        Whether several threads may call `policy` at once.
    is_text
        Whether the text alone determines the agent, so that its tables can be kept on disk.
    whole
        Its policy over the whole table; None without one.
    """

    name: str
    policy: Callable[[Block], Policy]
    shares_threads: bool = False
    is_text: bool = True
    whole: Policy | None = None

    def ask(self, block: Block, states: NDArray[np.intp]) -> list[tuple[NDArray[np.intp], Policy]]:
        """Return the policy in some states of a block, in pieces that several threads may share."""
        pieces = [states[first : first + _PER_QUERY] for first in range(0, states.size, _PER_QUERY)]
        threads = min(available_cores(), len(pieces)) if self.shares_threads else 1
        policies = run_chunks(lambda piece: self.policy(block.part(pieces[piece])), 0, len(pieces), max(threads, 1))
        return list(zip(pieces, policies, strict=True))

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
    >>> start = Block.of_keys(game, np.array([4432676798593], np.uint64))
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
        return Source(spec.text, lambda block: make(block, spec.text, **values), shares_threads=True)
    if family.player is not None and family.policy is None:
        return _of_player(player_of(spec, game), spec.text)
    return _whole(spec, game)


def _restricted(policy: Policy, name: str, is_text: bool = False) -> Source:
    """Return the source of a policy over a table."""
    return Source(name, partial(_policy_in, policy), True, is_text, whole=policy)


def _policy_in(policy: Policy, block: Block) -> Policy:
    """Return a policy over some states, all of one ply, from that over a table with all of them.

    Raises
    ------
    PolicyError
        If the policy is of another game, or its table has a fixed seat and lacks one of the states.
    """
    table, name = policy.table, policy.name
    if table.game != block.game:
        raise PolicyError(f"expected a policy for {block.game.spec}, got {name!r} for {table.game.spec}")
    ply = np.full(block.num_states, api.ply(block.state(0)) if block.num_states else 0)
    states = table.indices_of(block.key, ply)
    for place in np.flatnonzero(states == NO_STATE)[:1].tolist():
        raise PolicyError(f"policy {name!r}: expected a policy over {block.board(place)!r}, got one without it")
    held = policy.held[states]
    if policy.form == "choice" and policy.stored is not None:
        return Policy.over(block, name, "choice", policy.stored[states], held)
    if policy.stored is None and table.fixed is None:
        return Policy.over(block, name, "uniform", None, held)
    edges = table.edges_of(states)  # with a fixed seat: the moves that remain, which may be a part of the legal ones
    numbers = np.ones(edges.size, np.uint8) if policy.stored is None else policy.stored[edges]
    rows = np.zeros((states.size, table.num_actions), numbers.dtype)
    counts = table.edge_start[states + 1] - table.edge_start[states]
    rows[np.repeat(np.arange(states.size), counts), table.edge_action[edges]] = numbers
    form: Form = "weights" if policy.stored is None else policy.form
    return Policy.over(block, name, form, block.of_edges(rows), held)


def policy_on(agent: AgentLike, table: StateTable, *, only_reached: bool = False) -> Policy:
    """Return the policy of an agent over the states of the free seat of a table with a fixed seat.

    Parameters
    ----------
    agent
        As for `source_of`.
    table
        The table.
    only_reached
        Whether the agent is asked only in the states that it reaches against the fixed seat, and is uniform elsewhere.

    Raises
    ------
    AgentError
        As for `source_of`.
    """
    assert table.fixed is not None
    source = source_of(agent, table.game)
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
    return _joined(table, source.name, parts)


def _joined(table: StateTable, name: str, parts: Sequence[tuple[NDArray[np.intp], Policy]]) -> Policy:
    """Return the policy over a table that is given in some states, and uniform elsewhere."""
    held = np.zeros(table.num_states, np.bool_)
    for states, _ in parts:
        held[states] = True
    forms = {policy.form for _, policy in parts}
    if forms <= {"uniform"}:
        return Policy.over(table, name, "uniform", None, held)
    if forms == {"choice"}:
        actions = table.edge_action[np.minimum(table.edge_start[:-1], table.num_edges - 1)]
        actions[~table.decision_mask] = 0
        for states, policy in parts:
            actions[states] = np.asarray(policy.stored)
        return Policy.over(table, name, "choice", actions, held)
    is_exact = "probabilities" not in forms
    numbers: NDArray[Any] = np.ones(table.num_edges, np.int64 if is_exact else np.float64)
    for states, policy in parts:
        of_edges: Any = policy.edge_weights if is_exact else policy.edge_probabilities
        numbers[table.edges_of(states)] = of_edges
    if is_exact:
        return Policy.from_weights(table, numbers, name, held=held)
    return Policy.from_probabilities(table, numbers / table.to_edges(table.row_sums(numbers)), name, held=held)


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


def _tabulated(name: str, choose: Callable[[GameState], Answer], block: Block) -> Policy:
    """Return the policy of a function of a state over a block."""
    states = np.arange(block.num_states, dtype=np.int32)
    answers = answers_in(states, choose, block, name)
    try:
        return policy_from_array(answers, block, states, name)
    except PolicyError as error:
        raise AnswerError(str(error)) from error


def _batched(agent: object, values_of: Callable[[NDArray[np.float32]], NDArray[np.float64]]) -> Source:
    """Return the source of an object that evaluates the actions of many states at once."""
    name = object_name(agent)

    def policy(block: Block) -> Policy:
        states = np.arange(block.num_states, dtype=np.int32)
        try:
            values = np.asarray(values_of(block.observe(states)))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise AnswerError(f"policy {name!r}: action_values failed: {error_line(error)}") from error
        return policy_from_array(values, block, states, name, scores=True)

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

    def policy(block: Block) -> Policy:
        if tie == "random" or epsilon:
            edges = values.edge_values(block)
            tied = "uniform" if tie == "random" else tie
            return Policy.from_values(block, edges, spec.text, tie=tied, epsilon=epsilon)
        return Policy.from_actions(block, values.choices(block.key, tie), spec.text)

    return Source(spec.text, policy, shares_threads=True)
