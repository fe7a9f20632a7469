"""Episodes that tabular learning needs, by the number of states: `ttt-fast reproduce scaling`."""
