"""Agents, kinds of learned values and commands that wings add to the package, by name.

A wing is a package above the core.  `ttt_fast/__init__.py` lists the wings, and imports the module `wing` of each.  It
calls the functions below and imports nothing else: an addition is a place, `module:name`, which is imported when it is
first used.
"""

from collections.abc import Callable


class WingCommand:
    """A command of a wing.

    Parameters
    ----------
    function
        The function of the command, or its place.
    group
        The heading of the help below which the command stands.
    examples
        Command lines, without the name of the program.
    """

    def __init__(self, function: Callable[..., None] | str, group: str, examples: tuple[str, ...]) -> None:
        self.function, self.group, self.examples = function, group, examples


AGENTS: dict[str, str] = {}
"""Places of functions that return an `Agent`, by the names of the agents."""
VALUES: dict[str, object] = {}
"""Classes of learned values, or their places, by the kinds of their files."""
COMMANDS: dict[str, WingCommand] = {}
"""The commands, by name."""


def add_agent_at(name: str, place: str) -> None:
    """Register an agent; the function at `place` is called with its name and returns the `Agent`."""
    AGENTS[name] = place


def add_values(kind: str, values: object) -> None:
    """Register a class of learned values, a subclass of `StoredValues`, or its place, by the kind of its files."""
    VALUES[kind] = values


def add_command(name: str, function: Callable[..., None] | str, group: str, examples: tuple[str, ...] = ()) -> None:
    """Register a command of the program.

    Parameters
    ----------
    name
        The name of the command, which no command of the package has; `main` raises UsageError otherwise.
    function
        The function of the command, or its place, `module:name`.  Its parameters are described by `argument` and
        `option`, and its docstring is the help.
    group
        The heading of the help below which the command stands: `Play and compare`, `Learn` or `Games`.
    examples
        Command lines for the help, without the name of the program.
    """
    COMMANDS[name] = WingCommand(function, group, examples)
