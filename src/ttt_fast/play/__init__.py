"""Matches and contests between agents: counted games of policies, and single games of players."""
