"""Learning: tabular Q-learning against a fixed policy."""
