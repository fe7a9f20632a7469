"""Connect 4 learned by n-tuples in self-play: the recipe, other learners with its openings, and self-taught proofs."""
