"""Exact evaluation: pairs of ours and theirs."""

from groups.timing import Effort, Group, Rows, compile_row, one_core, take_turns
from ttt_fast.agents.convert import as_policy
from ttt_fast.evaluate.outcome import exact_outcome
from ttt_fast.evaluate.strength import nash_conv
from ttt_fast.games.registry import parse_game
from ttt_fast.policies.best_response import best_response
from ttt_fast.running.timing import Candidate
from ttt_fast.tables import solve
from ttt_fast.tables.enumeration import enumerate_game


def exact(effort: Effort) -> Rows:
    """Measure each question beside the program that answers it, if one does."""
    random, game = as_policy("random"), parse_game("tic-tac-toe")
    pairs = [
        [Candidate("ttt_fast: exact result, random v random", "calls", 1, lambda: exact_outcome(random, random))],
        [Candidate("ttt_fast: best response to random", "calls", 1, lambda: best_response(random, 1))],
        [Candidate("ttt_fast: enumerate and solve", "calls", 1, lambda: solve(enumerate_game(game, 10_000)))],
        [Candidate("ttt_fast: nash_conv of random", "calls", 1, lambda: nash_conv(random))],
    ]
    if "open_spiel" in effort.peers:
        from groups.peers import open_spiel_best_response, open_spiel_expected_returns, open_spiel_solve

        pairs[0].append(open_spiel_expected_returns())
        pairs[1].append(open_spiel_best_response())
        pairs[2].append(open_spiel_solve())
    with one_core():
        rows = [row for pair in pairs for row in take_turns(pair, effort, pair[-1].name if len(pair) > 1 else None)]
    return [*rows, compile_row('exact_outcome(as_policy("random"), as_policy("random"))')]


EXACT = Group("exact", "Exact evaluation, one thread", exact, peers=("open_spiel",))
