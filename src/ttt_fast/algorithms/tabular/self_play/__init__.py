"""Q-learning of both seats from each other, single and double, as fast as the machine allows."""
