"""Exact strength of agents in Connect 4, on 7x6 and on smaller boards: `ttt-fast reproduce exact-connect4`."""
