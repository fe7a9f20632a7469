"""Execution of work: chunks over threads, executors, interrupts."""
