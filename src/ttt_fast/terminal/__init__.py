"""Boards, hints and interactive sessions in a terminal."""
