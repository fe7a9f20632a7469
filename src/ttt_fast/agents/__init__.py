"""Agents: names and options, and the policy or the player that they make."""
