"""The algorithms of learning and planning: of each its rule, kernel, learner and record; and what they share.

Importing the package registers its own algorithms, whichever module is asked for.
"""

from ttt_fast.algorithms import built_in as built_in
