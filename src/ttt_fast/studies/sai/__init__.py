"""The study of Sai's tic-tac-toe and Connect 4: published numbers and statements, the measurements, and its page."""
