"""Environments, batches and exact measures for learners of other libraries."""
