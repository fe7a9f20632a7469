"""The command `solve`: exact scores of Connect 4 positions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ttt_fast.cli import EXIT_FAILED, options
from ttt_fast.cli.parsing import MAX_TABLE_MB, one_of
from ttt_fast.cli.signatures import argument, option
from ttt_fast.core.errors import UsageError
from ttt_fast.core.specs import parse_count

if TYPE_CHECKING:
    from ttt_fast.search.connect_four.answers import Answer, Question


def solve(
    target: options.Target,
    position: Annotated[
        str | None,
        argument("POSITION", "the columns played, 44444, or rows of marks from the top, with / between; '': empty"),
    ] = None,
    game: Annotated[str, option("--game GAME", "connect4[:columns=7,rows=6], with four in a row")] = "connect4",
    file: Annotated[Path | None, option("--file FILE", "solve a position a line, perhaps with its score")] = None,
    actions: Annotated[
        str | None,
        option(
            "--actions WHICH",
            "score all moves, the best ones, or none (the position only)",
            one_of("actions", "all", "best", "none"),
        ),
    ] = None,
    weak: Annotated[bool, option("--weak", "win, draw or loss only, which takes less time")] = False,
    table_mb: Annotated[str | None, option("--table-mb N", "size of the transposition table in MiB (64)")] = None,
    threads: options.Threads = None,
) -> None:
    """Solve Connect 4 positions: exact scores and best moves, on boards of up to 16 columns that fit into 64 bits.

    The scores of all positions of up to six stones on the usual board are known without a search. Those of the moves
    are therefore known for up to five stones, and with six stones for --actions none and --file.
    """
    from ttt_fast.core.manifest import available_cores
    from ttt_fast.games.registry import parse_game
    from ttt_fast.search.connect_four.answers import Question
    from ttt_fast.search.connect_four.positions import board_size

    if (position is None) == (file is None):
        raise UsageError("expected a position or --file, got " + ("both" if file else "neither"))
    which = actions or ("none" if file else "all")
    if file and which != "none":
        raise UsageError(f"expected a single position for --actions {which}, got a file")
    used = threads or available_cores()
    mebibytes = None if table_mb is None else float(parse_count(table_mb, "a table size in MiB", 1, MAX_TABLE_MB))
    played = parse_game(game)
    board_size(played)  # refuses other games
    asked = Question(played, weak, which, mebibytes, used)
    config = {"game": game, "weak": weak, "table_mb": mebibytes, "threads": used, "actions": which}
    config |= {"file": str(file)} if file else {"position": position or ""}
    answer, report = _answer(asked, file, position or "")
    target.write("solve", answer.rows, config, report)
    _say_how_long(answer)
    _say_what_was_expected(answer)


def _answer(asked: Question, file: Path | None, position: str) -> tuple[Answer, Callable[[], str]]:
    """Return the answer about a file or a position, and what makes its report."""
    from ttt_fast.report.console import rows_report
    from ttt_fast.report.progress import progress
    from ttt_fast.search.connect_four import answers, positions
    from ttt_fast.search.connect_four.solver import load_kernels
    from ttt_fast.terminal.positions import solve_report

    if file:
        lines = answers.read_lines(asked.game, file)
        options.announce_compilation()
        load_kernels()
        with progress(None, "nodes", f"{len(lines):,} positions") as update:
            answer = answers.answer_lines(asked, lines, update)
        return answer, lambda: rows_report(answer.rows)
    state = answers.read_state(asked.game, position)
    options.announce_compilation()
    load_kernels()
    with progress(None, "nodes", position or "empty board") as update:
        answer = answers.answer_position(asked, position, positions.words_of(state), update)
    return answer, lambda: solve_report(asked.game, state, answer.rows)


def _say_how_long(answer: Answer) -> None:
    from ttt_fast.report.console import si_number

    rate = f"{si_number(answer.nodes)} nodes in {answer.seconds:.3f} s, {si_number(answer.nodes_per_second)} nodes/s"
    if not answer.nodes:
        rate = f"known without a search, {answer.seconds:.3f} s"
    each = f", {1e6 * answer.seconds_a_position:.1f} µs a position" if answer.positions > 1 else ""
    typer.echo(rate + each, err=True)


def _say_what_was_expected(answer: Answer) -> None:
    """Say how many scores are those of the file; exit code 1 if one is not."""
    judged = answer.judged()
    if judged:
        typer.echo(f"{sum(judged):,} of {len(judged):,} scores as the file expects", err=True)
        if not all(judged):
            raise typer.Exit(EXIT_FAILED)
