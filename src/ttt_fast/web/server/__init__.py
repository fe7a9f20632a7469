"""A local server for a live page with every game and agent; it refuses requests without its secret address."""
