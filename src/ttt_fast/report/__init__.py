"""Rows as tables and files, and what a person sees."""
