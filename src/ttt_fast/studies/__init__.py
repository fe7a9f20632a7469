"""Studies of published results; nothing in the core imports them."""
