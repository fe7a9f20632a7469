"""Smirnov's study: heuribot, tabular Q-learning and its curves; the part `dqn` is a study of its own in this folder."""
