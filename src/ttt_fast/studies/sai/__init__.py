"""The study of Sai's tic-tac-toe and Connect 4: what is printed and said, what is measured, and its page."""
