"""What networks see of Ultimate, and its learned evaluation: a network over the patterns of its small boards."""
