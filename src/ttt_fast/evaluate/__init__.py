"""Exact evaluation of policies, and the statistics of samples."""
