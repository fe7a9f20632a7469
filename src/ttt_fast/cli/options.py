"""Options that several commands share, and the final message of an interrupted command."""

import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import typer

from ttt_fast import UsageError
from ttt_fast.cli import EXIT_INTERRUPTED
from ttt_fast.cli.completion import GAMES_TEXT
from ttt_fast.cli.parsing import one_of, output_file, parse_most, parse_seat, parse_seed, parse_threads
from ttt_fast.cli.signatures import argument, of_game, of_result, of_run
from ttt_fast.core.specs import parse_count

if TYPE_CHECKING:
    from ttt_fast import ContestConfig, Game as PlayedGame
    from ttt_fast.games import api
    from ttt_fast.play.contest import Contest
    from ttt_fast.running.api import Executor

_FORMATS = "table, json, jsonl, csv, parquet or markdown"
Format = Annotated[str | None, of_result("--format -f FORMAT", f"{_FORMATS} (default: table)")]
RowFormat = Annotated[
    str | None, of_result("--format -f FORMAT", f"{_FORMATS} (default: by the extension of FILE, otherwise table)")
]
Output = Annotated[Path | None, of_result("--output -o FILE", "write the result to a file, not to stdout", output_file)]
Seed = Annotated[int, of_run("--seed N", "seed of all randomness", parse_seed)]
Threads = Annotated[
    int | None,
    of_run(
        "--threads K",
        "number of threads; affects results only of agents with a time limit (default: all cores)",
        parse_threads,
    ),
]
RandomOpening = Annotated[
    bool,
    of_game("--random-opening", "choose the first move uniformly at random (only for policies over a state table)"),
]
GAMES_FILE = ".jsonl"
"""The ending of a file of games."""
Game = Annotated[str, of_game("--game GAME", GAMES_TEXT)]
DEFAULT_GAME = "tic-tac-toe"
Exact = Annotated[bool, of_game("--exact", "for exact values, also build state tables of more than a million states")]
Solved = Annotated[
    bool,
    of_game(
        "--exact", "show exact values even if they take long: build large state tables, and solve Connect 4 positions"
    ),
]
Position = Annotated[
    str | None,
    of_game(
        "--position TEXT",
        "start after these moves (4453, or '55 51' in ultimate), or from this board (rows of marks separated by /)",
    ),
]
FixedSeat = Annotated[
    int | None,
    of_game(
        "--fixed-seat x|o",
        "fix the agent of this seat, and enumerate only the positions that can arise against it",
        parse_seat,
    ),
]
MaxPositions = Annotated[
    float | None,
    of_game("--max-positions N", "with --fixed-seat: largest number of positions (default: by memory)", parse_most),
]
Openings = Annotated[
    str | None,
    of_game(
        "--openings KIND",
        "play all agents game by game, from these openings: none, random:PLIES, or a file of positions, one per line:"
        " moves, or a board, without a score",
    ),
]
Scheduler = Annotated[
    str | None,
    of_run("--scheduler ADDRESS", "run on a dask cluster, given the address of its scheduler: tcp://host:8786"),
]
Method = Annotated[
    Literal["play", "propagate"],
    of_run(
        "--method play|propagate",
        "play: simulate every move of every game; propagate: draw the counts of all games at once, from the exact"
        " distribution of the final positions",
        one_of("the method", "play", "propagate"),
    ),
]
XAgent = Annotated[str, argument("X", "agent that plays X (see `ttt-fast agents`)")]
OAgent = Annotated[str, argument("O", "agent that plays O")]


Force = Annotated[bool, of_run("--force", "overwrite existing files, also those of unfinished or longer runs")]


@dataclass
class Target:
    """The destination of the rows of a command, and their format."""

    form: RowFormat = None
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
        said: str = "",
    ) -> None:
        """Write the result of a command; `report` returns a readable text, or is the title of a plain table.

        The sentence `said` ends a readable text; the other formats contain rows alone.
        """
        from ttt_fast.report.console import render, rows_report
        from ttt_fast.report.rows import encode, write_bytes

        if self.chosen != "table":
            content = encode(self.chosen, command, rows, config, summary)
        else:
            text = rows_report(rows, report) if isinstance(report, str) else report()
            content = (text + render([said] if said else [])).encode()
        write_bytes(content, self.output)
        if self.output is not None:
            typer.echo(f"wrote {self.output}", err=True)


@dataclass
class Drawn(Target):
    """A destination that may be a picture (.svg)."""

    def __post_init__(self) -> None:
        """Choose the format, or a picture."""
        self.is_picture = self.output is not None and self.output.suffix.lower() == ".svg"
        if not self.is_picture:
            super().__post_init__()
        elif self.form is not None:
            raise UsageError(f"expected no --format for a picture (.svg), got --format {self.form!r}")

    def draw(self, picture: str) -> None:
        """Write a picture."""
        from ttt_fast.report.rows import write_bytes

        write_bytes(picture.encode(), self.output)
        typer.echo(f"wrote {self.output}", err=True)


@dataclass
class Start:
    """The option for the first state of a game."""

    position: Position = None

    def state(self, game: "PlayedGame") -> "api.GameState":
        """Return the state after the moves, or of the board; the initial state if there is neither."""
        return game.initial_state if self.position is None else game.parse_state(self.position)


@dataclass
class Contests:
    """The options of contests."""

    seed: Seed = 0
    threads: Threads = None
    game: Game = DEFAULT_GAME
    exact: Exact = False
    openings: Openings = None
    scheduler: Scheduler = None
    method: Method = "play"
    random_opening: RandomOpening = False

    def settings(self, games: str | None, minimum: int = 0, **more: Any) -> "ContestConfig":
        """Return the settings of a contest; its number of games is 0 if `games` is None."""
        from ttt_fast import ContestConfig

        allow_large_table(self.game, self.exact)
        return ContestConfig(
            games=0 if games is None else parse_count(games, "a number of games", minimum),
            seed=self.seed,
            method=self.method,
            random_opening=self.random_opening,
            game=self.game,
            openings=self.openings,
            **more,
        )

    def hold(
        self, config: "ContestConfig", games: str | None, label: str, first: Any, second: Any = None, **more: Any
    ) -> "tuple[Contest, int]":
        """Hold a contest of two agents, or a round robin of a list, until a signal; return it with its number of games.

        The number of games is the default one if `games` is None.
        """
        from ttt_fast import contest
        from ttt_fast.report.progress import progress

        agents, is_list = (first, True) if second is None else ([first, second], False)
        with given_executor(self.scheduler, self.threads) as pool:
            if games is None:
                config = config.with_usual_games(agents, sprt=more.get("sprt"), executor=pool, round_robin=is_list)
            with progress(config.games * (len(agents) ** 2 if is_list else 1), "games", label) as update:
                more |= {"threads": self.threads, "executor": pool, "on_progress": update, "on_interrupt": "return"}
                return contest(first, second, config, **more), config.games


@contextmanager
def given_executor(scheduler: str | None, threads: int | None) -> "Iterator[Executor]":
    """Open an executor: threads (None: all cores), or a cluster at the address of its scheduler."""
    from ttt_fast.running.api import DaskExecutor, ThreadExecutor

    with closing(ThreadExecutor(threads) if scheduler is None else DaskExecutor(scheduler)) as pool:
        yield pool


def allow_large_table(game: "PlayedGame | str", exact: bool = True) -> None:
    """Build the table of a game, of any size, if exact values are requested; announce a large one."""
    if exact:
        from ttt_fast import table_of

        table_of(game, inf, on_large=lambda size: typer.echo(f"building a state table of {size}", err=True))


def allow_exact(game: "PlayedGame", exact: bool) -> None:
    """Build the table of a game without a solver, of any size, if exact values are requested."""
    from ttt_fast.analysis.moves import ExactAnalysis

    allow_large_table(game, exact and not ExactAnalysis.has_solver(game))


def refuse(given: Mapping[str, object], without: str) -> None:
    """Raise UsageError if an option that has an effect only together with the option `without` was given."""
    for name, value in given.items():
        if value is not None:
            raise UsageError(f"expected {name} only with {without}, got {name} without it")


def this_command(resumed: bool = False) -> list[str]:
    """Return the words of this command line; with `resumed`, they resume from the saved file."""
    words = [word for word in sys.argv[1:] if word != "--debug"]
    if resumed:
        words = [re.sub(r"^--save(?=$|=)", "--resume", word) for word in words]
    return ["ttt-fast", *words]


def leave_interrupted(again: Sequence[str], done: str = "") -> NoReturn:
    """Print the command that resumes the work, after `done`, on standard error, and exit with code 130."""
    after = f" after {done}" if done else ""
    typer.echo(f"interrupted{after}; resume with\n  {shlex.join(again)}", err=True)
    raise typer.Exit(EXIT_INTERRUPTED)


def leave_with_part(kept: str) -> NoReturn:
    """Print on standard error that the printed table contains only the saved part, and exit with code 130."""
    typer.echo(f"interrupted; the printed table contains {kept}", err=True)
    raise typer.Exit(EXIT_INTERRUPTED)
