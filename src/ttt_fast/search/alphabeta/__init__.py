"""Minimax with alpha-beta pruning over the states of any game, without recursion."""
