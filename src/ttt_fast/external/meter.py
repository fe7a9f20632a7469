"""Exact measures of an external learner, step by step, as a curve like those of `train` and `sweep`."""

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ttt_fast.agents.convert import AgentLike, as_learned_policy
from ttt_fast.algorithms.curricula import SELF_PLAY
from ttt_fast.algorithms.dynamics import reachable_states
from ttt_fast.algorithms.episodes import SEAT_NAMES, O, X
from ttt_fast.core.archive import write_atomically
from ttt_fast.core.checks import shown, whole_number
from ttt_fast.core.errors import UsageError
from ttt_fast.core.frames import CURVE_FORMATS, encode_frame, frame_of
from ttt_fast.core.manifest import JsonObject
from ttt_fast.core.plain import frozen
from ttt_fast.evaluate.strength import in_both_seats, seat_exploitability, strength
from ttt_fast.evaluate.strength_row import measures_of
from ttt_fast.external.environment import USUAL_SEAT, learner_code, opponent_of
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import StateTable, table_of

if TYPE_CHECKING:
    import polars as pl

Label = str | int | float


class Meter:
    """Exact measures of the policies of an external learner, a row for each step.

    Parameters
    ----------
    game
        The game; one of more than a million states only if its table exists (`table_of(game, max_states)`).
    seat
        The learner's seat: `x`, `o` or `both`.  Default: `x`; in self-play `both`, the only choice.
    opponent
        An agent string or a policy, against which values are exact; or `self`, if both seats learn.
    labels
        Further columns with the same value in every row, such as the learner's name or a seed.

    Attributes
    ----------
    table
        The game: S states, A actions.
    states : (N,) int32
        The states in which a policy is evaluated: all in which a learning seat moves, reachable by its own play or not.
        They are the same at every step, so that one call of a network can evaluate all of them.
    rows
        The rows so far.

    Examples
    --------
    >>> from ttt_fast.games import api
    >>> meter = Meter("tic-tac-toe", seat="x", opponent="random")
    >>> row = meter.record(0, lambda state: next(a for a in (4, *range(9)) if api.is_legal(state, a)))
    >>> round(row["value"], 6), round(row["best_value"], 6), row["never_loses"]
    (0.382812, 0.994792, False)
    >>> q_values = np.zeros((meter.states.size, 9))
    >>> meter.record(1000, q_values, scores=True)["episodes"], len(meter.rows)
    (1000, 2)
    """

    def __init__(
        self,
        game: str = "tic-tac-toe",
        seat: str | int = USUAL_SEAT,
        opponent: AgentLike = "random",
        labels: Mapping[str, Label] | None = None,
    ) -> None:
        self.table: StateTable = table_of(game)
        code = learner_code(seat, opponent)
        self.opponent = opponent_of(opponent, self.table, code)
        self.seats = (X, O) if code not in (X, O) else (code,)
        counted = [reachable_states(self.table, self.opponent, one) for one in self.seats]
        self._counted = np.logical_or.reduce(counted)
        self.states: NDArray[np.int32] = frozen(np.flatnonzero(np.isin(self.table.player, self.seats)).astype(np.int32))
        name = SELF_PLAY if self.opponent is None else self.opponent.name
        usual: dict[str, Label] = {"game": self.table.game.spec, "seat": SEAT_NAMES[code], "opponent": name}
        self.labels = usual | dict(labels or {})
        self.rows: list[JsonObject] = []

    def __repr__(self) -> str:
        """Return a one-line summary."""
        labels, seat = self.labels, "" if self.opponent is None else f"seat {self.labels['seat']} "
        return f"<Meter of {self.table.game.spec}: {seat}v {labels['opponent']}, {len(self.rows):,} rows>"

    @cached_property
    def observations(self) -> NDArray[np.float32]:
        """Observations of the states by their players to move, (N, planes, rows, columns) float32: `api.observe`."""
        return frozen(self.table.observe(self.states))

    @cached_property
    def legal_action_mask(self) -> NDArray[np.bool_]:
        """Mask of the legal actions in each of the states, (N, A) bool."""
        return frozen(self.table.legal_action_mask[self.states])

    def record(self, step: int, policy: AgentLike | ArrayLike, *, scores: bool = False) -> JsonObject:
        """Measure a policy exactly, keep the row, and return it.

        Parameters
        ----------
        step
            Number of episodes so far, or another counter of the learner; not less than at the previous row.
        policy
            A `Policy`, an agent string, the path of a policy file, a function, or an array.  A function takes a state
            (the NamedTuple of its game), and returns an action or a number for each of the A actions.  An array
            contains actions, (N,) or (S,) integers, or numbers, (N, A), (S, A) or (E,).
        scores
            Whether numbers are scores, of which the highest legal one is played, instead of probabilities.

        Returns
        -------
        dict
            `episodes`: the step.  `x_wins`, `draws`, `o_wins`: exact probabilities of the results against the opponent,
            absent in self-play.  For `both` seats there are those of the learner, `x_v_opponent_wins` as X and so on.
            `exploitability`: minimax plays a seat that is not metered.  `agreement`: share of the states that can occur
            against the opponent in which the most probable action is a minimax action.  `reached_agreement`: the same
            share of the states that the policy's own play can reach against any opponent, learned or not.
            `never_loses`: whether no opponent can ever beat the policy.  `value`: wins minus losses, the mean of both
            seats; in self-play minus the exploitability.  `best_value`: the value of a best response.  `regret`:
            `best_value` minus `value`.

        Raises
        ------
        PolicyError
            If it is not a policy of this game in the metered seats.
        UsageError
            If the step is not an integer, or is less than the previous one.
        """
        number, least = whole_number(step, "the step"), self.rows[-1]["episodes"] if self.rows else 0
        if number < least:
            raise UsageError(
                f"expected a number of episodes (step) of at least {least:,}, the previous one, got {shown(step)}"
            )
        read = as_learned_policy(
            policy, self.table, self.states, str(self.labels.get("learner", "policy")), scores=scores
        )
        self.rows.append({"episodes": number, **self.measures(read)})
        return dict(self.rows[-1])

    def measures(self, policy: Policy) -> JsonObject:
        """Return the columns of a row, without the step."""
        judged = replace(policy, held=self._counted)
        exploited = seat_exploitability(judged)
        found = [strength(judged, self.opponent, seat, exploited) for seat in self.seats]
        if len(found) == 1:
            return measures_of(**found[0].as_row())
        row = measures_of(**in_both_seats(*found).as_row())
        for seat, one in zip(self.seats, found if self.opponent is not None else [], strict=False):
            shares = (one.x_wins, one.draws, one.o_wins)[:: 1 if seat == X else -1]
            names = (f"{SEAT_NAMES[seat]}_v_opponent_{share}" for share in ("wins", "draws", "losses"))
            row |= zip(names, shares, strict=True)
        return row

    def to_frame(self) -> "pl.DataFrame":
        """Return the rows as a data frame, with the labels first, in the format of `train --curve` and `sweep`."""
        return frame_of({**self.labels, **row} for row in self.rows)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the curve to a .parquet, .csv or .jsonl file, which `ttt-fast plot` reads.

        Raises
        ------
        UsageError
            If the file has another suffix, or there are no rows.
        """
        form = CURVE_FORMATS.get(Path(path).suffix.lower())
        if form is None:
            raise UsageError(f"expected a {', '.join(CURVE_FORMATS)} file for the curve, got {str(path)!r}")
        if not self.rows:
            raise UsageError("expected a recorded step before the curve is saved, got none")
        content = encode_frame(self.to_frame(), form)
        write_atomically(path, lambda stream: stream.write(content))
