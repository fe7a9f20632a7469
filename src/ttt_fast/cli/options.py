"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

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
Board = Annotated[
    str | None, typer.Option("--board", metavar="BOARD", help="start from this board (9 characters) instead")
]
XAgent = Annotated[str, typer.Argument(metavar="X", help="agent that plays X (see `ttt-fast agents`)")]
OAgent = Annotated[str, typer.Argument(metavar="O", help="agent that plays O")]


def announce_compilation() -> None:
    """Say on standard error that the kernels must be compiled first, if they must."""
    from ttt_fast._jit import cache_is_cold

    if cache_is_cold():
        typer.echo("first run of this version: compiling the kernels (some seconds, once) ...", err=True)
