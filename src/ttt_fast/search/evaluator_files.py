"""Learned evaluations in files as evaluators of a search, of a kind that the form of the file determines."""

import os
from collections.abc import Callable
from importlib import import_module
from typing import Final

from ttt_fast.core.archive import load_archive
from ttt_fast.core.errors import AgentError
from ttt_fast.games.game import Game
from ttt_fast.search.evaluators import Evaluator
from ttt_fast.values.files import VALUES_KIND, form_of

MODULES: Final[dict[str, str]] = {
    "n-tuples": "ttt_fast.search.ntuple_evaluator",
    "ultimate-network": "ttt_fast.search.ultimate_evaluator",
}
"""For each form of values that is an evaluation of positions: the module that has its `load_evaluator(path, game)`.

A module is imported when a file of its form is loaded.  It raises FileFormatError for a damaged file, and AgentError
(`evaluators.other_game`) for a file of another game.
"""


def name_or_file(*names: str) -> Callable[[str], str]:
    """Return a parser that accepts the given names and `.npz` files.

    Examples
    --------
    >>> name_or_file("rollout")("mine.npz")
    'mine.npz'
    """

    def parse(text: str) -> str:
        if text not in names and not text.endswith(".npz"):
            raise ValueError(f"{', '.join(names)} or a .npz file")
        return text

    return parse


def load_evaluator(path: str | os.PathLike[str], game: Game) -> Evaluator:
    """Return a new evaluator, for one thread, of the learned evaluation in a file.

    Parameters
    ----------
    path
        A file of learned values.
    game
        The game to search.

    Raises
    ------
    FileFormatError
        If the file is missing or damaged, or has another format or a newer version.
    AgentError
        If its values do not evaluate positions, or were learned on another game.
    """
    form = form_of(path)
    if not form:
        load_archive(path, {VALUES_KIND: {}})  # says what is wrong
    if form not in MODULES:
        known = " or ".join(MODULES)
        raise AgentError(f"expected a learned evaluation of positions ({known}), got {str(path)!r}, a file of {form!r}")
    evaluator: Evaluator = import_module(MODULES[form]).load_evaluator(path, game)
    return evaluator
