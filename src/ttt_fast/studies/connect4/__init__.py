"""Solutions of Connect 4 on the standard board and on smaller boards: `ttt-fast reproduce connect4`."""
