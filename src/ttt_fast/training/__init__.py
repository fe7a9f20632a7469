"""Training runs: configuration, loop, curve and file; sweeps and statistics over seeds."""
