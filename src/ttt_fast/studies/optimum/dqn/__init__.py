"""How often deep Q-learning ends at the optimum: a long part of the study, and a study of its own by the engine."""
