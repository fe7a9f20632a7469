"""The closing row of a training run."""

from collections.abc import Sequence
from typing import Any

from ttt_fast.agents.registry import parse_agent
from ttt_fast.evaluate.scorecard import ScoreRow, score_against, scorecard
from ttt_fast.learn.checkpoint import Training
from ttt_fast.policies.policy import Policy


def scorecard_of(training: Training, opponents: Sequence[Policy], name: str) -> list[ScoreRow]:
    """Return the scorecard of the learned policy, with the last opponent of its training first.

    After self-play the random player takes the opponent's place.
    """
    policy, seat, game = training.policy(name), training.config.seats[0], training.config.game
    usual = [parse_agent("random", game), parse_agent("minimax", game)]
    opponent = opponents[-1] if opponents else usual[0]
    first, card = score_against(policy, opponent, seat), scorecard(policy, usual)
    return [first, *(row for row in card if (row.seat, row.opponent) != (first.seat, first.opponent))]


def training_row(training: Training, card: Sequence[ScoreRow], path: str) -> dict[str, Any]:
    """Return the row of `ttt-fast train`: the settings, the rate, and the exact strength."""
    first = card[0]
    wins, draws, losses = training.counts.tolist()
    return {
        "x": first.x,
        "o": first.o,
        "seat": first.seat,
        "opponent": first.opponent,
        "episodes": training.episodes,
        "seconds": training.seconds,
        "episodes_per_second": training.episodes_per_second,
        "exact_x_wins": first.x_wins,
        "exact_draws": first.draws,
        "exact_o_wins": first.o_wins,
        "value": first.value,
        "best_value": first.best_value,
        "gap": first.gap,
        "states": first.states,
        "agreeing": first.agreeing,
        "agreement": first.agreement,
        "never_loses": first.never_loses,
        "exploitability": first.exploitability,
        "training_wins": wins,
        "training_draws": draws,
        "training_losses": losses,
        "sha256": training.sha256(),
        "file": path,
    }
