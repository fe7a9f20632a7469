"""The settings of TD(lambda), over n-tuples and over the network of Ultimate: their descriptions and defaults."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ttt_fast.core.errors import UsageError
from ttt_fast.learn.settings import SELF_PLAY, TD, setting

if TYPE_CHECKING:
    from ttt_fast.values.ntuples import NTuples

_OF = {"algorithms": (TD,)}
_N_TUPLES = {"tuples": 70, "tuple_cells": 8, "tuple_tables": 2, "tuple_seed": 0, "coherent": True}
_USUAL = {**_N_TUPLES, "opening_plies": 4, "trace_decay": 0.8}
_USUAL_OF_ULTIMATE = {"opening_plies": 10, "trace_decay": 1.0}
GAMES_A_CHUNK = 256
"""Games in a chunk on Ultimate, where a chunk is played with frozen values."""


@dataclass(frozen=True, kw_only=True)
class TdSettings:
    """The settings of TD(lambda); None for all other algorithms.

    Attributes
    ----------
    tuples, tuple_cells, tuple_tables, tuple_seed
        Number of tuples, cells of each, tables of each, and the seed that draws the tuples.  Two tables are one for
        each player to move; a single table is in the view of the player to move.
    coherent
        Whether the step of a weight falls with the coherence of its errors (`temporal_difference`).
    start_from
        The network of Ultimate from which the run starts: a file, or `learned`, the one that ships with the package.
    """

    tuples: int | None = setting(
        None, "tuples of cells, by whose values td values a board (default: 70)", metavar="N", low=1, high=1000,
        minimum=1, counted="tuples", **_OF,
    )  # fmt: skip
    tuple_cells: int | None = setting(
        None, "cells of a tuple (default: 8)", metavar="N", low=1, high=12, minimum=1, counted="cells", **_OF
    )
    tuple_tables: int | None = setting(
        None, "tables of a tuple: 2, one for each player to move, or 1, own view (default: 2)", metavar="N", low=1,
        high=2, minimum=1, counted="tables", **_OF,
    )  # fmt: skip
    tuple_seed: int | None = setting(None, "seed of the tuples (default: 0)", metavar="N", low=0, high=2**63, **_OF)
    coherent: bool | None = setting(
        None, "td: smaller steps of weights whose errors cancel (default: yes)", "--coherent/--no-coherent", **_OF
    )
    start_from: str | None = setting(
        None, "td on ultimate: begin with the network in a file, or with learned, which ships (default: drawn weights)",
        metavar="FILE", **_OF,
    )  # fmt: skip

    def n_tuples(self) -> "NTuples":
        """Return the settings of the tables."""
        from ttt_fast.values.ntuples import NTuples

        return NTuples(*(getattr(self, name) for name in ("tuples", "tuple_cells", "tuple_tables", "tuple_seed")))


def settle(config: Any) -> None:
    """Set the missing settings of TD(lambda) in a `TrainingConfig`, and check their combination.

    The settings of n-tuples do not apply to Ultimate, and `start_from` does not apply to Connect 4.

    Raises
    ------
    UsageError
        If settings are incompatible with each other or with the game.
    """
    from ttt_fast.games.api import observation_shape
    from ttt_fast.games.game import PATTERNS

    features = config.played.kind.features
    if not features:
        raise UsageError(f"expected connect4 or ultimate with {TD}, got {config.game!r}")
    if not config.is_self_play:
        raise UsageError(f"expected the opponent {SELF_PLAY} with {TD}, got {config.opponent!r}")
    by_patterns = features == PATTERNS
    for name in _N_TUPLES if by_patterns else ("start_from",):
        if getattr(config, name) is not None:
            raise UsageError(f"expected no {name} with {TD} on {config.game}, got {getattr(config, name)!r}")
    for name, value in (_USUAL_OF_ULTIMATE if by_patterns else _USUAL).items():
        if getattr(config, name) is None:
            object.__setattr__(config, name, value)
    if by_patterns:
        if config.chunk_episodes == 0:
            object.__setattr__(config, "chunk_episodes", GAMES_A_CHUNK)
        return
    config.n_tuples().draw(config.played.num_actions, observation_shape(config.played.initial_state)[1])
