"""The lines of a move: who makes it, the views of both agents, and what is exact."""

import pytest

from ttt_fast import parse_game
from ttt_fast.analysis.agents import AgentMoves
from ttt_fast.analysis.annotated import annotated_game
from ttt_fast.report.console import render
from ttt_fast.terminal.moves import move_lines

AGENTS = ("first", "second")


def lines_of(actions, **agents):
    """The lines around the board of the last of some moves."""
    game = parse_game("tic-tac-toe")
    *_, view = annotated_game(game, AGENTS, game.initial_state, actions=list(map(int, actions)))
    text = render(move_lines(view._replace(agents=agents), len(actions), AGENTS))
    return [line for line in text.splitlines() if line and "─" not in line and "│" not in line]


@pytest.mark.parametrize(
    ("actions", "exact"),
    [
        ("03142", "X wins now (best, fastest)"),
        ("031485", "O wins now (best, fastest)"),
        ("0", "a draw in 8 more plies (best)"),
        ("01", "X wins in 5 more plies (a mistake)"),
        ("0148", "X wins in 3 more plies (slowest loss)"),
        ("01483", "X wins in 2 more plies (best, fastest)"),
        ("04817625", "a draw in 1 more ply (best)"),
    ],
)
def test_what_is_exact(actions, exact):
    mover = "XO"[(len(actions) - 1) % 2]
    named = f"{len(actions)}. {mover} {AGENTS[mover == 'O']} plays {actions[-1]}"
    assert lines_of(actions) == [named, f"exact: {exact}"]


def test_the_views_of_both_agents():
    x, o = AgentMoves({0: 1.0}, {0: 0.25}, {}), AgentMoves({0: 0.125, 1: 0.875}, {}, {})
    assert lines_of("0", x=x, o=o)[1:-1] == [
        "X first plays it; value for X before it +0.250", "O second plays it with probability 0.1250",
    ]  # fmt: skip
    for o, told in (
        (AgentMoves({1: 1.0}, {1: -3.0}, {}), " would not play it; value for X before it -3.000"),
        (AgentMoves({}, {}, {}, known=False), ": not learned"),
    ):
        assert lines_of("0", o=o)[1:-1] == [f"O second{told}"]
