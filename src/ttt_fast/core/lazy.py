"""Names that are imported on first use: those of a module (PEP 562), and those at a place, `module:name`."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module

TYPE_CHECKING = False  # as that of `typing`, whose import is the first that Ctrl-C could interrupt
if TYPE_CHECKING:
    from typing import Any


def lazy_names(module: str, modules: Mapping[str, str]) -> tuple[list[str], Callable[[str], object]]:
    """Return the `__all__` and the `__getattr__` of a module whose names are defined elsewhere in the package.

    Parameters
    ----------
    module
        Name of the module that exports the names.
    modules
        For each module below `ttt_fast`, the names defined in it, separated by spaces.

    Examples
    --------
    >>> names, get = lazy_names(__name__, {"core.rng": "chunk_stream mix64"})
    >>> names, get("mix64").__name__
    (['chunk_stream', 'mix64'], 'mix64')
    """
    places = {name: place for place, names in modules.items() for name in names.split()}

    def get(name: str) -> object:
        if name not in places:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        value: object = getattr(import_module(f"ttt_fast.{places[name]}"), name)
        setattr(sys.modules[module], name, value)
        return value

    return sorted(places), get


def object_at(place: object) -> "Any":
    """Return what is at a place, `module:name`; anything but a text is returned unchanged.

    Examples
    --------
    >>> object_at("ttt_fast.core.rng:mix64").__name__
    'mix64'
    """
    if not isinstance(place, str):
        return place
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
