"""Policies: who plays what, where, with which probability."""
