"""Rows as tables and files, and readable reports."""
