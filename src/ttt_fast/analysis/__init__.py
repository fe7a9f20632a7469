"""Views of positions for the clients: boards as cells; no client computes them itself."""
