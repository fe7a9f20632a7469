"""Learning: by tables, networks and features, against fixed policies and in self-play."""
