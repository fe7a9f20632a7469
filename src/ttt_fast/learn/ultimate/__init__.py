"""Learning the evaluation of Ultimate tic-tac-toe: positions labelled by searches, a fit, and their run."""
