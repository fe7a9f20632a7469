"""Contests of two or more agents: tabular games of policies, and single games of players."""
