"""Agents: their names and options, and the policies and players that they create."""
