"""Search: players that look ahead, random play, and exact solvers."""
