"""Pages for a browser: a single file for playing and for the atlas of positions, and the report of a policy."""
