"""Boards, advice and sessions in a terminal."""
