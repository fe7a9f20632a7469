"""Agents of others in contests: they play on this machine alone, and the games that they lose by a fault are told."""

import warnings
from collections.abc import Sequence

from ttt_fast.core.foreign import refuse_foreign
from ttt_fast.play.record import GameRecord
from ttt_fast.policies.policy import Policy
from ttt_fast.running.executors import Executor


def check_place(agents: Sequence[str | Policy], executor: Executor | None) -> None:
    """Raise ForeignNameError if an agent of others is to play on other machines."""
    for one in agents if executor is not None and not executor.shares_memory else []:
        if isinstance(one, str):
            refuse_foreign(one, "the work of another machine")


def warn_of_forfeits(games: Sequence[GameRecord], warned: set[tuple[str, str]]) -> None:
    """Warn of the first game that each agent loses by each kind of fault; the results count all of them."""
    for game in games:
        fault = (game.loser, game.kind_of_forfeit)
        if game.forfeit and fault not in warned:
            warned.add(fault)
            what = game.forfeit.partition(": ")[2]
            warnings.warn(f"game {2 * game.pair + game.game + 1} is lost by {game.loser!r}: {what}", stacklevel=2)
