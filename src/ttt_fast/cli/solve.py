"""The commands `solve` and `prove`: exact scores of Connect 4 positions, books of them, and proofs of players."""

from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from ttt_fast import UsageError
from ttt_fast.cli import EXIT_FAILED, options
from ttt_fast.cli.parsing import MAX_TABLE_MB, one_of, parse_seat
from ttt_fast.cli.signatures import argument, option
from ttt_fast.core.specs import parse_count

if TYPE_CHECKING:
    from ttt_fast.search.connect_four.answers import Question

_BOOK = ".npz"
"""Suffix of the file of a book."""
_FORECAST_AFTER, _LONG_SECONDS = 6.0, 20.0
"""Seconds after which a forecast is printed, and the least remaining time of which it tells."""
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
_Book = Annotated[
    str | None,
    option(
        "--book N|FILE",
        "make a book: the scores of all positions of up to N plies, kept for later commands, or written to"
        " -o FILE.npz; or use the book of a file (default: the largest kept one of the board)",
    ),
]


def solve(
    position: _Position = None,
    game: Annotated[str, option("--game GAME", "connect4[:columns=7,rows=6], with four in a row")] = "connect4",
    file: _File = None,
    actions: _Actions = None,
    weak: Annotated[bool, option("--weak", "compute only win, draw or loss, which takes less time")] = False,
    table_mb: Annotated[str | None, option("--table-mb N", "transposition table in MiB (default: 64)")] = None,
    threads: options.Threads = None,
    book: _Book = None,
    form: options.RowFormat = None,
    output: options.Output = None,
) -> None:
    """Solve Connect 4 positions: exact scores and best moves.

    A board may have up to 16 columns, and columns * (rows + 1) must be at most 64.  On the board of 7x6 the scores of
    all positions of up to six stones are stored.  The score of such a position, and of the moves in a position of up to
    five stones, therefore needs no search.  `--book N` computes and keeps the scores of all positions of up to N plies
    of any board (a book).  If it is interrupted, run the same command to continue.  `solve` and the agent `solver` use
    the largest book kept for the board.
    """
    from ttt_fast import parse_game
    from ttt_fast.files import environment
    from ttt_fast.report.console import rows_report
    from ttt_fast.report.progress import progress
    from ttt_fast.search.connect_four.answers import Question
    from ttt_fast.terminal.positions import solve_report

    plies = None if book is None or book.endswith(_BOOK) else parse_count(book, "a book of plies", 1, 63)
    used = threads or int(environment()["cores"])
    mebibytes = None if table_mb is None else float(parse_count(table_mb, "a table size in MiB", 1, MAX_TABLE_MB))
    if plies is not None:
        given = {"a position": position, "--file": file, "--actions": actions, "--weak": weak or None}
        others = [name for name, value in given.items() if value is not None]
        if others:
            raise UsageError(f"expected --book {book} without {others[0]}, got both")
        question = Question(parse_game(game), table_mb=mebibytes, threads=used)
        _make_book(question, plies, form, output)
        return
    target = options.Target(form, output)
    if (position is None) == (file is None):
        raise UsageError("expected a position or --file, got " + ("both" if file else "neither"))
    which = actions or ("none" if file else "all")
    if file and which != "none":
        raise UsageError(f"expected a single position with --actions {which}, got --file {str(file)!r}")
    question = Question(parse_game(game), weak, which, mebibytes, used, None if book is None else Path(book))
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


def _make_book(question: "Question", plies: int, form: str | None, output: Path | None) -> None:
    """Make a book, or continue an unfinished one, and write a row for each ply; a file of books is that of the book."""
    from ttt_fast.report.console import rows_report
    from ttt_fast.report.progress import progress

    path = output if output is not None and output.suffix == _BOOK else None
    target = options.Target(form, None if path else output)
    label = f"book of {plies} plies of {question.game.spec}"
    run = question.book_run(plies, path)
    begun, before, told = perf_counter(), run.solved, run.solved == run.total
    if not told:
        typer.echo(f"{label}: {run.total - before:,} of {run.total:,} positions of the last ply to solve", err=True)
    with progress(run.total, "positions", label, resumed=before) as update:

        def show(solved: int) -> None:
            nonlocal told
            spent = perf_counter() - begun
            if not told and spent > _FORECAST_AFTER and solved > before:
                told, left = True, spent * (run.total - solved) / (solved - before)
                if left > _LONG_SECONDS:
                    typer.echo(f"about {_duration(left)} left at the present rate", err=True)
            update(solved)

        finished = run.run(show)
    if not finished or run.book is None:
        options.leave_interrupted(options.this_command(), f"{run.solved:,} of {run.total:,} positions")
    spent = perf_counter() - begun
    rate = f", {run.total - before:,} positions solved in {spent:.1f} s" if run.total > before else ", made before"
    typer.echo(f"{len(run.book.keys):,} scores, {run.path.stat().st_size:,} bytes, in {run.path}{rate}", err=True)
    rows = run.book.counts()
    target.write("solve", rows, {"game": question.game.spec, "book": plies}, lambda: rows_report(rows, label))


def _duration(seconds: float) -> str:
    """Return a length of time in the unit that fits it."""
    for size, unit in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} seconds"


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
    """Prove that the player of FILE wins every game of Connect 4: enumerate every reply of the other side.

    The certificate (-o certificate.json) contains the number of positions and a hash for each ply.  The exit code is 1
    if the player does not win every game, or has more than 100,000,000 positions.  The proof is about the rule of FILE;
    that the agent `proven` and the page play by this rule is tested elsewhere.
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
