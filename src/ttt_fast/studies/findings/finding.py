"""What a finding is."""

from typing import NamedTuple


class Finding(NamedTuple):
    """One finding.

    Attributes
    ----------
    place
        Where the source says it.
    claim
        What it says.
    truth
        What is true, with our figures.
    why
        The reason of the difference.
    studies
        The studies whose pages show it.
    """

    place: str
    claim: str
    truth: str
    why: str
    studies: tuple[str, ...]
