"""Rewards of moves in a search, besides the result, by the type of the state."""
