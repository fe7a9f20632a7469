"""Policies: the probability of every action in every state."""
