"""The final message of an interrupted command: the saved results, and the command that resumes it."""

import re
import shlex
import sys
from collections.abc import Sequence
from typing import NoReturn

import typer

from ttt_fast.cli import EXIT_INTERRUPTED


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
