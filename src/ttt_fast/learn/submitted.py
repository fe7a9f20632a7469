"""Policies as learners of others have them: functions of states, arrays, files, agent strings; read as a `Policy`."""

from os import PathLike, fspath

import numpy as np
from numpy.typing import NDArray

from ttt_fast.agents.registry import parse_agent
from ttt_fast.core.errors import PolicyError
from ttt_fast.policies.policy import Policy
from ttt_fast.policies.submitted import Answers, policy_of_answers
from ttt_fast.tables import StateTable

Submitted = Policy | Answers | str | PathLike[str]


def submitted_policy(
    given: Submitted, table: StateTable, states: NDArray[np.int32], name: str = "policy", *, scores: bool = False
) -> Policy:
    """Return what somebody has handed over as a policy; where nothing was asked it plays at random.

    Parameters
    ----------
    given
        A policy of this game; an agent string or the path of a policy file; a function or an array, as
        `policy_of_answers` reads them.
    table, states, name, scores
        As for `policy_of_answers`: the game, the states that are asked about, the name of the policy, and whether
        numbers are scores.

    Raises
    ------
    PolicyError
        If it is no policy of this game, or one that `policy_of_answers` refuses.

    Examples
    --------
    >>> from ttt_fast.tables import table_of
    >>> table = table_of("tic-tac-toe")
    >>> submitted_policy("minimax", table, np.arange(1, dtype=np.int32)).name
    'minimax'
    """
    if isinstance(given, Policy):
        if given.table is not table:
            raise PolicyError(f"expected a policy of {table.game.spec}, got one of {given.table.game.spec}")
        return given
    if isinstance(given, str | PathLike):
        return parse_agent(fspath(given), table.game)
    return policy_of_answers(given, table, states, name, scores=scores)
