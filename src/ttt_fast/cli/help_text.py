"""The help of commands: options in groups, and examples that work."""

import re
from collections.abc import Iterable
from textwrap import wrap
from typing import Any

from typer.core import TyperCommand

from ttt_fast import UsageError
from ttt_fast.core import wings

GROUPS = ("Options", "Game and position", "Learning", "Networks", "The run", "Result")
"""Headings, in order; each option states its own, and the others are below the first."""

COMMAND_GROUPS = {
    "Play and compare": ("match", "exact", "compare", "score", "show", "watch", "review", "play", "best-response"),
    "Learn": ("train", "sweep", "reproduce", "plot"),
    "Games": ("agents", "states", "solve", "perft"),
}
"""Headings, and the commands of the package below each of them; those of wings follow, and then all other commands."""
OTHER_COMMANDS = "Pages and machine"

EXAMPLES = {
    "train": ("train --opponent random -n 10M -o q.npz", "train --game connect4 --algorithm td -n 100k -o c4.npz"),
    "match": ("match minimax random -n 100M", "match mcts alphabeta --game ultimate -n 100 --save games.jsonl"),
    "exact": ("exact random minimax", "exact minimax random --game tic-tac-toe:rows=3,columns=4"),
    "compare": ("compare random minimax heuribot", "compare mcts alphabeta default --game connect4 -n 20"),
    "score": ("score heuribot", "score q.npz --against buggy2 --format json"),
    "show": ("show XO..X....", "show 44444 --game connect4 -o board.svg"),
    "watch": ("watch mcts solver --game connect4", "watch games.jsonl 3 -o game.svg"),
    "review": ("review games.txt", "review games.jsonl --moves -o moves.csv"),
    "best-response": ("best-response buggy2", "best-response random --seat o -o br.npz"),
    "agents": ("agents mcts", "agents --game connect4"),
    "states": ("states", "states --game connect4:columns=4,rows=4 -o states.parquet"),
    "play": ("play solver --game connect4 --position 445 --hints", "play --browser --game ultimate"),
    "sweep": ("sweep --set epsilon=0.1,0.2 --seeds 10 -n 1M -o runs", "sweep --config sweep.toml -o runs"),
    "plot": ("plot curve.parquet --y value --log-x", "plot runs --by epsilon --band iqm -o curves.svg"),
    "reproduce": ("reproduce hensler", "reproduce ultimate --quick --format json"),
    "solve": ("solve 44444", "solve '' --actions best --game connect4:columns=6,rows=5"),
    "perft": ("perft --depth 8", "perft --game ultimate --depth 4 --by-move"),
    "page": ("page --agents minimax,q.npz -o page.html", "page q.npz -o report.html"),
    "bench": ("bench --quick -o here.json", "bench compare there.json here.json"),
    "warmup": ("warmup",),
    "info": ("info --format json", "info tables clear --game connect4:columns=6,rows=4"),
}
"""Two command lines for each command with arguments or options."""


class Command(TyperCommand):
    """A command whose help groups the options below headings and ends with examples."""

    def shown_params(self, ctx: Any) -> list[Any]:
        """Return the parameters in the help."""
        return list(self.get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words of the command; an option with a value that is given twice is an error."""
        found: list[Any] = [*self.make_parser(ctx).parse_args(args=[*args])[2]]
        left = super().parse_args(ctx, args)
        for param in found:
            if found.count(param) > 1 and not (param.multiple or param.is_flag):
                raise UsageError(f"expected {param.opts[0]} once, got it {found.count(param)} times")
        return left

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the words of the usage line, with required arguments as plain words."""
        return [re.sub(r"^\{(.*)\}", r"\1", piece) for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, and the options in groups."""
        given: list[tuple[str, str]] = []
        groups: dict[str, list[tuple[str, str]]] = {name: [] for name in GROUPS}
        for param in self.shown_params(ctx):
            record = param.get_help_record(ctx)
            if record is None:
                continue
            if param.param_type_name == "argument":
                given.append((re.sub(r" <.*>$", "", record[0]), record[1]))
            else:
                groups[param.rich_help_panel or ("Result" if "--help" in param.opts else "Options")].append(record)
        for name, records in {"Arguments": given, **groups}.items():
            _write(formatter, name, records)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples."""
        lines = examples_of(self.name or "")
        if lines:
            with formatter.section("Examples"):
                for line in lines:
                    parts = wrap(f"ttt-fast {line}", formatter.width - 6, break_on_hyphens=False)
                    formatter.write("  " + " \\\n    ".join(parts) + "\n")


def examples_of(name: str) -> tuple[str, ...]:
    """Return the examples of a command of the package or of a wing; none for any other."""
    return wings.COMMANDS[name].examples if name in wings.COMMANDS else EXAMPLES.get(name, ())


def write_commands(commands: Iterable[tuple[str, Any]], formatter: Any) -> None:
    """Write the commands in groups, with the whole first sentence of each."""
    left = {name: (name, _first_sentence(command)) for name, command in commands}
    for title, names in COMMAND_GROUPS.items():
        of_wings = [name for name, one in wings.COMMANDS.items() if one.group == title]
        _write(formatter, title, [left.pop(name) for name in (*names, *of_wings) if name in left])
    _write(formatter, OTHER_COMMANDS, list(left.values()))


def _write(formatter: Any, title: str, records: list[tuple[str, str]]) -> None:
    if records:
        with formatter.section(title):
            formatter.write_dl(records)


def _first_sentence(command: Any) -> str:
    paragraph = " ".join((command.help or "").partition("\n\n")[0].split())
    return paragraph.removesuffix(".")
