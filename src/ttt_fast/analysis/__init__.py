"""Analysis of positions, shared by all clients: exact values, views of agents, and annotated games."""
