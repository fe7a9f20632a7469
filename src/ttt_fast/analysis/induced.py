"""Induced tables: exact results of an agent in one seat, from the states that can arise against it."""

import hashlib
import os
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cached_property
from math import inf
from pathlib import Path

import numpy as np

from ttt_fast.agents.convert import DEFAULT_GAME, AgentLike, as_spec
from ttt_fast.agents.registry import files_read
from ttt_fast.agents.sources import Source, source_of
from ttt_fast.analysis.levels import InducedSizeError, Limits, make_levels
from ttt_fast.analysis.mistakes import PlyMistakes, mistakes_of
from ttt_fast.core.manifest import JsonObject, package_version
from ttt_fast.evaluate import levels as passes
from ttt_fast.evaluate.levels import LevelOutcome
from ttt_fast.evaluate.outcome import RESULTS, fraction_columns, length_columns
from ttt_fast.evaluate.scorecard import ADVERSARY
from ttt_fast.evaluate.strength import lost_by
from ttt_fast.games import api
from ttt_fast.games.game import Game
from ttt_fast.games.registry import parse_game
from ttt_fast.games.results import Seat, Status
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import large
from ttt_fast.tables.induced import induced_state_table
from ttt_fast.tables.kept_levels import MAPPED_POSITIONS, keep_levels, map_level, open_levels
from ttt_fast.tables.levels import ALL, Level, Levels
from ttt_fast.tables.state_table import FixedSeat, StateTable

KEPT_POSITIONS = 1_000_000
"""Positions above which levels are kept on disk."""


@dataclass(frozen=True)
class Refutation:
    """A shortest game with the worst result that an agent allows.

    Attributes
    ----------
    actions
        The actions of both seats from the start.
    moves
        The same as text.
    status
        The result.
    """

    actions: tuple[int, ...]
    moves: str
    status: Status


@dataclass(frozen=True, repr=False)
class InducedTable:
    """The states that remain when an agent moves in one seat and the other seat is free, for exact results.

    Attributes
    ----------
    levels
        The positions, ply by ply.

    Examples
    --------
    >>> from ttt_fast import induced_table
    >>> induced = induced_table("centre-first", "x", game="connect4:columns=4,rows=4")
    >>> induced, induced.outcome("random").fractions.x_wins
    (<InducedTable of connect4:columns=4,rows=4 with centre-first as X: 998 positions>, Fraction(515, 864))
    >>> induced.best_value, induced.never_loses, induced.refutation.moves
    (1.0, False, '33313121122244')
    """

    levels: Levels

    def __repr__(self) -> str:
        """Return a one-line summary."""
        return repr(self.levels).replace("<Levels", "<InducedTable")

    @property
    def game(self) -> Game:
        """The game."""
        return self.levels.game

    @property
    def agent(self) -> str:
        """The text of the agent."""
        return self.levels.fixed.agent

    @property
    def seat(self) -> Seat:
        """The seat of the agent."""
        return Seat(self.levels.fixed.seat)

    @property
    def positions(self) -> int:
        """Number of ongoing states, of both seats."""
        return self.levels.positions

    @property
    def positions_by_ply(self) -> list[int]:
        """Number of ongoing states after each number of plies."""
        return [level.keys.size for level in self.levels.levels]

    def outcome(self, opponent: AgentLike = "random") -> LevelOutcome:
        """Return the exact result against an opponent in the other seat.

        Parameters
        ----------
        opponent
            An agent whose move in a state depends on this state alone, or any agent of a game with a state table.  It
            is queried only in the states that it reaches.

        Raises
        ------
        AgentError
            If it is no such agent.

        Examples
        --------
        >>> from ttt_fast import induced_table
        >>> induced_table("minimax", "x").outcome("random").fractions.o_wins
        Fraction(0, 1)
        """
        source = source_of(opponent, self.game)
        source.check_seat(self.seat.other)
        is_random = source.name == "random"
        return passes.level_outcome(self.levels, None if is_random else source.policy, source.name)

    @cached_property
    def best_value(self) -> float:
        """The value of the best response to the agent, for the seat that responds."""
        return passes.best_value(self.levels)

    @property
    def never_loses(self) -> bool:
        """Whether no opponent can ever beat the agent in its seat."""
        return not self.levels.ends[:, lost_by(self.seat)].any()

    @cached_property
    def refutation(self) -> Refutation | None:
        """A shortest game that the agent can lose, else one that it can draw; None if it wins every game."""
        for status in (lost_by(self.seat), api.DRAW):
            line = passes.shortest_line(self.levels, status)
            if line is not None:
                return Refutation(tuple(line), self.game.format_moves(line), Status(status))
        return None

    @property
    def table(self) -> StateTable:
        """The states as a table, for all functions that take one.

        Its solution is that of the induced game, in which the agent's moves are the only ones of its seat.

        Raises
        ------
        TableSizeError
            If there are too many positions for a table (`MAX_INDUCED_STATES`).
        """
        return induced_state_table(self.levels)

    @cached_property
    def policy(self) -> Policy:
        """The agent's policy over `table`, in the states of its seat.

        Examples
        --------
        >>> from ttt_fast import exact_outcome, induced_table
        >>> policy = induced_table("default", "o").policy
        >>> round(exact_outcome("random", policy).draws, 6)
        0.23933
        """
        table, rows = self.table, self.levels.rows
        held = table.player == self.seat
        codes = np.full(table.num_states, ALL, np.int32)
        for first, level in zip(table.ply_start.tolist(), self.levels.levels, strict=False):
            codes[first : first + level.keys.size] = level.decoded()
        if not (codes >= self.game.num_actions).any():  # each of the remaining actions is equally likely
            return Policy(self.agent, table, "uniform", None, held=held)
        of_edges = table.to_edges(codes)
        weights = np.where(of_edges == ALL, 1, rows[np.maximum(of_edges, 0), table.edge_action])
        if rows.dtype.kind != "f":
            return Policy.from_weights(table, weights, self.agent, held=held)
        probabilities = weights / table.to_edges(np.maximum(table.row_sums(weights), 1e-300))
        return Policy.from_probabilities(table, probabilities, self.agent, held=held)

    def mistakes(self, per_ply: int = 100, *, seed: int = 0, threads: int = 1) -> list[PlyMistakes]:
        """Return the positions in which the agent gives value away, of a sample by ply, for Connect 4 (`mistakes_of`).

        Examples
        --------
        >>> from ttt_fast import induced_table
        >>> induced = induced_table("centre-first", "x", game="connect4:columns=4,rows=4")
        >>> induced.mistakes()[2].row()["share"], induced.mistakes()[3].mistakes[0].caption
        (0.23076923076923078, 'ply 6: a draw becomes a loss')
        """
        return mistakes_of(self.levels, per_ply, seed=seed, threads=threads)

    def row(self, opponent: AgentLike = "random") -> JsonObject:
        """Return the exact result against an opponent as a row: agents, probabilities, value, fractions, positions."""
        found, other = self.outcome(opponent), as_spec(opponent).text
        x, o = (self.agent, other) if self.seat == Seat.X else (other, self.agent)
        return {
            "x": x,
            "o": o,
            "fixed_seat": self.seat.text,
            **{name: getattr(found, name) for name in RESULTS},
            "value": found.value,
            **fraction_columns(found.fractions),
            "positions": self.positions,
            **length_columns(found.lengths),
        }

    def response_row(self) -> JsonObject:
        """Return the result against the best response as a row; unknown probabilities are None."""
        name, value = f"best-response:{self.agent}", self.best_value
        x, o = (self.agent, name) if self.seat == Seat.X else (name, self.agent)
        responder = self.seat.other
        status = {1.0: int(responder), 0.0: int(Status.DRAW), -1.0: int(self.seat)}.get(value)
        of = {"x_wins": Status.X_WINS, "draws": Status.DRAW, "o_wins": Status.O_WINS}
        known = status is not None and (self.levels.deterministic or value != 0)
        chances = {key: float(status == one) if known else None for key, one in of.items()}
        return {"seat": responder.text, "objective": "value", "x": x, "o": o, **chances, "value": value, **self.proof()}

    def proof(self) -> JsonObject:
        """Return what is the same against all opponents: positions, whether it never loses, the refutation."""
        found = self.refutation
        return {
            "positions": self.positions,
            "never_loses": self.never_loses,
            "refutation": None if found is None else found.moves,
            "refutation_plies": None if found is None else len(found.actions),
            "refutation_result": None if found is None else found.status.name.lower(),
        }

    def score_rows(self, opponents: Sequence[AgentLike] = ("random",)) -> list[JsonObject]:
        """Return a row for each opponent and one for the best response, with the value for the agent."""
        response = self.response_row()
        rows = [self.row(opponent) for opponent in opponents]
        names = [*(as_spec(opponent).text for opponent in opponents), ADVERSARY]
        kept = ("x", "o", *RESULTS)
        return [
            {
                "policy": self.agent,
                "seat": self.seat.text,
                "opponent": name,
                **{key: row[key] for key in kept},
                "value": -row["value"] if name == ADVERSARY or self.seat == Seat.O else row["value"],
                **{f"{key}_fraction": row.get(f"{key}_fraction") for key in RESULTS},
                **self.proof(),
            }
            for name, row in zip(names, [*rows, response], strict=True)
        ]


def induced_table(
    agent: AgentLike, seat: int | str, game: Game | str = DEFAULT_GAME, *, max_positions: float | None = None
) -> InducedTable:
    """Return the states that remain when an agent moves in one seat and the other seat is free.

    The results over these states are exact: against any opponent, including the best response.  The agent is queried
    once in each state of its seat, in batches, and again in a sample.

    Parameters
    ----------
    agent
        An agent whose move depends on the position alone: scripted rules, `alphabeta` to a depth, `solver`, files of
        learned values, functions of a state.  Of a game with a state table, any agent with a policy.  An
        object with a method `action_values`, such as a network, receives the observations of many states at once, (B,
        planes, rows, columns) float32, and returns (B, A) numbers; the legal action with the highest number is played.
    seat
        The seat of the agent: `x` or `o`.
    game
        The game, or its name.
    max_positions
        Largest number of positions (default: as many as memory and disk have room for).

    Raises
    ------
    TableSizeError
        If there are more positions, or the forecast says so.
    AgentError
        If the agent does not always answer alike, or its moves do not depend on the position alone.

    Warns
    -----
    UnlearnedSeatWarning
        If a policy has no state of the seat.

    Examples
    --------
    >>> induced = induced_table("centre-first", "o", game="connect4:columns=5,rows=4")
    >>> induced.positions, round(induced.outcome("random").o_wins, 6), induced.best_value
    (11574, 0.858838, 1.0)
    """
    game = parse_game(game) if isinstance(game, str) else game
    source, fixed = source_of(agent, game), Seat.parse(seat)
    try:
        source.check_seat(fixed)
        return _induced_of(source, agent, game, fixed, max_positions)
    except InducedSizeError as error:
        found = passes.level_outcome(error.levels)
        text = f"{error}; {_partial_text(found)}"
        raise InducedSizeError(text, error.levels, error.forecast, found) from None


_known: dict[tuple[Game, int, str], InducedTable] = {}
"""The induced tables of agents given by a text, in this process."""


def _induced_of(source: Source, spec: AgentLike, game: Game, seat: Seat, max_positions: float | None) -> InducedTable:
    """Return the induced table of a source: of this process, from disk, or enumerated."""
    digest = _digest(spec, game) if source.is_text else ""
    known = _known.get((game, int(seat), digest)) if digest else None
    most = inf if max_positions is None else max_positions
    if known is not None and known.positions <= most:
        return known
    fixed = FixedSeat(int(seat), source.name, digest)
    levels = open_levels(game, fixed) if digest and known is None else None
    if levels is None or levels.positions > most:  # the limit refuses what it refuses in a new process without files
        levels = _enumerated(source, game, fixed, Limits.default(max_positions))
    found = InducedTable(levels)
    if digest:
        _known[game, int(seat), digest] = found
    return found


def _enumerated(source: Source, game: Game, fixed: FixedSeat, limits: Limits) -> Levels:
    """Return the levels of an agent; large ones are written to disk as they are found, and kept if there is room."""
    with ExitStack() as stack:
        new, room = None, large.quota()

        def keep(level: Level, ply: int) -> Level:
            nonlocal new, room
            room -= level.keys.nbytes + level.codes.nbytes
            if level.keys.size < MAPPED_POSITIONS or room < 0:
                return level
            try:
                if new is None:
                    new = stack.enter_context(large.new_folder())
                return map_level(new, level, ply)
            except OSError:  # the disk is full: the levels remain in memory
                room = -1
                return level

        levels = make_levels(source, game, fixed.seat, limits, fixed.digest, keep)
        if levels.positions > KEPT_POSITIONS and fixed.digest and room >= 0:
            with suppress(OSError):
                keep_levels(levels, stack.enter_context(large.new_folder()) if new is None else new)
        return levels


def _digest(agent: AgentLike, game: Game) -> str:
    """Return a hash of an agent's text, the files that it reads, the game, and the version of this package."""
    spec = as_spec(agent)
    digest = hashlib.sha256(repr((spec.text, game.file_name, package_version())).encode())
    for path in files_read(spec):
        if os.path.isfile(path):
            digest.update(hashlib.sha256(Path(path).read_bytes()).digest())
    return digest.hexdigest()


def _partial_text(found: LevelOutcome) -> str:
    """Return what is exact of an agent with too many positions: the games against random that have ended."""
    known = ", ".join(f"{name.replace('_', ' ')} at least {getattr(found, name):.6g}" for name in RESULTS)
    plies = found.lengths.shape[1] - 1
    return f"exact so far, in {plies} plies against random: {known}; {found.unfinished:.6g} of the games go on"
