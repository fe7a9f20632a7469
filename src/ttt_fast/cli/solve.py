"""The command `solve`: exact scores of Connect 4 positions."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from ttt_fast import UsageError
from ttt_fast.cli import EXIT_FAILED, options
from ttt_fast.cli.parsing import MAX_TABLE_MB, one_of
from ttt_fast.cli.signatures import argument, of_game, option
from ttt_fast.core.specs import parse_count

_Position = Annotated[
    str | None,
    argument("POSITION", "moves (44444), or a board (rows of marks separated by /); '': the empty board"),
]
_File = Annotated[
    Path | None,
    option(
        "--file FILE",
        "positions, one per line: moves without spaces, or a board; then optionally a space and the score (a line"
        " that begins with a space: the score of the empty board)",
    ),
]
_Actions = Annotated[
    str | None,
    option(
        "--actions WHICH",
        "moves to score: all, best, or none, which scores only the position (default: all; none with --file)",
        one_of("the value of --actions", "all", "best", "none"),
    ),
]


def solve(
    target: options.Target,
    position: _Position = None,
    game: Annotated[str, of_game("--game GAME", "connect4[:columns=7,rows=6], with four in a row")] = "connect4",
    file: _File = None,
    actions: _Actions = None,
    weak: Annotated[bool, option("--weak", "compute only win, draw or loss, which takes less time")] = False,
    table_mb: Annotated[str | None, option("--table-mb N", "transposition table in MiB (default: 64)")] = None,
    threads: options.Threads = None,
) -> None:
    """Solve Connect 4 positions: exact scores and best moves.

    A board may have up to 16 columns, and columns * (rows + 1) must be at most 64.  On the board of 7x6 the scores of
    all positions of up to six stones are stored.  The score of such a position, and of the moves in a position of up to
    five stones, therefore needs no search.
    """
    from ttt_fast import parse_game
    from ttt_fast.files import environment
    from ttt_fast.report.console import rows_report
    from ttt_fast.report.progress import progress
    from ttt_fast.search.connect_four.answers import Question
    from ttt_fast.terminal.positions import solve_report

    used = threads or int(environment()["cores"])
    mebibytes = None if table_mb is None else float(parse_count(table_mb, "a table size in MiB", 1, MAX_TABLE_MB))
    if (position is None) == (file is None):
        raise UsageError("expected a position or --file, got " + ("both" if file else "neither"))
    which = actions or ("none" if file else "all")
    if file and which != "none":
        raise UsageError(f"expected a single position with --actions {which}, got --file {str(file)!r}")
    question = Question(parse_game(game), weak, which, mebibytes, used)
    config = {"game": game, "weak": weak, "table_mb": mebibytes, "threads": used, "actions": which}
    if file:
        lines = question.read_file(file)
        with progress(None, "nodes", f"{len(lines):,} positions") as update:
            answer = question.answer_file(lines, update)
        target.write("solve", answer.rows, {**config, "file": str(file)}, lambda: rows_report(answer.rows))
    else:
        text = position or ""
        state = question.read(text)
        with progress(None, "nodes", text or "empty board") as update:
            answer = question.answer(text, state, update)
        report = partial(solve_report, question.game, state, answer.rows)
        target.write("solve", answer.rows, {**config, "position": text}, report)
    _say_how_long(answer.nodes, answer.seconds, answer.positions)
    _say_what_was_expected(answer.judged())


def _say_how_long(nodes: int, seconds: float, positions: int) -> None:
    from ttt_fast.report.console import si_number

    rate = f"{si_number(nodes)} nodes in {seconds:.3f} s, {si_number(nodes / max(seconds, 1e-9))} nodes/s"
    if not nodes:
        rate = f"known without a search, {seconds:.3f} s"
    each = f", {1e6 * seconds / positions:.1f} µs per position" if positions > 1 else ""
    typer.echo(rate + each, err=True)


def _say_what_was_expected(judged: list[bool]) -> None:
    """Print the number of scores that agree with the file; exit with code 1 if any score differs."""
    if judged:
        typer.echo(f"{sum(judged):,} of {len(judged):,} computed scores equal those in the file", err=True)
        if not all(judged):
            raise typer.Exit(EXIT_FAILED)
