"""The Connect 4 solver: exact scores of any position, on any board whose columns fit into 64 bits."""
