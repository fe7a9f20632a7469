"""Q-learning and its relatives, and planning: a number for each action or board.

`record` lists the learners in the order of choice.  By default `train` runs `q_learning`, in self-play `self_play`,
over large tables `interleaved`.  All other settings and algorithms run `general`; passes over a table are `planning`.
"""
