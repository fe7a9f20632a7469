"""The study of Sai's tic-tac-toe and Connect 4: printed numbers and statements, the measurements, and its page."""
