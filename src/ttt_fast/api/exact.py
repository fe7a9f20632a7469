"""Exact results of matches, the strength of agents (best responses, exploitability, scorecards), policies in files."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ttt_fast.agents.convert import AgentLike, as_policies, as_policy
from ttt_fast.evaluate import exact_fractions as fractions, outcome, strength
from ttt_fast.evaluate.exact_fractions import OutcomeFractions
from ttt_fast.evaluate.outcome import Outcome
from ttt_fast.evaluate.strength import Agreement
from ttt_fast.evaluate.strength_row import Strength
from ttt_fast.games.game import Game
from ttt_fast.policies import best_response as responses, files
from ttt_fast.policies.best_response import Objective, Then
from ttt_fast.policies.files import AnyPath
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import ROOT


def exact_outcome(
    x: AgentLike, o: AgentLike, *, game: Game | str | None = None, start: int = ROOT, random_opening: bool = False
) -> Outcome:
    """Return the exact result of a match.

    Parameters
    ----------
    x, o
        The agents in the two seats, of one game: policies, agent strings, functions of a state.
    game
        The game of agents that are not policies (default: the game of the other agent, else tic-tac-toe).
    start
        State index of the board that the game starts from.
    random_opening
        Whether the first move from `start` is drawn uniformly instead of by the policy to move.

    Raises
    ------
    PolicyError
        If the two policies belong to different games.

    Examples
    --------
    >>> result = exact_outcome("random", "random")
    >>> round(result.x_wins * 1260, 9), round(result.draws * 63, 9), round(result.o_wins * 420, 9)
    (737.0, 8.0, 121.0)
    """
    return outcome.exact_outcome(*as_policies(x, o, game), start=start, random_opening=random_opening)


def exact_fractions(
    x: AgentLike, o: AgentLike, *, game: Game | str | None = None, start: int = ROOT, random_opening: bool = False
) -> OutcomeFractions:
    """Return the result of a match as fractions.

    Parameters are those of `exact_outcome`.

    Raises
    ------
    PolicyError
        If the probabilities of a policy are floats without exact fractions (`Policy.is_exact`).

    Examples
    --------
    >>> exact_fractions("random", "random")
    OutcomeFractions(x_wins=Fraction(737, 1260), draws=Fraction(8, 63), o_wins=Fraction(121, 420))
    """
    return fractions.exact_fractions(*as_policies(x, o, game), start=start, random_opening=random_opening)


def best_response(
    policy: AgentLike,
    objective: Objective = "value",
    name: str | None = None,
    *,
    then: Then | None = None,
    game: Game | str | None = None,
) -> Policy:
    """Return the best response to an agent, in both seats.

    The best response covers the states of a seat only if the agent has learned the other seat.

    Parameters
    ----------
    policy
        The agent to exploit.
    objective
        `value` maximises wins minus losses.  `wins` maximises the probability of a win, and minimises losses among
        equal probabilities.
    name
        The name of the policy (default: `best-response:` followed by the name of the agent).
    then
        The second criterion of `value`: the most `wins` or the most `draws` (default: the lowest action).
    game
        The game of an agent that is not a policy (default: tic-tac-toe).

    Examples
    --------
    >>> best_response("buggy2")
    <Policy best-response:buggy2 of tic-tac-toe: choice, holds 4,520 of 4,520 states>
    >>> from ttt_fast import exact_outcome
    >>> round(exact_outcome(best_response("random"), "random").value_of("x") * 192, 9)
    191.0
    """
    return responses.best_response_policy(as_policy(policy, game), objective, name, then=then)


def exploitability(policy: AgentLike, game: Game | str | None = None) -> float:
    """Return the mean gain of a player who deviates from the agent's policy; 0 for an equilibrium.

    This is the definition of OpenSpiel: `nash_conv`, the sum of the gains of both players, divided by 2.

    Parameters
    ----------
    policy
        An agent as for `as_policy`, such as a network: an object with `action_values`.
    game
        The game (default: that of the policy, else tic-tac-toe).

    Examples
    --------
    >>> round(exploitability("random"), 9), exploitability("minimax")
    (0.959829696, 0.0)
    >>> class Network:
    ...     def action_values(self, observations):  # (B, 2, 3, 3) float32
    ...         return observations.sum(axis=1).reshape(-1, 9)
    >>> exploitability(Network())
    1.0
    """
    return strength.exploitability(as_policy(policy, game))


def never_loses(policy: AgentLike, seat: int | str, game: Game | str | None = None) -> bool:
    """Return whether no opponent can ever beat the policy in a seat: a proof, not a sample.

    Examples
    --------
    >>> never_loses("minimax", seat="o"), never_loses("default", seat="o")
    (True, False)
    """
    return strength.never_loses(as_policy(policy, game), seat)


def agreement(
    policy: AgentLike, seat: int | str | None = None, game: Game | str | None = None, *, reached: bool = False
) -> Agreement:
    """Return the number of states in which the policy's most probable action keeps the minimax value.

    The definition is that of Langan's report, section 3.4.  It covers the ongoing states in the policy's domain, of one
    seat or both.
    Among equally probable actions the lowest counts.

    Parameters
    ----------
    policy
        The agent to evaluate.
    seat
        The seat (default: both).
    game
        The game of an agent that is not a policy (default: tic-tac-toe).
    reached
        If True, count the states that the policy's own play can reach against any opponent, in the seats that it
        holds.  Each state counts once, independent of its probability, even if the policy has not learned it.

    Examples
    --------
    >>> agreement("minimax")
    Agreement(agreeing=4520, states=4520)
    >>> agreement("heuribot", seat="x"), agreement("heuribot", seat="x", reached=True)
    (Agreement(agreeing=2413, states=2423), Agreement(agreeing=80, states=80))
    """
    return strength.agreement(as_policy(policy, game), seat, reached=reached)


def regret(policy: AgentLike, game: Game | str | None = None) -> NDArray[np.float64]:
    """Return the regret of a policy in each state, (S,) float64, 0 to 2.

    The regret is the minimax value of the state minus the mean minimax value after the policy's move, for the player to
    move.  The column `regret` of a scorecard is another quantity: the best value against an opponent minus the value.

    Examples
    --------
    >>> float(regret("minimax").max())
    0.0
    """
    return strength.regret(as_policy(policy, game))


def scorecard(
    policy: AgentLike, opponents: Sequence[AgentLike] = (), *, game: Game | str | None = None
) -> list[Strength]:
    """Return the exact results of a policy against opponents and its best response, a row for each seat and opponent.

    A seat without learned states has no rows.

    Parameters
    ----------
    policy
        The agent to evaluate.
    opponents
        The opponents, in the order of the rows.  The last row of each seat is that of the best response.
    game
        The game (default: that of `policy` if it is a `Policy`, else tic-tac-toe).

    Examples
    --------
    >>> rows = scorecard("minimax", ["random", "minimax"])
    >>> [(row.seat, row.opponent, round(row.value, 6)) for row in rows][:2]
    [('x', 'random', 0.967811), ('x', 'minimax', 0.0)]
    """
    judged = as_policy(policy, game)
    return strength.scorecard(judged, [as_policy(opponent, judged.table) for opponent in opponents])


def save_policy(path: AnyPath, policy: AgentLike) -> None:
    """Write a policy to a file, whole or not at all.

    Parameters
    ----------
    path
        The suffix selects the format.  `.npz`: any policy, exactly.  `.txt`: the move in every state; `.dat`: the
        boards of the policy as a Q table by Langan.  The last two require a deterministic policy.
    policy
        A policy, or an agent that has a policy.

    Raises
    ------
    UsageError
        If the suffix is unknown, or the policy cannot be stored in this format.
    FileWriteError
        If the file cannot be written; an existing file is then unchanged.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_policy(f"{folder}/best.dat", "best-response:buggy2")
    ...     files.load_policy(f"{folder}/best.dat")["XX.OO...."]
    {2: 1.0, 5: 0.0, 6: 0.0, 7: 0.0, 8: 0.0}
    """
    files.save_policy(path, as_policy(policy))
