"""Exact results of an agent in one seat, from the table of the states that can arise against it."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np

from ttt_fast.agents.catalogue import AGENTS
from ttt_fast.agents.content import content_of
from ttt_fast.agents.convert import DEFAULT_GAME, AgentLike
from ttt_fast.agents.resolve import named_spec, policy_on, resolve
from ttt_fast.agents.spec import AgentSpec
from ttt_fast.analysis.fixed_seats import InducedSizeError, Limits, enumerated
from ttt_fast.analysis.mistakes import PlyMistakes, mistakes_of
from ttt_fast.core.cache import sources_digest
from ttt_fast.core.checks import whole_number
from ttt_fast.core.manifest import JsonObject, package_version
from ttt_fast.evaluate.outcome import Outcome, exact_outcome
from ttt_fast.evaluate.strength import ADVERSARY, lost_by
from ttt_fast.evaluate.strength_row import RESULTS, columns_of
from ttt_fast.games import api
from ttt_fast.games.game import Game
from ttt_fast.games.registry import parse_game
from ttt_fast.games.results import Seat, Status
from ttt_fast.policies.best_response import best_value
from ttt_fast.policies.policy import Form, Policy
from ttt_fast.tables import fixed_table, remembered, store
from ttt_fast.tables.state_table import FixedSeat, StateTable, shortest_line

KEPT_POSITIONS = 1_000_000
"""Positions above which a table is stored on disk; a smaller one is made again within a second."""


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
    table
        The states, in which the agent's seat has only the moves that the agent may play.  The solution of this table
        is that of the game against the agent.

    Examples
    --------
    >>> from ttt_fast import induced_table
    >>> induced = induced_table("centre-first", "x", game="connect4:columns=4,rows=4")
    >>> induced, induced.outcome("random").fractions.x_wins
    (<InducedTable of connect4:columns=4,rows=4 with centre-first as X: 998 positions>, Fraction(515, 864))
    >>> induced.best_value, induced.never_loses, induced.refutation.moves
    (1.0, False, '33313121122244')
    """

    table: StateTable

    def __repr__(self) -> str:
        """Return a one-line summary."""
        seat = "XO"[self.seat - 1]
        return f"<InducedTable of {self.game.spec} with {self.agent} as {seat}: {self.positions:,} positions>"

    @property
    def _fixed(self) -> FixedSeat:
        assert self.table.fixed is not None
        return self.table.fixed

    @property
    def game(self) -> Game:
        """The game."""
        return self.table.game

    @property
    def agent(self) -> str:
        """The text of the agent."""
        return self._fixed.agent

    @property
    def seat(self) -> Seat:
        """The seat of the agent."""
        return Seat(self._fixed.seat)

    @property
    def positions(self) -> int:
        """Number of ongoing states, of both seats."""
        return sum(self.positions_by_ply)

    @cached_property
    def positions_by_ply(self) -> list[int]:
        """Number of ongoing states after each number of plies, up to the last ply that has any."""
        is_ongoing = self.table.status == api.ONGOING
        ongoing: list[int] = np.add.reduceat(is_ongoing, self.table.ply_start[:-1], dtype=np.int64).tolist()
        return ongoing[: 1 + max(ply for ply, count in enumerate(ongoing) if count)]

    @cached_property
    def deterministic(self) -> bool:
        """Whether the agent plays a single action in every state."""
        counts = np.diff(self.table.edge_start)
        return not bool((counts[self.table.player == self.seat] > 1).any())

    def outcome(self, opponent: AgentLike = "random") -> Outcome:
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
        spec = named_spec(opponent)  # of which random is asked nothing
        policy = Policy.uniform(self.table) if spec.text == "random" else policy_on(spec, self.table, only_reached=True)
        return exact_outcome(*((self.policy, policy) if self.seat == Seat.X else (policy, self.policy)))

    @cached_property
    def best_value(self) -> float:
        """The value of the best response to the agent, for the seat that responds."""
        return best_value(self.policy, self.seat.other)

    @property
    def never_loses(self) -> bool:
        """Whether no opponent can ever beat the agent in its seat."""
        return not bool((self.table.status == lost_by(self.seat)).any())

    @cached_property
    def refutation(self) -> Refutation | None:
        """A shortest game that the agent can lose, else one that it can draw; None if it wins every game."""
        for status in (lost_by(self.seat), api.DRAW):
            line = shortest_line(self.table, status)
            if line is not None:
                return Refutation(tuple(line), self.game.format_moves(line), Status(status))
        return None

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
        table = self.table
        form: Form = "uniform" if table.weights is None else "weights"
        if table.weights is not None and table.weights.dtype.kind == "f":
            form = "probabilities"
        return Policy.over(table, self.agent, form, table.weights, table.player == self.seat)

    def mistakes(self, per_ply: int = 100, *, seed: int = 0, threads: int = 1) -> list[PlyMistakes]:
        """Return the positions in which the agent gives value away, of a sample by ply, for Connect 4 (`mistakes_of`).

        Examples
        --------
        >>> from ttt_fast import induced_table
        >>> induced = induced_table("centre-first", "x", game="connect4:columns=4,rows=4")
        >>> induced.mistakes()[2].row()["share"], induced.mistakes()[3].mistakes[0].caption
        (0.23076923076923078, 'ply 6: a draw becomes a loss')
        """
        return mistakes_of(self.table, per_ply, seed=seed, threads=threads)

    def _against_best(self) -> JsonObject:
        """Return the agents and results of the match against the best response; unknown probabilities are None."""
        name, value = f"best-response:{self.agent}", self.best_value
        x, o = (self.agent, name) if self.seat == Seat.X else (name, self.agent)
        status = {1.0: int(self.seat.other), 0.0: int(Status.DRAW), -1.0: int(self.seat)}.get(value)
        known = status is not None and (self.deterministic or value != 0)
        ends = zip(RESULTS, (Status.X_WINS, Status.DRAW, Status.O_WINS), strict=True)
        return {"x": x, "o": o, **{key: float(status == one) if known else None for key, one in ends}}

    def response_row(self) -> JsonObject:
        """Return the strength of the best response as a row, with the agent's refutation; unknown columns are None."""
        pair, value, seat = self._against_best(), self.best_value, self.seat.other.text
        names = {"policy": pair[seat], "seat": seat, "opponent": self.agent}
        row = columns_of(**names, **pair, value=value, best_value=value)
        return {**row, "objective": "value", **self.proof(), "never_loses": None}

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
        """Return the agent's strength against each opponent and its best response, as rows with its refutation."""
        rows = [self.outcome(opponent).seat_row(self.seat) for opponent in opponents]
        names = {"policy": self.agent, "seat": self.seat.text, "opponent": ADVERSARY}
        worst = columns_of(**names, **self._against_best(), value=0.0 - self.best_value)
        rows.append({**worst, **dict.fromkeys(f"{key}_fraction" for key in RESULTS)})
        return [{**row, **self.proof()} for row in rows]


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
    game = parse_game(game)
    found, own = resolve(named_spec(agent), game), Seat.parse(seat)
    found.check_seat(own)
    fixed = FixedSeat(int(own), found.spec.text, _digest(found.spec, game) if found.is_text else "")
    most = inf if max_positions in (None, inf) else whole_number(max_positions, "max_positions")
    table = fixed_table(game, fixed) if fixed.digest else None
    if table is not None and InducedTable(table).positions <= most:  # else it is refused as in a new process
        return InducedTable(table)
    store.quota()  # an error in it is raised before the work
    try:
        table = enumerated(found, fixed, Limits.default(max_positions))
    except InducedSizeError as error:
        part = InducedTable(error.table)
        so_far = exact_outcome(*(part.policy, Policy.uniform(part.table))[:: 3 - 2 * part.seat])
        known = ", ".join(f"{name.replace('_', ' ')} at least {getattr(so_far, name):.6g}" for name in RESULTS)
        plies, unfinished = so_far.lengths.shape[1] - 1, max(0.0, 1 - sum(so_far[:3]))
        text = f"exact so far, in {plies} plies against random: {known}; {unfinished:.6g} of the games go on"
        raise InducedSizeError(f"{error}; {text}", error.table, error.forecast, so_far) from None
    if fixed.digest and InducedTable(table).positions > KEPT_POSITIONS:
        store.keep_table(table)
    assert table.fixed is not None
    return InducedTable(remembered((game, table.fixed), table))


def _digest(spec: AgentSpec, game: Game) -> str:
    """Return a hash of an agent's text, the files that it reads, the game, and the sources of this package.

    It is empty if the text does not determine the agent in another process.
    """
    others = (AGENTS[one.name].is_built_in for one in spec.nodes() if one.origin == "built in" and one.name in AGENTS)
    if not game.kind.is_kept or not all(others):
        return ""
    others_too = package_version(), sources_digest(__file__), content_of(game, [spec])
    return hashlib.sha256(repr((spec.text, game.file_name, *others_too)).encode()).hexdigest()
