"""Ratings of many players from all their games: the model of Bradley and Terry, a draw as half a win."""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import UsageError
from ttt_fast.evaluate.rating import ELO_SCALE

_MOST_STEPS, _TOLERANCE = 10_000, 1e-12
_PER_POINT = np.log(10) / ELO_SCALE


def bradley_terry(points: NDArray[np.float64], games: NDArray[np.int64], prior: float = 1.0) -> NDArray[np.float64]:
    """Return the Elo rating of each player, with mean 0.

    Parameters
    ----------
    points : (P, P) float64
        Points of the row's player against the column's: wins and half the draws.
    games : (P, P) int64
        Games between the two, symmetric; the diagonal is ignored.
    prior
        Drawn games added to each pair with games, so that a player who always wins has a finite rating.

    Returns
    -------
    (P,) float64

    Notes
    -----
    R. A. Bradley and M. E. Terry, "Rank analysis of incomplete block designs" (Biometrika 39, 1952), solved by the
    fixed point of D. R. Hunter, "MM algorithms for generalized Bradley-Terry models" (Ann. Statist. 32, 2004).

    Examples
    --------
    >>> points, games = np.array([[0.0, 75.0], [25.0, 0.0]]), np.array([[0, 100], [100, 0]])
    >>> bradley_terry(points, games, prior=0.0).round(1).tolist()
    [95.4, -95.4]
    """
    points, games = np.asarray(points, np.float64), np.asarray(games, np.float64)
    players = len(points)
    if points.shape != (players, players) or games.shape != points.shape or players < 1:
        raise UsageError(
            f"expected two square matrices of the same shape, got shapes {points.shape!r} and {games.shape!r}"
        )
    off = ~np.eye(players, dtype=bool)
    if (games[off] < 0).any() or not np.allclose((points + points.T)[off], games[off]) or (games != games.T)[off].any():
        raise UsageError("expected that the points of both players of each pair sum to the number of their games")
    met = off & (games > 0)
    played = np.where(met, games + prior, 0.0)
    won = np.where(met, points + prior / 2, 0.0).sum(1)
    strength = np.ones(players)
    for _ in range(_MOST_STEPS):
        expected = (played / (strength[:, None] + strength[None, :])).sum(1)
        new = np.where(expected > 0, won / np.maximum(expected, 1e-300), 1.0)
        new = np.maximum(new, 1e-300)
        new /= np.exp(np.log(new).mean())
        change = np.abs(np.log(new / strength)).max()
        strength = new
        if change < _TOLERANCE:
            break
    ratings = np.log(strength) / _PER_POINT
    centred: NDArray[np.float64] = ratings - ratings.mean()
    return centred
