"""The page of a server on this machine: every game and agent, asked for live; refuses whoever has not its address."""
