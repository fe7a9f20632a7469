"""Studies that check published results; the core imports none of them."""
