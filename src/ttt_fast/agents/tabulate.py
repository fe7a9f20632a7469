"""The policy of an agent over a table, or in a block of its states, from its answers in each of them."""

from collections.abc import Callable, Sequence
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.checks import shown
from ttt_fast.core.errors import AgentError, AnswerError, PolicyError
from ttt_fast.core.external import error_line
from ttt_fast.core.rng import chunk_stream
from ttt_fast.games import api
from ttt_fast.games.api import GameState
from ttt_fast.games.game import Game
from ttt_fast.policies.arrays import policy_from_array
from ttt_fast.policies.policy import Form, Policy
from ttt_fast.running.progress import report_progress
from ttt_fast.search.player import Player
from ttt_fast.tables.block import Block
from ttt_fast.tables.state_table import NO_STATE, StateTable

Answer = int | Sequence[float] | NDArray[Any]
"""The result of a function of a state: an action, or a number for each of the A actions."""
_STATES_BETWEEN_REPORTS = 256
_BITS = 64  # of an action: no game has as many as numpy's integers have


def tabulate(
    table: Block,
    name: str,
    choose: Callable[[GameState], Answer],
    begin: Callable[[np.uint64], object] = lambda stream: None,
) -> Policy:
    """Return the policy of a deterministic agent, which is queried twice in every state.

    Parameters
    ----------
    table
        The game: S states.
    name
        The name of the policy.
    choose
        Returns an action, or a probability for each action, in any ongoing state.
    begin
        Called before each pass over the states, with a different stream each time.  The second pass is in reverse
        order: the result may depend neither on random numbers nor on the order of the queries.

    Raises
    ------
    AgentError
        If the results of the two passes differ in a state.
    AnswerError
        If the agent fails, or returns an illegal move.

    Examples
    --------
    >>> from ttt_fast.games import api
    >>> from ttt_fast import table_of
    >>> tabulate(table_of("tic-tac-toe"), "last", lambda state: api.legal_actions(state)[-1])
    <Policy last of tic-tac-toe: choice, holds 4,520 of 4,520 states>
    """
    states = np.flatnonzero(table.decision_mask).astype(np.int32)
    queries = 0

    def reported(state: GameState) -> Answer:
        nonlocal queries
        if queries % _STATES_BETWEEN_REPORTS == 0:
            report_progress(f"{name}, queried twice", queries, 2 * states.size, "states")
        queries += 1
        return choose(state)

    begin(chunk_stream(0))
    policy, first = _asked(table, states, reported, name)  # an illegal move is reported at once
    begin(chunk_stream(1))
    again = answers_in(states[::-1], reported, table, name)[::-1]
    differs = np.ones(1, np.bool_) if first.shape != again.shape else (first != again).reshape(states.size, -1).any(1)
    for place in np.flatnonzero(differs)[:1].tolist():
        board, answers = table.board(int(states[place])), f"{shown(first[place])} and then {shown(again[place])}"
        if first.ndim == again.ndim == 1:
            answers = " and then ".join(repr(table.game.format_moves([int(one[place])])) for one in (first, again))
        raise AgentError(
            f"expected a deterministic agent for an exact policy, but {name!r} returned {answers} at {board!r};"
            " `ttt-fast match` plays with such agents"
        )
    return policy


def by_player(make: Callable[[], Player], name: str) -> Callable[[Block], Policy]:
    """Return the policy of a searching player in blocks of states, in each of which it is asked for its move."""
    players: list[Player] = []

    def choose(state: GameState) -> int:
        return players[0].search(state).checked(players[0], state).action

    def policy_in(block: Block) -> Policy:
        if not players:
            players.append(make())
            players[0].begin(chunk_stream(0))
        return tabulated(name, choose, block)

    return policy_in


def tabulated(name: str, choose: Callable[[GameState], Answer], block: Block) -> Policy:
    """Return the policy of a function of a state over a block, all of whose states are ongoing."""
    return _asked(block, np.arange(block.num_states, dtype=np.int32), choose, name)[0]


def _asked(
    block: Block, states: NDArray[np.int32], choose: Callable[[GameState], Answer], name: str
) -> tuple[Policy, NDArray[Any]]:
    """Return the policy of a function of a state, and its answers."""
    answers = answers_in(states, choose, block, name)
    try:
        return policy_from_array(answers, block, states, name), answers
    except PolicyError as error:
        raise AnswerError(str(error)) from error


def batched(name: str, values_of: Callable[[NDArray[np.float32]], Any], block: Block) -> Policy:
    """Return the policy of an object that evaluates the actions of many states at once: greedy in its values."""
    states = np.flatnonzero(block.decision_mask).astype(np.int32)
    try:
        values = np.asarray(values_of(block.observe(states)))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise AnswerError(f"policy {name!r}: action_values failed: {error_line(error)}") from error
    return policy_from_array(values, block, states, name, scores=True)


def restricted(policy: Policy, block: Block) -> Policy:
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


def joined(table: StateTable, name: str, parts: Sequence[tuple[NDArray[np.intp], Policy]]) -> Policy:
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


def answers_in(
    states: NDArray[np.int32], function: Callable[[Any], Answer], table: Block, name: str
) -> NDArray[np.int64] | NDArray[np.float64]:
    """Query a function once in each of some states; return (N,) int64 actions, or (N, A) float64 numbers.

    Parameters
    ----------
    states : (N,) int32
        Indices of the states.
    function, table, name
        The function, the game, and the name of its policy, for messages.

    Raises
    ------
    PolicyError
        If the function returns actions in some states and numbers in others; AnswerError as for `checked_answer`.
    """
    known, answers = table.states, []
    for number in states.tolist():
        answers.append(checked_answer(function, known[number], table.game, name))
    kinds = {type(answer) for answer in answers}
    if len(kinds) > 1:
        raise PolicyError(f"policy {name!r}: expected an action in every state, or numbers in every state, got both")
    return np.array(answers)


def checked_answer(
    function: Callable[[Any], Answer], state: GameState, game: Game, name: str
) -> int | NDArray[np.float64]:
    """Return the result of a function in a state of a game: an int, or (A,) float64.

    Raises
    ------
    AnswerError
        If the function fails, or returns anything else.
    """
    try:
        answer = function(state)
        number = _number(answer)
        row = np.zeros(0) if number is not None else _row(answer)
    except (AnswerError, KeyboardInterrupt):
        raise
    except BaseException as error:  # `sys.exit` too
        board = game.format_position(state)
        raise AnswerError(f"policy {name!r}: the function failed at {board!r}: {error_line(error)}") from error
    if number is not None and number.bit_length() < _BITS:
        return number
    if row.shape != (game.num_actions,):
        wanted, board = f"an action or {game.num_actions} numbers", game.format_position(state)
        raise AnswerError(f"policy {name!r}: expected {wanted} at {board!r}, got {shown(answer)}")
    return row


def _number(answer: Any) -> int | None:
    """Convert the result of a function to an action; return None if it is not one, such as True."""
    if isinstance(answer, bool):
        return None
    try:
        return index(answer)
    except TypeError:
        return None


def _row(answer: Answer) -> NDArray[np.float64]:
    """Convert the result of a function to an array of numbers; empty if it is anything else."""
    try:
        return np.asarray(answer, np.float64)
    except (ValueError, TypeError):
        return np.zeros(0)
