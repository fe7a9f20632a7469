"""Search: players that look ahead, and exact solvers."""
