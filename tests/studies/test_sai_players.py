"""Sai's players: the fast ones are the published ones, in both games; and the learner credits as its program does."""

import pickle
from math import inf

import numpy as np
import pytest

import reference
from ttt_fast import as_player, as_policy, load_policy, parse_game, table_of, train
from ttt_fast.agents.api import WrappedPlayer
from ttt_fast.games import api
from ttt_fast.learners import start_training
from ttt_fast.studies.sai import costs, learners, matches, truth
from ttt_fast.tables.state_table import boards_of

TABLE = table_of("tic-tac-toe")
CODED, DESCRIBED = (parse_game(board) for board in (matches.CODED["connect4"], "connect4"))
AS_CODED = matches.SEARCH + matches.AS_CODED


def learner(game, variant, seed, episodes):
    found = learners.learner_of(learners.config_of(game, variant, seed, episodes), variant)
    found.run_chunks(0, found.config.num_chunks)
    return found


# --- Tic-tac-toe.


def searched(board, prune, alpha=-inf, beta=inf):
    """Appendix 9.1 of the report: the value for X, the first of the best moves, and the number of boards."""
    if reference.is_over(board):
        return (0, 1, -1)[reference.winner(board)], -1, 1
    sign, best, chosen, nodes = 3 - 2 * reference.mover(board), -inf, -1, 1
    for move in reference.legal_actions(board):
        value, _, more = searched(reference.after(board, move), prune, alpha, beta)
        nodes += more
        if sign * value > best:
            best, chosen = sign * value, move
        if prune:
            alpha, beta = (max(alpha, best), beta) if sign == 1 else (alpha, min(beta, -best))
            if alpha >= beta:
                break
    return sign * best, chosen, nodes


def test_nodes_and_moves_of_the_searches():
    minimax = as_policy(matches.minimax_of("tic-tac-toe", as_coded=True)).greedy_actions()
    sample = np.flatnonzero((TABLE.ply >= 3) & TABLE.decision_mask)[::37].tolist()
    for prune in (False, True):
        for state in sample + ([0] if prune else []):
            _, move, nodes = searched(tuple(boards_of(TABLE)[state].tolist()), prune)
            assert (move, nodes) == (minimax[state], costs.nodes_of(prune)[state])


def test_the_mended_learner_is_an_ordinary_training_run():
    ordinary = train(start_training(learners.config_of("tic-tac-toe", learners.REWARDS, 5, 20_000)))
    study = learner("tic-tac-toe", learners.REWARDS, 5, 20_000)
    assert np.array_equal(
        ordinary.q_table[TABLE.legal_action_mask], study.store.rows.first[TABLE.child][TABLE.legal_action_mask]
    )
    assert ordinary.counts.tolist() == study.counts.tolist()
    assert np.array_equal(ordinary.policy().weights, learners.side_learned(study, "xo", "0").weights)


def test_a_policy_is_what_the_program_plays_from_its_pickle(tmp_path):
    """The bridge to the published files: `{'[1 0 0 ...]': value}` of one seat, ties to the last move."""
    run, boards = learner("tic-tac-toe", learners.PUBLISHED, 5, 20_000), boards_of(TABLE)
    rows = run.store.rows
    for seat, parity in (("x", 1), ("o", 0)):
        own = np.flatnonzero((rows.updates > 0) & (TABLE.ply % 2 == parity)).tolist()
        names = {f"[{' '.join(map(str, boards[state].tolist()))}]": float(rows.first[state]) for state in own}
        path = tmp_path / f"policy-{seat}.pickle"
        path.write_bytes(pickle.dumps(names))
        loaded, policy = load_policy(path, TABLE), learners.side_learned(run, seat, "0")
        assert np.array_equal(loaded.weights, policy.weights)
        assert np.array_equal(loaded.held, policy.held)
        assert policy.seats_held() == seat


def test_the_exploring_policy_is_exact():
    run = learner("tic-tac-toe", learners.PUBLISHED, 5, 20_000)
    policy, greedy = (learners.side_learned(run, "xo", epsilon) for epsilon in ("0.9", "0"))
    legal = TABLE.legal_action_mask
    uniform = legal / np.maximum(legal.sum(axis=1), 1)[:, None]
    assert policy.is_exact
    assert np.allclose(policy.probabilities, 0.1 * greedy.probabilities + 0.9 * uniform, rtol=0, atol=1e-15)


def test_an_unknown_seat_plays_the_last_free_cell():
    probabilities = learners.side_learned(learner("tic-tac-toe", learners.PUBLISHED, 5, 20_000), "x", "0").probabilities
    for state in np.flatnonzero(TABLE.player == 2)[::50]:
        assert probabilities[state, np.flatnonzero(TABLE.legal_action_mask[state])[-1]] == 1.0


# --- Connect 4.


def test_games_in_which_the_program_stops_are_counted_apart():
    class Lost(WrappedPlayer):
        def search(self, state):
            result = self.player.search(state)
            return result._replace(value=-2.0) if api.ply(state) > 4 else result

    first, second = (as_player("default", CODED) for _ in range(2))
    found = matches.match_of(matches.FOUR, first, matches.StoppingPlayer(Lost(second)), 3, 0)
    assert (found.stopped, found.counts.sum(), found.lines) == (6, 0, [])


def test_games_that_the_program_cannot_finish_do_not_count():
    played = matches.played(matches.CODED["connect4"], "default:skill=1", AS_CODED, 60, 3)
    assert played["stopped"] > 0
    assert played["counts"].sum() + played["stopped"] == 120
    assert played["counts"][1, 2] == 0  # no ties as X


# --- The exact value.


def test_moves_that_keep_the_value():
    """A short game by hand: O must block below X's three, and X takes the fourth where O did not."""
    must_block = api.play(DESCRIBED.state_after("1212"), 0)  # X has three in column 1, O two in column 2
    kept = truth.judged(DESCRIBED, [(must_block, action) for action in (0, 4)])
    assert (kept["decisions"], kept["kept"]) == (2, 1)
    assert kept["by chance"] == pytest.approx(2 / 7)
