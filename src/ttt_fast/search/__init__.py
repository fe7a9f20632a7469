"""Search over game states: perft, random play."""
