"""The algorithms of learning and planning: of each its rule, kernel, learner and record; and what they share."""
