"""Pages for a browser: one file that plays and shows every position, and the report of a policy."""
