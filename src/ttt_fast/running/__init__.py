"""How work is run: chunks over threads, executors, interrupts."""
