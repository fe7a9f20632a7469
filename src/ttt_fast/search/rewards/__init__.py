"""What a search counts beside the result: the rewards of moves, by the type of the state."""
