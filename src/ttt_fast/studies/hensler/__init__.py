"""The study of Hensler's self-play of two agents: printed numbers and statements, the measurements, and its page."""
