"""The study of Hensler's self-play of two agents: published numbers and statements, the measurements, and its page."""
