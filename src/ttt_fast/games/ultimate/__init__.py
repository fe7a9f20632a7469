"""Ultimate tic-tac-toe: its rules and their variants, its text, and its family of games.

What else is only Ultimate's is in `values/ultimate`, `search/ultimate` and `algorithms/td/ultimate`.  `kind` names the
modules there that implement functions for its types of states.
"""
