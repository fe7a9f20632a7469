"""The Connect 4 solver: exact scores of any position, on any board whose columns fit into 64 bits.

Examples
--------
>>> from ttt_fast import parse_game
>>> from ttt_fast.search.connect_four.solver import Solver
>>> state = parse_game("connect4").state_after("2252576253462244111563365343671351441")
>>> solved = Solver(table_mb=1).action_scores((state.own, state.occupied))
>>> [(one.action + 1, one.score, one.is_best) for one in solved.actions]
[(6, -1, True), (7, -2, False)]
"""
