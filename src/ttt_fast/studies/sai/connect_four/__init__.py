"""The Connect 4 part of seed 001: tables 4 to 6, 9 and 10."""
