"""The exact optimum, and the number of episodes that learners need to reach it: `ttt-fast reproduce optimum`."""
