"""The proof that a player of a file wins every game, as a certificate: positions by ply, their hashes, the result."""

import hashlib
import json
import os
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast import (
    FileFormatError,
    Game,
    Seat,
    StateTable,
    Status,
    TttFastError,
    UsageError,
    parse_agent,
    parse_game,
    table_of,
)
from ttt_fast.agents.resolve import Resolved
from ttt_fast.analysis.fixed_seats import Limits, enumerated
from ttt_fast.core.plain import frozen
from ttt_fast.core.rng import mix64
from ttt_fast.files import read_bytes
from ttt_fast.kernels import kernel
from ttt_fast.proven.values import ProvenValues, load_weights
from ttt_fast.proven.weights import ProvenWeights
from ttt_fast.tables.state_table import FixedSeat

SCHEMA = "ttt-fast/prove/1"
MAX_POSITIONS = 100_000_000
"""Positions above which a player counts as not proven, as in the independent checkers."""
_SUMMARY = ("game", "seat", "sha256", "bytes", "positions", "own_positions", "failures", "result")


class Proof(NamedTuple):
    """The enumeration of all games of a file's player.

    Attributes
    ----------
    rows
        For each ply, `ply`, `positions` (ongoing, distinct) and `hash`; the last row is all plies, with ply None.
    summary
        The board and the seat, the `sha256` of the file and the `bytes` of its arrays.  Then the number of positions,
        of those with the player to move, and of terminal positions that are not wins, and the result in words.
    """

    rows: list[dict[str, Any]]
    summary: dict[str, Any]

    @property
    def is_proven(self) -> bool:
        """Whether the player wins every game."""
        return bool(self.summary["failures"] == 0)


def prove(
    path: str | os.PathLike[str],
    game: Game | str | None = None,
    seat: Seat | int | None = None,
    certificate: str | os.PathLike[str] | None = None,
) -> Proof:
    """Enumerate all games of the player of a file.

    Parameters
    ----------
    path
        The file.
    game, seat
        The game and the seat that the file must be of (default: any).
    certificate
        A certificate that must state what the enumeration finds.

    Raises
    ------
    FileFormatError
        If a file is missing, damaged or of another kind.
    UsageError
        If the file is of another game or seat.
    TttFastError
        If there are more than `MAX_POSITIONS` positions, or the certificate states another proof.
    """
    if certificate is not None:
        load_certificate(certificate)  # an error in it is reported before the enumeration
    content = read_bytes(path)
    weights = load_weights(path)
    wanted, own = parse_game(game) if isinstance(game, str) else game, Seat(weights.seat)
    if wanted not in (None, weights.game):
        raise UsageError(f"expected a player of {wanted.spec}, got {str(path)!r}, which plays {weights.game.spec}")
    if seat is not None and Seat(seat) != own:
        raise UsageError(f"expected the seat {own.text}, that of {str(path)!r}, got {Seat(seat).text!r}")
    proof = _enumerated(content, weights)
    if certificate is not None:
        check_certificate(certificate, proof)
    return proof


@kernel
def _sum_of_hashes(keys: NDArray[np.uint64]) -> np.uint64:
    """Return the sum of the SplitMix64 finaliser of some keys modulo 2**64."""
    total = np.uint64(0)
    for index in range(keys.size):
        total += mix64(keys[index])
    return total


def table_of_player(weights: ProvenWeights) -> StateTable:
    """Return the table of all games of a player."""
    local = partial(ProvenValues(weights).policy_in, name="proven", tie="first", epsilon=Fraction(0))
    agent = Resolved(
        spec=parse_agent("proven"), game=weights.game, over=lambda place: local(table_of(place)), local=local
    )
    fixed = FixedSeat(weights.seat, "proven", "")
    return enumerated(agent, fixed, Limits.default(MAX_POSITIONS))


def _enumerated(content: bytes, weights: ProvenWeights) -> Proof:
    """Return the proof of weights, which are the content of a file."""
    table, seat = table_of_player(weights), Seat(weights.seat)
    failures = int(((table.status != Status.ONGOING) & (table.status != int(seat))).sum())
    by_ply = [
        table.key[states][table.status[states] == Status.ONGOING]
        for states in (slice(*pair) for pair in pairwise(table.ply_start.tolist()))
    ]
    by_ply = [keys for keys in by_ply if keys.size]
    sizes = [keys.size for keys in by_ply]
    hashes = [int(_sum_of_hashes(frozen(keys))) for keys in by_ply]
    rows: list[dict[str, Any]] = [
        {"ply": ply, "positions": size, "hash": f"{one:016x}"}
        for ply, (size, one) in enumerate(zip(sizes, hashes, strict=True))
    ]
    rows.append({"ply": None, "positions": sum(sizes), "hash": f"{sum(hashes) % 2**64:016x}"})
    own, digest = sum(sizes[weights.seat - 1 :: 2]), hashlib.sha256(content).hexdigest()
    result = f"failed: {failures} terminal positions that are not wins"
    numbers = weights.game.spec, seat.text, digest, weights.num_bytes, sum(sizes), own, failures
    found = (*numbers, result if failures else f"proven: {seat.name} wins every game")
    return Proof(rows, dict(zip(_SUMMARY, found, strict=True)))


def load_certificate(path: str | os.PathLike[str]) -> Proof:
    """Return the proof in a certificate, as `ttt-fast prove FILE -o certificate.json` writes it.

    Raises
    ------
    FileFormatError
        If the certificate is missing, damaged or of another kind.
    """
    try:
        found = json.loads(read_bytes(path))
        if found["schema"] != SCHEMA:
            raise ValueError("another schema")
        rows = [{name: row[name] for name in ("ply", "positions", "hash")} for row in found["rows"]]
        (summary,) = found["summary"]
        return Proof(rows, {name: summary[name] for name in _SUMMARY})
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise FileFormatError(
            f"{str(path)!r}: expected a certificate of `ttt-fast prove`, but the file is damaged or of another kind"
        ) from error


def check_certificate(path: str | os.PathLike[str], found: Proof) -> None:
    """Raise TttFastError unless a certificate states what an enumeration has found.

    Raises
    ------
    FileFormatError
        If the certificate is missing, damaged or of another kind.
    TttFastError
        If it differs from `found`.
    """
    stated = load_certificate(path)
    for name in _SUMMARY:
        if stated.summary[name] != found.summary[name]:
            wanted, got = found.summary[name], stated.summary[name]
            raise TttFastError(
                f"{str(path)!r}: expected {wanted!r} as {name}, got {got!r}; this file has another proof"
            )
    for row, other in zip(found.rows, stated.rows, strict=False):
        if row != other:
            raise TttFastError(f"{str(path)!r}: expected {row!r}, got {other!r}; this file has another proof")
    if len(stated.rows) != len(found.rows):
        raise TttFastError(f"{str(path)!r}: expected {len(found.rows)} rows, got {len(stated.rows)}")
