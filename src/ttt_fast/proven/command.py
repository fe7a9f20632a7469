"""The command `prove`: proofs of players."""

from pathlib import Path
from typing import Annotated

import typer

from ttt_fast.cli.api import GameOption, Target, argument, option, parse_seat


def prove(
    file: Annotated[Path, argument("FILE", "weights and exceptions of a player (.npz)")],
    target: Target,
    game: GameOption = "connect4",
    seat: Annotated[
        int | None, option("--seat x|o", "the seat of the player (default: that of FILE)", parse_seat)
    ] = None,
    check: Annotated[
        Path | None, option("--check CERTIFICATE", "compare a certificate (.json) with the enumeration")
    ] = None,
) -> None:
    """Prove that the player of FILE wins every game of Connect 4: enumerate every reply of the other side.

    The certificate (-o certificate.json) contains the number of positions and a hash for each ply.  The exit code is 1
    if the player does not win every game, or has more than 100,000,000 positions.  The proof is about the rule of FILE;
    that the agent `proven` and the page play by this rule is tested elsewhere.
    """
    from ttt_fast.proven.certificate import prove as proof_of

    proof = proof_of(file, game, seat, check)
    config = {"file": str(file), "game": proof.summary["game"], "seat": proof.summary["seat"]}
    result = str(proof.summary["result"])
    target.write("prove", proof.rows, config, result, [proof.summary])
    if check is not None:
        typer.echo(f"the certificate {check} is that of {file}", err=True)
    if target.chosen != "table" or target.output is not None or not proof.is_proven:
        typer.echo(result, err=True)
    if not proof.is_proven:
        raise typer.Exit(1)
