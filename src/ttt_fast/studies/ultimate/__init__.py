"""Bichot and others: minimax, tree search and deep Q-learning in Ultimate tic-tac-toe."""
