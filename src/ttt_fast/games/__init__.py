"""Rules, one module a game, and nothing but rules."""
