"""Searches of Ultimate: the rewards of Bichot's program, and quick rollouts."""
