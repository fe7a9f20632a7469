"""Learned values as arrays."""
