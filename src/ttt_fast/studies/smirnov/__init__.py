"""Smirnov's study: the heuribot, and tabular Q-learning with its curves; the part `dqn` is a separate study."""
