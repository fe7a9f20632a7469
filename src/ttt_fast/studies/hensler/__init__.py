"""The study of Hensler's self-play of two agents: what it prints and says, what is measured, and its page."""
