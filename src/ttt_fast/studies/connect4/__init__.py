"""Connect 4 solved on the usual board and on smaller ones: `ttt-fast reproduce connect4`."""
