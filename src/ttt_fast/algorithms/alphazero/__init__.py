"""AlphaZero on a table of states: the kernels of its games and updates, its learner and its record."""
