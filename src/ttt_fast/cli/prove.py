"""The command `prove`: the proof that the player of a file wins every game, as a certificate."""

from pathlib import Path
from typing import Annotated

import typer

from ttt_fast.cli import EXIT_FAILED, options
from ttt_fast.cli.parsing import parse_seat
from ttt_fast.cli.signatures import argument, option


def prove(
    file: Annotated[Path, argument("FILE", "weights and exceptions of a player (.npz)")],
    target: options.Target,
    game: options.Game = "connect4",
    seat: Annotated[
        int | None, option("--seat x|o", "the seat of the player (default: that of FILE)", parse_seat)
    ] = None,
    check: Annotated[
        Path | None, option("--check CERTIFICATE", "compare a certificate (.json) with the enumeration")
    ] = None,
) -> None:
    """Prove that the player of FILE wins every game: enumerate all replies of the other side on the full board.

    The certificate (-o certificate.json) contains the positions by ply, with a hash of each level.  The exit code is 1
    if the player does not win every game.
    """
    from ttt_fast.analysis.proof import prove as proof_of

    proof = proof_of(file, game, seat, check)
    config = {"file": str(file), "game": proof.summary["game"], "seat": proof.summary["seat"]}
    result = str(proof.summary["result"])
    target.write("prove", proof.rows, config, result, [proof.summary])
    if check is not None:
        typer.echo(f"the certificate {check} is that of {file}", err=True)
    if target.chosen != "table" or target.output is not None or not proof.is_proven:
        typer.echo(result, err=True)
    if not proof.is_proven:
        raise typer.Exit(EXIT_FAILED)
