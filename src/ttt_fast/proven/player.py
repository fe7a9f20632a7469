"""The agent `proven`: a player of Connect 4 by the weights and exceptions of a file; the shipped one wins every game.

It plays only the board and the seat of its file (`proven.weights`).  It neither searches nor draws random numbers.
"""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Final

from ttt_fast import AgentError, Game, Policy, StateTable
from ttt_fast.agents.api import Agent, Option
from ttt_fast.agents.learned import LearnedPlayer, load_player
from ttt_fast.core.specs import name_or_file

SHIPPED = Path(__file__).parent / "connect4-proven.npz"
_SHIPPED_NAME: Final = "shipped"


OPTIONS: Final[Mapping[str, Option]] = {
    "file": Option(
        _SHIPPED_NAME,
        f"{_SHIPPED_NAME}|FILE",
        name_or_file(_SHIPPED_NAME),
        "the weights: those of 7x6, or a file, which `ttt-fast prove` can check",
    )
}
"""The options of `proven`."""


def build(spec: str, game: Game, *, file: str) -> LearnedPlayer:
    """Return the player of an agent string.

    Raises
    ------
    AgentError
        If the file is of another board, or no weights ship with the package.
    FileFormatError
        If the file is missing or damaged, or has another format or a newer version.
    """
    path = SHIPPED if file == _SHIPPED_NAME else file
    if path == SHIPPED and not SHIPPED.exists():
        raise AgentError(f"expected {spec!r} with file=FILE.npz, since no proven player ships with this version")
    return load_player(spec, path, game)


def fill(table: StateTable, spec: str, *, file: str) -> Policy:
    """Return the policy over a table, which holds the states of the player's seat; errors as for `build`."""
    player = build(spec, table.game, file=file)
    return player.learned.values.policy_in(table, spec, player.learned.tie, Fraction(0))


def agent(name: str) -> Agent:
    """Return the agent."""
    summary = "plays by a file, without a search; the shipped one wins every game as X"
    return Agent(summary, OPTIONS, player=build, fill=fill, games=("connect4",), local=lambda file: True)
