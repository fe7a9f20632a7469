"""Q-learning of both seats from one another, single and double, as fast as the machine allows."""
