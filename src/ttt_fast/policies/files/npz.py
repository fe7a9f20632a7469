"""Our own files: policies, and the Q tables that the learner writes, as `.npz` archives."""

import os
import zlib
from collections.abc import Mapping

import numpy as np

from ttt_fast.core.archive import Archive, ArraySpec, load_archive, read_meta, save_archive
from ttt_fast.core.errors import FileFormatError, PolicyError
from ttt_fast.policies.policy import Policy
from ttt_fast.policies.q_policy import greedy_policy
from ttt_fast.tables import StateTable, standard_table

POLICY_KIND = "policy"
Q_TABLE_KIND = "q_table"

_STATES, _ACTIONS = 5478, 9
POLICY_ARRAYS: Mapping[str, ArraySpec] = {
    "probabilities": ArraySpec("float64", (_STATES, _ACTIONS)),
    "held": ArraySpec("bool", (_STATES,)),
    "weights": ArraySpec("int64", (-1, _ACTIONS)),
}
"""Arrays of a policy file.  `weights` has no rows when the policy is known as floats only."""

Q_TABLE_ARRAYS: Mapping[str, ArraySpec] = {
    "q_table": ArraySpec("float64", (_STATES, _ACTIONS)),
    "held": ArraySpec("bool", (_STATES,)),
}
"""Arrays that every file of the kind `q_table` has; the learner adds those that it needs to go on."""


def table_fingerprint(table: StateTable) -> str:
    """Return eight hexadecimal digits that tell one game's states and results from another's.

    Examples
    --------
    >>> table_fingerprint(standard_table())
    '75761d7d'
    """
    return f"{zlib.crc32(table.status.tobytes(), zlib.crc32(table.child.tobytes())):08x}"


def save_npz(path: str | os.PathLike[str], policy: Policy, table: StateTable | None = None) -> None:
    """Write a policy to a `.npz` file, with its exact weights where it has them."""
    table = table or standard_table()
    exact = np.zeros((0, table.num_actions), np.int64) if policy.weights is None else policy.weights
    arrays = {"probabilities": policy.probabilities, "held": policy.held, "weights": exact}
    save_archive(path, POLICY_KIND, arrays, {"name": policy.name, "table": table_fingerprint(table)})


def load_npz(path: str | os.PathLike[str], table: StateTable | None = None) -> Policy:
    """Return the policy of a `.npz` file: as stored, or greedy for a Q table.

    The file of a Q table names its rule for ties (`uniform` if it learned with random ties); without a rule the
    lowest action is taken.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, foreign, newer or made for another game, or holds no valid policy.
    """
    table = table or standard_table()
    _refuse_other_games(path)
    specs = {POLICY_KIND: POLICY_ARRAYS, Q_TABLE_KIND: Q_TABLE_ARRAYS}
    archive = load_archive(path, {kind: _specs_for(table, arrays) for kind, arrays in specs.items()})
    check_fingerprint(path, archive, table)
    try:
        if archive.kind == POLICY_KIND:
            return _stored_policy(archive, str(path), table)
        q_table, held = archive.arrays["q_table"], archive.arrays["held"]
        if not np.isfinite(q_table).all():
            raise PolicyError("expected finite values in 'q_table', got nan or infinity")
        return greedy_policy(q_table, str(path), held=held, tie=str(archive.meta.get("tie", "first")), table=table)
    except PolicyError as error:
        raise FileFormatError(f"{str(path)!r}: {error}; the file is damaged") from error


def check_fingerprint(path: str | os.PathLike[str], archive: Archive, table: StateTable) -> None:
    """Raise FileFormatError if the archive says that it was made for another game than `table`."""
    expected = table_fingerprint(table)
    found = archive.meta.get("table", expected)
    if found != expected:
        raise FileFormatError(
            f"{str(path)!r}: expected a file for the game with fingerprint {expected!r}, got {found!r}"
        )


def _refuse_other_games(path: str | os.PathLike[str]) -> None:
    """Raise FileFormatError if a file says that it was learned on a game that is no table of states."""
    config = read_meta(path).get("config")
    game = config.get("game") if isinstance(config, dict) else None
    if game is not None:
        raise FileFormatError(f"{str(path)!r}: expected a policy of tic-tac-toe, got one that has learned {game}")


def _stored_policy(archive: Archive, name: str, table: StateTable) -> Policy:
    arrays = archive.arrays
    policy = Policy.from_probabilities(arrays["probabilities"], name, held=arrays["held"], table=table)
    if len(arrays["weights"]) == 0:
        return policy
    exact = Policy.from_weights(arrays["weights"], name, held=arrays["held"], table=table)
    if not np.array_equal(exact.probabilities, policy.probabilities):
        raise PolicyError("expected 'probabilities' that are those of 'weights', got others")
    return exact


def _specs_for(table: StateTable, specs: Mapping[str, ArraySpec]) -> dict[str, ArraySpec]:
    """Return the specifications with the number of states (and actions) of the given game."""
    sizes = {_STATES: table.num_states, _ACTIONS: table.num_actions}
    return {
        name: spec._replace(shape=tuple(sizes.get(length, length) for length in spec.shape))
        for name, spec in specs.items()
    }
