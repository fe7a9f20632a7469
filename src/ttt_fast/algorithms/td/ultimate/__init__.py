"""Learning the evaluation of Ultimate tic-tac-toe: positions labelled by searches, fits, and training runs."""
