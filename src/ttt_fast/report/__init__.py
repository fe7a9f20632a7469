"""Rows as tables and files, and reports for a person."""
