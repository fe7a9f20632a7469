"""The optimum, exactly, and the episodes that learners need for it: `ttt-fast reproduce optimum`."""
