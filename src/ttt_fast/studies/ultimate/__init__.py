"""The study of Bichot's project and related work: minimax, tree search and deep Q-learning in Ultimate tic-tac-toe."""
