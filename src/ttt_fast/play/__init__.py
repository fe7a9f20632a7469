"""Matches and contests between agents: games of policies, simulated on a table, and single games of players."""
