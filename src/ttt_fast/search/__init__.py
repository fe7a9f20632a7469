"""Search: games too large to enumerate."""
