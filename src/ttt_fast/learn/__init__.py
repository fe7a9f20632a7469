"""Learning: the tabular family, against fixed policies and in self-play."""
