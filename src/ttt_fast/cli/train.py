"""placeholder"""


def train() -> None:
    """Train."""
