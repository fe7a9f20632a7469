"""Planning: passes over the table of a game."""
