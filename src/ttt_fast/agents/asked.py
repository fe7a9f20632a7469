"""The policy of an agent of others: asked about every state of a table, twice, so that its strength is exact."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ttt_fast.core.checks import shown
from ttt_fast.core.errors import AgentError, AnswerError, PolicyError
from ttt_fast.core.rng import chunk_stream
from ttt_fast.games.api import GameState
from ttt_fast.policies.answers import Answer, answers_of
from ttt_fast.policies.policy import Policy
from ttt_fast.policies.submitted import policy_of_answers
from ttt_fast.running.progress import tell
from ttt_fast.tables import StateTable

_BETWEEN_NEWS = 256  # states


def asked_policy(
    table: StateTable,
    name: str,
    choose: Callable[[GameState], Answer],
    begin: Callable[[np.uint64], object] = lambda stream: None,
) -> Policy:
    """Return the policy of an agent that answers alike whenever it is asked.

    Parameters
    ----------
    table
        The game: S states.
    name
        The agent string.
    choose
        Returns an action, or a probability for each action, in any state in which somebody is to move.
    begin
        Called with a stream, another one each time, before the first state and before they are asked about again,
        backwards: so neither its random numbers nor the questions before may matter.

    Raises
    ------
    AgentError
        If an answer differs from the one before.
    AnswerError
        If the agent fails, or answers with an illegal move.

    Examples
    --------
    >>> from ttt_fast.games import api
    >>> from ttt_fast.tables import table_of
    >>> asked_policy(table_of("tic-tac-toe"), "last", lambda state: api.legal_actions(state)[-1])
    <Policy last of tic-tac-toe: choice, holds 4,520 of 4,520 states>
    """
    states = np.flatnonzero(table.decision_mask).astype(np.int32)
    asked = 0

    def told(state: GameState) -> Any:
        nonlocal asked
        if asked % _BETWEEN_NEWS == 0:
            tell(f"{name}, asked twice", asked, 2 * states.size, "states")
        asked += 1
        return choose(state)

    begin(chunk_stream(0))
    first = answers_of(told, table, states, name)
    try:
        policy = policy_of_answers(first, table, states, name)  # a mistake is said at once
    except PolicyError as error:
        raise AnswerError(str(error)) from error
    begin(chunk_stream(1))
    again = answers_of(told, table, states[::-1], name)[::-1]
    differs = np.ones(1, np.bool_) if first.shape != again.shape else (first != again).reshape(states.size, -1).any(1)
    for place in np.flatnonzero(differs)[:1].tolist():
        board, answers = table.board(int(states[place])), f"{shown(first[place])} and then {shown(again[place])}"
        if first.ndim == again.ndim == 1:
            answers = " and then ".join(repr(table.game.format_moves([int(one[place])])) for one in (first, again))
        raise AgentError(
            f"expected an agent that answers alike for its exact policy, but {name!r} said {answers} at {board!r};"
            " `ttt-fast match` samples it"
        )
    return policy
