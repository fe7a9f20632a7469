"""Smirnov's deep Q-learning: a long part of his study, and a study of its own by the engine."""
