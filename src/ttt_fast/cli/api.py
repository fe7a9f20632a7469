"""Extension point: commands of wings.

A command is a function whose parameters are described by `argument` and `option`.  A parameter of the type `Target`
stands for the options of the result: `write` prints the rows, or saves them.
"""

from ttt_fast.cli.options import Game, Target
from ttt_fast.cli.parsing import parse_seat
from ttt_fast.cli.signatures import argument, option

__all__ = ["Game", "Target", "argument", "option", "parse_seat"]
