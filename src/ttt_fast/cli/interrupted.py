"""The last words of a command that was interrupted: what is kept, and how to go on."""

import re
import shlex
import sys
from collections.abc import Sequence
from typing import NoReturn

import typer

from ttt_fast.cli import EXIT_INTERRUPTED


def this_command(resumed: bool = False) -> list[str]:
    """Return the words of this command line; with `resumed`, what it saved is what it goes on with."""
    words = [word for word in sys.argv[1:] if word != "--debug"]
    if resumed:
        words = [re.sub(r"^--save(?=$|=)", "--resume", word) for word in words]
    return ["ttt-fast", *words]


def leave_interrupted(again: Sequence[str], done: str = "") -> NoReturn:
    """Say on standard error which words go on, perhaps after what has been done, and leave with 130."""
    after = f" after {done}" if done else ""
    typer.echo(f"interrupted{after}; go on with\n  {shlex.join(again)}", err=True)
    raise typer.Exit(EXIT_INTERRUPTED)


def leave_with_part(kept: str) -> NoReturn:
    """Say on standard error that the printed table holds no more than what is kept, and leave with 130."""
    typer.echo(f"interrupted; the table holds {kept}", err=True)
    raise typer.Exit(EXIT_INTERRUPTED)
