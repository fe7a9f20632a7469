"""Options that several commands share."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ttt_fast import TableSizeError, UsageError
from ttt_fast.cli.completion import GAMES_TEXT
from ttt_fast.cli.parsing import one_of, output_file, parse_seed, parse_threads
from ttt_fast.cli.signatures import argument, option
from ttt_fast.core.specs import parse_count

if TYPE_CHECKING:
    from ttt_fast import ContestConfig, Game as PlayedGame
    from ttt_fast.running.api import Executor as WorkExecutor

Format = Annotated[str | None, option("--format -f FORMAT", "table, json, jsonl, csv, parquet or markdown")]
Output = Annotated[Path | None, option("--output -o FILE", "write the result to a file, not to stdout", output_file)]
HtmlOutput = Annotated[Path, option("--output -o FILE", "the page, a .html file", output_file)]
Seed = Annotated[int, option("--seed N", "seed of all randomness", parse_seed)]
Threads = Annotated[
    int | None, option("--threads K", "threads (default: all cores); never changes a result", parse_threads)
]
RandomOpening = Annotated[bool, option("--random-opening", "draw the first move uniformly, whoever is to make it")]
Game = Annotated[str, option("--game GAME", GAMES_TEXT)]
Exact = Annotated[bool, option("--exact", "make the table of a game of more than a million states, for exact values")]
Board = Annotated[
    str | None,
    option("--board BOARD", "start from this board instead: nine characters, or rows of marks with / between"),
]
Position = Annotated[
    str | None,
    option("--position TEXT", "start here: rows of marks from the top, with / between (81 characters for ultimate)"),
]
Moves = Annotated[str | None, option("--moves MOVES", "start after these moves: 4453, or '55 51'")]
Openings = Annotated[str | None, option("--openings KIND", "how games one by one begin: none, random:PLIES, or a file")]
Executor = Annotated[
    str,
    option("--executor threads|dask", "threads, or dask for a cluster", one_of("an executor", "threads", "dask")),
]
Scheduler = Annotated[str | None, option("--scheduler ADDRESS", "of the dask scheduler, tcp://host:8786")]
Method = Annotated[
    Literal["play", "propagate"],
    option(
        "--method play|propagate",
        "play: every move of every game; propagate: multinomial counts",
        one_of("a method", "play", "propagate"),
    ),
]
XAgent = Annotated[str, argument("X", "agent that plays X (see `ttt-fast agents`)")]
OAgent = Annotated[str, argument("O", "agent that plays O")]


Force = Annotated[bool, option("--force", "write over unfinished work, or a longer run")]


@dataclass
class Target:
    """The destination of the rows of a command, and their format."""

    form: Format = None
    output: Output = None

    def __post_init__(self) -> None:
        """Choose the format, so that an error is reported before any work is done."""
        from ttt_fast.report.rows import chosen_format

        self.chosen = chosen_format(self.form, self.output)

    def write(
        self,
        command: str,
        rows: Sequence[Mapping[str, Any]],
        config: Mapping[str, Any],
        report: str | Callable[[], str],
        summary: Sequence[Mapping[str, Any]] | None = None,
    ) -> None:
        """Write the result of a command; `report` returns a readable text, or is the title of a plain table."""
        from ttt_fast.report.rows import encode, write_bytes

        if self.chosen != "table":
            content = encode(self.chosen, command, rows, config, summary)
        elif isinstance(report, str):
            from ttt_fast.report.console import rows_report

            content = rows_report(rows, report).encode()
        else:
            content = report().encode()
        write_bytes(content, self.output)
        if self.output is not None:
            typer.echo(f"wrote {self.output}", err=True)


def write_picture(output: Path | None, draw: Callable[[], str]) -> None:
    """Write a picture to its file."""
    from ttt_fast.report.rows import write_bytes

    write_bytes(draw().encode(), output)
    typer.echo(f"wrote {output}", err=True)


@dataclass
class Contests:
    """The options of contests."""

    seed: Seed = 0
    threads: Threads = None
    game: Game = "tic-tac-toe"
    exact: Exact = False
    openings: Openings = None
    executor: Executor = "threads"
    scheduler: Scheduler = None
    method: Method = "play"
    random_opening: RandomOpening = False

    def settings(self, games: str | None, minimum: int = 0, board: str | None = None, **more: Any) -> "ContestConfig":
        """Return the settings of a contest; its number of games is 0 if `games` is None."""
        from ttt_fast import ContestConfig

        announce_compilation()
        allow_large_table(self.game, self.exact)
        return ContestConfig(
            games=0 if games is None else parse_count(games, "a number of games", minimum),
            seed=self.seed,
            method=self.method,
            random_opening=self.random_opening,
            start=parse_board(self.game, board),
            game=self.game,
            openings=self.openings,
            **more,
        )


@contextmanager
def given_executor(executor: str, scheduler: str | None, threads: int | None) -> "Iterator[WorkExecutor]":
    """Open an executor: threads (None: all cores), or a cluster at the address of its scheduler."""
    from ttt_fast.running.api import DaskExecutor, ThreadExecutor

    if (executor == "dask") != (scheduler is not None):
        raise UsageError("expected --executor dask and --scheduler ADDRESS together, got one of them")
    opened = ThreadExecutor(threads) if scheduler is None else DaskExecutor(scheduler)
    with closing(opened) as pool:
        yield pool


def parse_start(
    game: "PlayedGame", board: str | None = None, position: str | None = None, moves: str | None = None
) -> Any:
    """Return the state of --board, --position or --moves, at most one of which may be given; else the first state."""
    given = {"--board": board, "--position": position, "--moves": moves}
    starts = [name for name, text in given.items() if text is not None]
    if len(starts) > 1:
        raise UsageError(f"expected one of --board, --position and --moves, got {' and '.join(starts)}")
    shown = position if board is None else board
    return game.state_after(moves or "") if shown is None else game.parse_position(shown)


def allow_large_table(game: str, exact: bool = True) -> None:
    """Build the table of a game, of any size, if exact values are requested; announce a large one."""
    if exact:
        from ttt_fast import table_of

        table_of(game, inf, on_large=lambda size: typer.echo(f"making a table of {size}", err=True))


def allow_exact(game: "PlayedGame", exact: bool) -> None:
    """Build the table of a game without a solver, of any size, if exact values are requested."""
    from ttt_fast.analysis.moves import ExactAnalysis

    allow_large_table(game.spec, exact and not ExactAnalysis.has_solver(game))


def parse_board(game: str, board: str | None) -> int:
    """Return the ongoing state of --board in a game with a table; the first state without --board."""
    if board is None:
        return 0
    from ttt_fast import parse_game, table_of
    from ttt_fast.games import api

    played = parse_game(game)
    try:
        table = table_of(played)
    except TableSizeError:
        raise UsageError(f"expected --board in a game that has a table, got it in {played.spec}") from None
    state = played.parse_position(board)
    if api.status(state) != api.ONGOING:
        ended = {api.X_WINS: "X has won", api.O_WINS: "O has won", api.DRAW: "it is drawn"}[api.status(state)]
        raise UsageError(f"expected a board where the game goes on, got {board!r}, where {ended}")
    return table.state_index(board)


def check_html(output: Path) -> None:
    """Raise UsageError unless the name of a file has the suffix of a page."""
    if output.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"expected a file ending in .html or .htm, got {str(output)!r}")


def announce_compilation() -> None:
    """Announce on standard error, once, if kernels must be compiled, as on the first use of this version."""
    from ttt_fast.core.jit import at_first_compilation

    said = "compiling kernels that this version has not used before (some seconds, once) ..."
    at_first_compilation(lambda: typer.echo(said, err=True))
