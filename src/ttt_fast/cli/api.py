"""Extension point: commands.

`add_command` registers a function whose parameters are described by `argument` and `option`.  A parameter of the type
`Target` stands for the options of the result: `write` prints the rows, or saves them.
"""

from ttt_fast.cli import options
from ttt_fast.cli.options import Target
from ttt_fast.cli.parsing import parse_seat
from ttt_fast.cli.signatures import argument, option
from ttt_fast.core.wings import add_command

__all__ = ["GameOption", "Target", "add_command", "argument", "option", "parse_seat"]

GameOption = options.Game
"""The option `--game`, as the annotation of a parameter."""
