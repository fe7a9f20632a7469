"""What wings add to the package, by name: agents, kinds of learned values, and commands.

A wing is a package above the core that no module below names.  When `ttt_fast` is imported, it imports the module
`wing` of each, which calls the functions below.  Such a module imports nothing else: what it adds is a place, the name
of a module and of something in it, and is imported when it is first used.
"""

from typing import Final, NamedTuple


class WingCommand(NamedTuple):
    """A command of a wing.

    Attributes
    ----------
    place
        The function of the command, as `module:name`.
    group
        The heading of the help below which the command stands.
    examples
        Two command lines, without the name of the program.
    """

    place: str
    group: str
    examples: tuple[str, str]


AGENTS: Final[dict[str, str]] = {}
"""Places of functions that return an `Agent`, by the names of the agents."""
VALUES: Final[dict[str, str]] = {}
"""Places of classes of learned values, by the kinds of their files."""
COMMANDS: Final[dict[str, WingCommand]] = {}
"""The commands, by name."""


def add_agent_at(name: str, place: str) -> None:
    """Register an agent; the function at `place` is called with its name and returns the `Agent`."""
    AGENTS[name] = place


def add_values_at(kind: str, place: str) -> None:
    """Register a class of learned values, by the kind of its files."""
    VALUES[kind] = place


def add_command_at(name: str, place: str, group: str, examples: tuple[str, str]) -> None:
    """Register a command."""
    COMMANDS[name] = WingCommand(place, group, examples)
