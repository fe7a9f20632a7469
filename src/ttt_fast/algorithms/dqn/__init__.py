"""Deep Q-learning: a network instead of a table, a replay buffer, and a target network."""
