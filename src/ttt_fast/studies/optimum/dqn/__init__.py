"""How often deep Q-learning ends at the optimum: a long part of the study, run by the engine as a separate study."""
