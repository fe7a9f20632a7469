"""Search: players that look ahead, exact solvers, random play, perft."""
