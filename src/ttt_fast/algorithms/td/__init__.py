"""TD(lambda) on afterstates."""
