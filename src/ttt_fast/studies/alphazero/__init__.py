"""AlphaZero on tables of states, judged by exact values: `ttt-fast reproduce alphazero`."""
