"""Analysis of positions, shared by all clients: exact values, agents' analyses, and annotated games."""
