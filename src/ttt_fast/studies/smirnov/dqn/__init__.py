"""Smirnov's deep Q-learning: a long part of his study, run by the engine as a separate study."""
