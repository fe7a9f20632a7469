"""The program `ttt-fast`: its commands, and the format of its errors."""

import gc
import io
import os
import re
import shutil
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module

from ttt_fast.cli import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_USAGE


def _wants_tracebacks() -> bool:
    return "--debug" in sys.argv[1:] or bool(os.environ.get("TTT_FAST_DEBUG"))


try:
    from typing import Annotated, Any

    import typer
    from typer.core import TyperGroup

    from ttt_fast import TttFastError, UnlearnedSeatWarning
    from ttt_fast.cli.help_text import Command, write_commands
    from ttt_fast.cli.signatures import keep_plain, with_groups
    from ttt_fast.core import wings
    from ttt_fast.core.compilation import compiling
    from ttt_fast.core.lazy import object_at
except KeyboardInterrupt:  # these imports take the first tenth of a second; Python's own start-up comes before
    if _wants_tracebacks():
        raise
    print("ttt-fast: interrupted", file=sys.stderr)
    raise SystemExit(EXIT_INTERRUPTED) from None


_OF_PACKAGE = {
    "train": "train", "match": "match", "exact": "exact", "compare": "compare", "score": "exact", "show": "show",
    "watch": "watch", "review": "review", "best-response": "exact", "agents": "agents", "states": "states",
    "play": "play", "sweep": "sweep", "plot": "plot", "page": "page", "reproduce": "reproduce", "solve": "solve",
    "perft": "states", "bench": "bench", "warmup": "machine", "info": "machine",
}  # fmt: skip
COMMANDS: dict[str, Any] = {**_OF_PACKAGE, **{name: one.function for name, one in wings.COMMANDS.items()}}
"""The commands, each a function of its name in a module here; or a function of a wing, or its place."""
_BRIEF = {
    "agents", "best-response", "compare", "exact", "match", "review", "score", "show", "solve", "states", "train",
    "watch",
}  # fmt: skip
"""Commands that evaluate a small game a few times, which takes less time in Python than the import of numba."""
_REMEDY = re.compile(
    r"; ((?:did you mean|--\w|`ttt-fast|try|add|upgrade|resume|restore|make it|run:|start) ?.*)$"
    r"| \(((?:see `|run again).*)\)$"
)
"""The part of a message that says what to do."""
_NUMBERS_OF_THREADS = ("NUMBA_NUM_THREADS", "POLARS_MAX_THREADS")
"""Environment variables with which libraries cannot be loaded if their number is below 1."""
_OBJECTS_BETWEEN_COLLECTIONS = 300_000
"""Python's own 700 take 15 to 20 % of a short command, since the imports create objects that all remain."""


class _Commands(TyperGroup):
    """The commands; without this class the parser would exit at Ctrl-C without a message."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands in groups, in a fixed order."""
        write_commands(sorted(self.commands.items(), key=lambda item: list(COMMANDS).index(item[0])), formatter)

    def invoke(self, context: Any) -> Any:
        """Run a command; Ctrl-C raises Abort."""
        try:
            return super().invoke(context)
        except KeyboardInterrupt as pressed:
            raise typer.Abort from pressed


keep_plain()
app = typer.Typer(
    name="ttt-fast",
    cls=_Commands,
    help="Tic-tac-toe, Connect 4 and Ultimate tic-tac-toe: learning, search, matches, and the exact values.",
    epilog="A board of tic-tac-toe is nine characters, row by row: 'XO..X...O'. Numbers may be written 100M, 1e8 or "
    "100_000_000. "
    "`ttt-fast info glossary` explains the terms.",
    rich_markup_mode=None,  # rich would cost 100 ms at every --help
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(requested: bool) -> None:
    if requested:
        from ttt_fast import __version__

        typer.echo(f"ttt-fast {__version__}")
        raise typer.Exit


@app.callback()
def _program(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="print the version")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="show tracebacks (may also follow the command)")] = False,
) -> None:
    """Tic-tac-toe, Connect 4 and Ultimate tic-tac-toe: learning, search, matches, and the exact values."""


def register(names: Iterable[str] = COMMANDS) -> None:
    """Register commands with the parser; importing all of them takes longer than most commands."""
    known = {command.name for command in app.registered_commands}
    for name, module in COMMANDS.items():
        if name in names and name not in known:
            if name not in _OF_PACKAGE:
                app.command(name, cls=Command)(with_groups(object_at(module)))
                continue
            home = import_module(f"ttt_fast.cli.{module}")
            command = getattr(home, name.replace("-", "_"))
            app.command(name, cls=getattr(home, "COMMAND", Command))(with_groups(command))


class _Unfailing(io.FileIO):
    """Standard error: text that cannot be written is lost, which changes neither the result nor the exit code."""

    def write(self, data: Any) -> int:
        """Write as much as possible, and return the number of bytes as if all were written."""
        with suppress(OSError):
            return super().write(data) or len(data)
        return len(data)


def _open_streams() -> None:
    """Read nothing from a closed standard input, write UTF-8, and never fail at standard error (`2>&-`, `2>/dev/full`).

    Rows are bytes of UTF-8.  Other text joins them, since a pipe on Windows has an encoding without frames of tables.
    """
    is_of_process = sys.stderr is sys.__stderr__
    if sys.stdout is sys.__stdout__ and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    if sys.stdin is None:
        sys.stdin = open(os.devnull)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")
    elif is_of_process:
        # without a buffer, whose content would be written again if Ctrl-C arrived in `_Unfailing.write`
        stream: Any = _Unfailing(sys.stderr.fileno(), "w", closefd=False)
        sys.stderr = io.TextIOWrapper(stream, sys.stderr.encoding, sys.stderr.errors, line_buffering=True)


def main() -> None:
    """Run the program: exit code 0 done, 1 failed, 2 usage, 130 interrupted."""
    _open_streams()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    try:
        _run()
    finally:
        gc.freeze()  # no collection at the exit


def _run() -> None:
    debug = _wants_tracebacks()
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    if sys.stdout is None:  # `ttt-fast agents >&-`
        _fail("cannot write the output: the standard output is closed", EXIT_FAILED, debug)
    for name in _NUMBERS_OF_THREADS:
        if re.fullmatch(r"\s*(-\d+|[+-]?0+)\s*", os.environ.get(name, "")):
            _fail(f"expected a number above 0 in {name}, got {os.environ[name]!r}", EXIT_USAGE, debug)
    named = next((word for word in arguments if not word.startswith("-")), None)
    compiling.with_scipy = False
    if named in _BRIEF:
        compiling.prefer_python()
    warnings.showwarning = lambda text, *_, **__: print(  # the first line: a warning of numba contains a traceback
        f"ttt-fast: {TttFastError([*str(text).splitlines(), ''][0])}", file=sys.stderr
    )
    warnings.simplefilter("error", UnlearnedSeatWarning)
    for name, added in wings.COMMANDS.items():
        if name in _OF_PACKAGE:
            _fail(f"expected a name of a command that no other command has, got {name!r}", EXIT_USAGE, debug)
        COMMANDS[name] = added.function
    is_one = named in COMMANDS and "_TTT_FAST_COMPLETE" not in os.environ
    try:
        register([named] if named and is_one else COMMANDS)
        with _long_work_shown(), _CompilationLine().shown():
            code = app(args=arguments or ["--help"], prog_name="ttt-fast", standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        _fail("interrupted", EXIT_INTERRUPTED, debug)
    except TttFastError as error:
        _fail(str(error), error.exit_code, debug)
    except SystemExit as left:
        # The reader of the output has closed it (`ttt-fast agents | head`): the parser returns 1, but this is no error.
        raise SystemExit(0 if isinstance(left.__context__, BrokenPipeError) else left.code) from None
    except OSError as error:
        about = f" ({error.filename})" if error.filename else ""
        _fail(f"{(error.strerror or str(error)).lower()}{about}", EXIT_FAILED, debug)
    except MemoryError:
        _fail("out of memory; try fewer threads or a smaller run", EXIT_FAILED, debug)
    except Exception as error:
        if hasattr(error, "format_message"):  # the parser's own usage errors
            _fail(_usage(error), EXIT_USAGE, debug)
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        _fail(f"internal error: {reason} (run again with --debug to see where)", EXIT_FAILED, debug)
    else:
        raise SystemExit(code if isinstance(code, int) else 0)


@contextmanager
def _long_work_shown() -> Iterator[None]:
    """Show the progress reports of long work inside a command."""
    from ttt_fast.report import erase_live_lines
    from ttt_fast.running.api import watched_by

    def show(*news: Any) -> None:
        from ttt_fast.report.progress import work_bars

        work_bars(*news)

    try:
        with watched_by(show):
            yield
    finally:
        erase_live_lines()


class _CompilationLine:
    """Shows the compilation of kernels: a live line in a terminal, and otherwise one line when it begins."""

    def __init__(self) -> None:
        self._said = False

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show the compilation; remove the line at the end."""
        with compiling.watched_by(self._show):
            try:
                yield
            finally:
                if self._said:
                    self._show("")

    def _show(self, text: str) -> None:
        began, self._said = not self._said, True
        if not sys.stderr.isatty():
            if began and text:
                print(text, file=sys.stderr)
            return
        bars = sys.modules.get("ttt_fast.report.progress")
        if bars is None or not bars.relabel_bar(text):
            width = shutil.get_terminal_size().columns - 1
            print(f"\r\x1b[2K{text[:width]}", end="", file=sys.stderr, flush=True)


def _usage(error: Any) -> str:
    """Return the parser's message as one lower-case line."""
    text = " ".join(error.format_message().split()).rstrip(".")
    command = getattr(getattr(error, "ctx", None), "command_path", "ttt-fast")
    return f"{text[:1].lower()}{text[1:]} (see `{command} --help`)"


def _fail(reason: str, exit_code: int, debug: bool) -> None:
    """Print the error in one line and exit; with --debug, raise it with its traceback."""
    if debug and sys.exc_info()[0] is not None:
        raise
    print(_error_text(f"ttt-fast: {TttFastError(reason)}"), file=sys.stderr)
    raise SystemExit(exit_code)


def _error_text(line: str) -> str:
    """Return an error as it is in a pipe; for a terminal, broken between words, and its remedy as a second line.

    The remedy is the end of a message, after a semicolon or in parentheses: a question, an option, or a command.
    """
    if not sys.stderr.isatty():
        return line
    from textwrap import fill

    found = _REMEDY.search(line)
    parts = [line] if found is None else [line[: found.start()], f"hint: {found[1] or found[2]}"]
    width = shutil.get_terminal_size().columns
    return "\n".join(
        fill(part, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False) for part in parts
    )
