"""The command `prove`: the proof that the player of a file wins every game, as a certificate."""

from pathlib import Path
from typing import Annotated

import typer

from ttt_fast import UsageError
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
    from ttt_fast import Seat, parse_game
    from ttt_fast.analysis.proof import check_certificate, load_certificate, prove as prove_file
    from ttt_fast.values.proven_files import load_proven

    if check is not None:
        load_certificate(check)  # an error in it is reported before the enumeration
    weights, played = load_proven(file), parse_game(game)
    if weights.game != played:
        raise UsageError(f"expected a player of {played.spec}, got {str(file)!r}, which plays {weights.game.spec}")
    if seat not in (None, weights.seat):
        own, other = Seat(weights.seat).text, Seat(seat).text
        raise UsageError(f"expected --seat {own}, the seat of {str(file)!r}, got {other!r}")
    proof = prove_file(file)
    if check is not None:
        check_certificate(check, proof)
    config = {"file": str(file), "game": played.spec, "seat": Seat(weights.seat).text}
    result = str(proof.summary["result"])
    target.write("prove", proof.rows, config, result, [proof.summary])
    if check is not None:
        typer.echo(f"the certificate {check} is that of {file}", err=True)
    if target.chosen != "table" or target.output is not None or not proof.is_proven:
        typer.echo(result, err=True)
    if not proof.is_proven:
        raise typer.Exit(EXIT_FAILED)
