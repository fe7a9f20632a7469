"""The running of work: chunks over threads, executors, interrupts."""
