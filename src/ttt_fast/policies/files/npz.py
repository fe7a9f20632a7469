"""Files of this package: policies, and the Q tables written by the learners, as `.npz` archives."""

import os

import numpy as np

from ttt_fast.core.archive import (
    MAX_FILE_BYTES,
    Archive,
    ArraySpec,
    check_whole,
    load_archive,
    read_meta,
    save_archive,
)
from ttt_fast.core.checks import shown
from ttt_fast.core.errors import FileFormatError, PolicyError, UsageError
from ttt_fast.policies.arrays import policy_of_values
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import MAX_STATES, StateTable, table_of

POLICY_KIND = "policy"
Q_TABLE_KIND = "q_table"
_BYTES_PER_EDGE = 128
"""An upper bound on the bytes that a file stores per legal action."""
_LONGEST_NAME = 200


def most_bytes(table: StateTable) -> int:
    """Return the maximum size of a file with numbers for each legal action of a game."""
    return max(MAX_FILE_BYTES, _BYTES_PER_EDGE * table.num_edges)


def policy_arrays(table: StateTable) -> dict[str, ArraySpec]:
    """Return the arrays of a policy file; `weights` is empty if the policy is known as floats only."""
    return {
        "probabilities": ArraySpec("float64", (table.num_edges,)),
        "held": ArraySpec("bool", (table.num_states,)),
        "weights": ArraySpec("int64", (-1,)),
    }


def q_table_arrays(table: StateTable) -> dict[str, ArraySpec]:
    """Return the arrays common to files of the kind `q_table`; learners add arrays that they need to resume."""
    return {"q_table": ArraySpec("float64", (table.num_edges,)), "held": ArraySpec("bool", (table.num_states,))}


def save_npz(path: str | os.PathLike[str], policy: Policy) -> None:
    """Write a policy to a `.npz` file, with its exact weights if it has them."""
    table, weights = policy.table, policy.edge_weights
    exact = np.zeros(0, np.int64) if weights is None else weights
    arrays = {"probabilities": policy.edge_probabilities, "held": policy.held, "weights": exact}
    save_archive(path, POLICY_KIND, arrays, {"name": policy.name, **game_meta(table)})


def game_meta(table: StateTable) -> dict[str, str]:
    """Return the description of the game of a table for a file."""
    return {"game": table.game.spec, "table": table.fingerprint}


def states_in(path: str | os.PathLike[str]) -> int:
    """Return the number of states of the table for which a file was made, after verifying all of its checksums.

    Making a table takes time; the result limits it, so that no game with more states than the file is enumerated.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, of another kind, written by a newer version, or has no states.
    """
    held = check_whole(path).get("held", ())
    if len(held) != 1:
        raise FileFormatError(f"{str(path)!r}: expected an array 'held' of states, found none; the file is damaged")
    return held[0]


def table_in(path: str | os.PathLike[str]) -> StateTable:
    """Return the table of the game that a file names; tic-tac-toe's if the file names none.

    Raises
    ------
    FileFormatError
        If the file cannot be read or has fewer states than its game.  Also if its game requires a large table that is
        not available.
    """
    game = str(read_meta(path).get("game", "tic-tac-toe"))
    states = states_in(path)
    try:
        return table_of(game, states) if states < MAX_STATES else table_of(game)
    except UsageError as error:
        raise FileFormatError(f"{str(path)!r}: {error}; the file is damaged or of another kind") from error


def stored_name(path: str | os.PathLike[str]) -> str:
    """Return the name under which a policy was saved; empty for a Q table or an unprintable name."""
    name = read_meta(path).get("name")
    return name if isinstance(name, str) and len(name) <= _LONGEST_NAME and name.isprintable() else ""


def load_npz(path: str | os.PathLike[str], table: StateTable) -> Policy:
    """Return the policy of a `.npz` file: a stored policy, or the policy of a Q table.

    The file of a Q table specifies a rule for ties (`uniform` after learning with random ties), or marks the values
    as counts (of fictitious play).  Without a rule, the lowest of the best actions is played.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, of another kind or another game, or written by a newer version.
    """
    check_game(path, table)
    kinds = {POLICY_KIND: policy_arrays(table), Q_TABLE_KIND: q_table_arrays(table)}
    archive = load_archive(path, kinds, most_bytes(table))
    check_fingerprint(path, archive, table)
    try:
        if archive.kind == POLICY_KIND:
            return _stored_policy(archive, str(path), table)
        values, held = archive.arrays["q_table"], archive.arrays["held"]
        if not np.isfinite(values).all():
            raise PolicyError("expected finite values in 'q_table', got nan or infinity")
        return policy_of_values(table, values, str(path), held, str(archive.meta.get("tie", "first")))
    except PolicyError as error:
        raise FileFormatError(f"{str(path)!r}: {error}; the file is damaged") from error


def check_fingerprint(path: str | os.PathLike[str], archive: Archive, table: StateTable) -> None:
    """Raise FileFormatError if the fingerprint in an archive is that of another table."""
    found = archive.meta.get("table", table.fingerprint)
    if found != table.fingerprint:
        raise FileFormatError(
            f"{str(path)!r}: expected a file for the game with fingerprint {table.fingerprint!r}, got {found!r}"
        )


def check_game(path: str | os.PathLike[str], table: StateTable) -> None:
    """Raise FileFormatError if a file belongs to another game."""
    meta = read_meta(path)
    config = meta.get("config")
    game = meta.get("game", config.get("game") if isinstance(config, dict) else None)
    if game is not None and game != table.game.spec and meta.get("table") != table.fingerprint:
        raise FileFormatError(f"{str(path)!r}: expected a policy for {table.game.spec}, got a policy for {shown(game)}")


def _stored_policy(archive: Archive, name: str, table: StateTable) -> Policy:
    arrays = archive.arrays
    policy = Policy.from_probabilities(table, arrays["probabilities"], name, held=arrays["held"])
    if len(arrays["weights"]) == 0:
        return policy
    exact = Policy.from_weights(table, arrays["weights"], name, held=arrays["held"])
    if not np.array_equal(exact.edge_probabilities, policy.edge_probabilities):
        raise PolicyError("expected 'probabilities' that equal those of 'weights', got other numbers")
    return exact
