"""Adapters to other libraries for games and agents; each optional library is imported only by its own module."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Name the extra that installs the libraries which are imported inside."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"{error}; install 'ttt-fast[{name}]'", name=error.name) from None
