"""Exact results of matches between agents."""

from ttt_fast.agents.convert import AgentLike, as_policies
from ttt_fast.evaluate import exact_fractions as fractions, outcome
from ttt_fast.evaluate.exact_fractions import OutcomeFractions
from ttt_fast.evaluate.outcome import Outcome
from ttt_fast.games.game import Game
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
