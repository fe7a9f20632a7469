"""Print the reference of all commands, algorithms and agents as Markdown: `python docs/reference.py > FILE`.

It is made from the help texts, when the site is built, and is not kept.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from typer.main import get_command

from ttt_fast import list_agents
from ttt_fast.cli.help_text import examples_of
from ttt_fast.cli.main import COMMANDS, app, register
from ttt_fast.learners import ALGORITHMS


def command_reference() -> str:
    """Return the reference: a section for each command, and one for the agents."""
    register()
    group: Any = get_command(app)
    parts = [
        "# Reference of all commands",
        "These are the texts of `--help`. [COMMANDS](COMMANDS.md) is the guide.",
        "## ttt-fast",
        _table("option", "meaning", rows=_records(group)),
        *(_section(name, group.commands[name]) for name in COMMANDS),
        "## Agents",
        "The text of an agent is `NAME:option=value,option=value`, such as `mcts:sims=1000,c=0.7`.",
        _agents(),
    ]
    return "\n\n".join(parts) + "\n"


def _section(name: str, command: Any) -> str:
    texts = [_plain(" ".join(paragraph.split())) for paragraph in command.help.split("\n\n")]
    examples = "\n".join(f"ttt-fast {line}" for line in examples_of(name))
    records = _records(command)
    parts = [f"## {name}", *texts, f"```bash\n{examples}\n```", _table("option", "meaning", rows=records)]
    if name == "train":
        alike: dict[tuple[tuple[str, str], ...], list[str]] = {}
        for algorithm in ALGORITHMS:
            others = (one for one in _records(command, "--algorithm", algorithm) if one not in records)
            alike.setdefault(tuple(others), []).append(f"`{algorithm}`")
        for settings, algorithms in alike.items():
            parts += [f"### Settings of {', '.join(algorithms)}", _table("option", "meaning", rows=settings)]
    return "\n\n".join(parts)


def _records(command: Any, *words: str) -> list[tuple[str, str]]:
    """Return the arguments and options of a command with their meanings, as its help shows them."""
    context = command.make_context(command.name, [*words, "--help"], resilient_parsing=True)
    shown = getattr(command, "shown_params", command.get_params)(context)
    records = [one.get_help_record(context) for one in shown]
    return [(re.sub(r" <.*>$", "", record[0]), record[1]) for record in records if record is not None]


def _agents() -> str:
    rows = [
        (row["agent"] or f":{row['option']}=", row["values"], row["default"], row["meaning"])
        for row in list_agents(by_option=True)
    ]
    return _table("agent", "values", "default", "meaning", rows=rows)


def _table(*columns: str, rows: Iterable[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns)]
    lines += [[f"`{row[0]}`", *(_plain(cell) for cell in row[1:])] for row in rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _plain(text: str) -> str:
    """Return a text with options as code, and without emphasis, links and elements of HTML."""
    parts = re.split(r"(`[^`]*`)", text)
    for place in range(0, len(parts), 2):
        escaped = re.sub(r"[*_<\[\]]", r"\\\g<0>", parts[place])
        parts[place] = re.sub(r"(?<![\w-])--[a-z][a-z-]*", r"`\g<0>`", escaped)
    return "".join(parts)


if __name__ == "__main__":
    print(command_reference(), end="")
