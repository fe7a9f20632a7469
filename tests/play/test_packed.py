"""Playing: the same counts as the plain reference bit for bit, and the right distribution."""

from functools import cache

import numpy as np
import pytest
from match_checks import MAX_Z, PLAYERS, chi_square_z, largest_z, player
from play_reference import NUM_LANES, Reference

from baselines.random_games import play_uniform
from ttt_fast import exact_outcome
from ttt_fast.core.rng import chunk_stream
from ttt_fast.play import packed
from ttt_fast.play.packed import play_games
from ttt_fast.play.sampler import compile_sampler
from ttt_fast.policies.joint import join
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import table_of

TABLE = table_of("tic-tac-toe")
CHILD, PLY = TABLE.child.tolist(), TABLE.ply.tolist()
PAIRS = [(name, name) for name in PLAYERS] + [("minimax", "random"), ("rows-1", "random:frozen=3")]


@cache
def reference_of(x: str, o: str) -> Reference:
    return Reference(CHILD, PLY, join(player(x), player(o)).probabilities.tolist())


def counted(counts) -> dict[int, int]:
    return {int(state): int(counts[state]) for state in np.flatnonzero(counts)}


def test_the_reference_has_as_many_lanes():
    assert NUM_LANES == packed.NUM_LANES


@pytest.mark.parametrize("games", [0, 1, 3, 4, 511, 512, 513, 2051])
@pytest.mark.parametrize(("x", "o"), PAIRS)
def test_counts_are_those_of_the_reference(x, o, games):
    stream = chunk_stream(5, games)
    sampler = compile_sampler(join(player(x), player(o)))
    assert counted(play_games(sampler, games, stream)) == reference_of(x, o).play(games, int(stream))


@pytest.mark.parametrize("name", ["random", "rows-1", "tiny", "minimax:tie=first"])
@pytest.mark.parametrize("ply", range(9))
def test_counts_are_those_of_the_reference_from_every_ply(name, ply):
    joint = player(name)
    states = np.flatnonzero((TABLE.ply == ply) & TABLE.decision_mask)
    for start in np.random.default_rng(ply).choice(states, min(3, len(states)), replace=False).tolist():
        stream = chunk_stream(6, start)
        counts = play_games(compile_sampler(joint, start), 700, stream)
        assert counted(counts) == reference_of(name, name).play(700, int(stream), start)


@pytest.mark.parametrize("spec", ["tic-tac-toe:misere=yes", "connect4:columns=3,rows=3,length=3"])
def test_counts_are_those_of_the_reference_in_other_games(spec):
    table = table_of(spec)
    policy = Policy.from_weights(table, table.edge_action.astype(np.int64) + 1, "by number")
    reference = Reference(table.child.tolist(), table.ply.tolist(), policy.probabilities.tolist())
    for start in (0, 5, table.num_states // 2):
        counts = play_games(compile_sampler(policy, start), 1500, np.uint64(13))
        assert counted(counts) == reference.play(1500, 13, start)


def test_a_finished_game_stays_where_it_is():
    for board in ("XXXOO....", "XOXXOOOXX", "OOOXX.X.."):
        state = TABLE.state_index(board)
        counts = play_games(compile_sampler(player("random"), state), 1234, chunk_stream(0))
        assert counted(counts) == {state: 1234}


@pytest.mark.parametrize(("x", "o"), PAIRS)
def test_results_are_within_the_noise_of_the_exact_ones(x, o):
    joint = join(player(x), player(o))
    counts = play_games(compile_sampler(joint), 2_000_000, chunk_stream(7))
    assert counts.sum() == 2_000_000
    assert largest_z(counts, player(x), player(o)) < MAX_Z


@pytest.mark.parametrize(("x", "o"), [("random", "random"), ("rows-1", "rows-2"), ("minimax", "random")])
def test_final_boards_have_their_exact_frequencies(x, o):
    ends = ~TABLE.decision_mask
    counts = play_games(compile_sampler(join(player(x), player(o))), 20_000_000, chunk_stream(8))
    assert chi_square_z(counts[ends], exact_outcome(player(x), player(o)).reach[ends]) < MAX_Z


@pytest.mark.slow
def test_final_boards_have_their_exact_frequencies_in_a_billion_games():
    ends = ~TABLE.decision_mask
    sampler = compile_sampler(player("random"))
    counts = sum(play_games(sampler, 50_000_000, chunk_stream(9, chunk)) for chunk in range(20))
    assert counts.sum() == 10**9
    assert chi_square_z(counts[ends], exact_outcome(player("random"), player("random")).reach[ends]) < MAX_Z


def test_boards_of_probability_zero_are_never_seen():
    x, o = player("rows-1"), player("minimax:tie=first")
    reach = exact_outcome(x, o).reach
    counts = play_games(compile_sampler(join(x, o)), 3_000_000, chunk_stream(10))
    assert not counts[reach == 0].any()
    assert not counts[TABLE.decision_mask].any()


def test_the_plain_player_has_the_exact_frequencies_too():
    ends = ~TABLE.decision_mask
    counts = play_uniform(TABLE, 5_000_000, chunk_stream(11))
    assert counts.sum() == 5_000_000
    assert chi_square_z(counts[ends], exact_outcome(player("random"), player("random")).reach[ends]) < MAX_Z
    assert largest_z(counts, player("random"), player("random")) < MAX_Z


def test_one_compiled_version_of_the_kernel():
    play_games(compile_sampler(player("random")), 10, chunk_stream(0))
    play_games(compile_sampler(player("rows-1"), 17), 10, chunk_stream(0))
    assert len(packed._play_games.signatures) == 1
