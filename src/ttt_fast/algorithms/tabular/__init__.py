"""Q-learning and its relatives: a number for each action or board."""
