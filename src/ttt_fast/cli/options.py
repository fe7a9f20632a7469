"""Options that several commands share."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ttt_fast.core.errors import UsageError

if TYPE_CHECKING:
    from ttt_fast.games.registry import Game as PlayedGame

EXACT_STATES = 10_000_000
"""States of the largest table that --exact makes."""

Format = Annotated[
    str | None,
    typer.Option("--format", "-f", metavar="FORMAT", help="table, json, jsonl, csv, parquet or markdown"),
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="write the result to a file, not to stdout")
]
Seed = Annotated[str, typer.Option("--seed", metavar="N", help="seed of all randomness")]
Threads = Annotated[
    str | None, typer.Option("--threads", metavar="K", help="threads (default: all cores); never changes a result")
]
RandomOpening = Annotated[
    bool, typer.Option("--random-opening", help="draw the first move uniformly, whoever is to make it")
]
Game = Annotated[
    str,
    typer.Option(
        "--game",
        metavar="GAME",
        help="tic-tac-toe, connect4[:columns=7,rows=6,length=4] or ultimate[:tie=draw|boards]",
    ),
]
Exact = Annotated[
    bool, typer.Option("--exact", help="make the table of a game of up to ten million states, for exact values")
]
Board = Annotated[
    str | None, typer.Option("--board", metavar="BOARD", help="start from this board (9 characters) instead")
]
Position = Annotated[
    str | None,
    typer.Option(
        "--position",
        metavar="TEXT",
        help="start here: rows of marks from the top, with / between (81 characters for ultimate)",
    ),
]
Moves = Annotated[
    str | None, typer.Option("--moves", metavar="MOVES", help="start after these moves: 4453, or '55 51'")
]
Openings = Annotated[
    str | None,
    typer.Option("--openings", metavar="KIND", help="how games one by one begin: none, random:PLIES, or a file"),
]
Executor = Annotated[str, typer.Option("--executor", help="threads, or dask for a cluster")]
Scheduler = Annotated[
    str | None, typer.Option("--scheduler", metavar="ADDRESS", help="of the dask scheduler, tcp://host:8786")
]
Games = Annotated[
    str | None, typer.Option("--games", "-n", metavar="N", help="number of games (default: 1M; one by one 1000)")
]
GamesOfPair = Annotated[
    str | None,
    typer.Option("--games", "-n", metavar="N", help="games a pair (default: 1M, 0: exact only; one by one 100)"),
]
Sprt = Annotated[
    str | None,
    typer.Option("--sprt", metavar="ELO0,ELO1", help="stop when it is clear which of two Elo differences is true"),
]
Method = Annotated[str, typer.Option("--method", help="play: every move of every game; propagate: multinomial counts")]
Swap = Annotated[bool, typer.Option("--swap", help="play half of the games with the seats swapped")]
Rival = Annotated[
    str | None,
    typer.Option("--rival", metavar="AGENT", help="play the match with AGENT as X too and test the difference"),
]
Save = Annotated[
    Path | None,
    typer.Option("--save", metavar="FILE", help="keep counts (.npz), or games one by one (.jsonl), on the way"),
]
Resume = Annotated[Path | None, typer.Option("--resume", metavar="FILE", help="go on with what such a file holds")]
Chunk = Annotated[str, typer.Option("--chunk", metavar="N", help="games a chunk (part of the result)")]
XAgent = Annotated[str, typer.Argument(metavar="X", help="agent that plays X (see `ttt-fast agents`)")]
OAgent = Annotated[str, typer.Argument(metavar="O", help="agent that plays O")]


def parse_start(
    game: "PlayedGame", board: str | None = None, position: str | None = None, moves: str | None = None
) -> Any:
    """Return the state that --board, --position or --moves tells, of which one may be given; else the first state."""
    given = {"--board": board, "--position": position, "--moves": moves}
    starts = [name for name, text in given.items() if text is not None]
    if len(starts) > 1:
        raise UsageError(f"expected one of --board, --position and --moves, got {' and '.join(starts)}")
    shown = position if board is None else board
    return game.state_after(moves or "") if shown is None else game.parse_position(shown)


def allow_large_table(game: str, exact: bool) -> None:
    """Make the table of a game that is larger than what is made unasked, if --exact asks for it."""
    if exact:
        from ttt_fast.tables import table_of

        table_of(game, EXACT_STATES)


def parse_board(game: str, board: str | None) -> int:
    """Return the state that --board tells of a game with a table, in which the game goes on; the first without it."""
    if board is None:
        return 0
    from ttt_fast.games import api
    from ttt_fast.games.registry import parse_game
    from ttt_fast.tables import find_table

    played = parse_game(game)
    table = find_table(played)
    if table is None:
        raise UsageError(f"expected --board in a game that has a table, got it in {played.spec}")
    state = played.parse_position(board)
    if api.status(state) != api.ONGOING:
        ended = {api.X_WINS: "X has won", api.O_WINS: "O has won", api.DRAW: "it is drawn"}[api.status(state)]
        raise UsageError(f"expected a board where the game goes on, got {board!r}, where {ended}")
    return table.state_index(board)


def announce_compilation() -> None:
    """Announce on standard error, once, if kernels must be compiled, as on the first use of this version."""
    from ttt_fast.core.jit import at_first_compilation

    said = "compiling kernels that this version has not used before (some seconds, once) ..."
    at_first_compilation(lambda: typer.echo(said, err=True))
