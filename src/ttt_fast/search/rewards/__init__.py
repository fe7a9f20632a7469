"""Rewards of moves in a search, beside the result, by the type of the state."""
