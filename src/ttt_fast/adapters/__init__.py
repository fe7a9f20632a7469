"""Adapters to other libraries for games and agents; each optional library is imported only by its own module."""
