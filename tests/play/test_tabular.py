"""Tabular games: the counts of the plain reference bit for bit, golden counts, and the exact distribution."""

import hashlib
from functools import cache
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, strategies as st
from play_reference import Reference

from baselines.random_games import play_uniform
from conftest import random_policy
from ttt_fast import ContestConfig, Policy, UsageError, as_policy, contest, exact_outcome, table_of
from ttt_fast.core.rng import StreamKey
from ttt_fast.kernels import chunk_stream
from ttt_fast.play.edges import compile_edges
from ttt_fast.tables import block

TABLE, MAX_GAMES = table_of("tic-tac-toe"), 10**18
ENDS = ~TABLE.decision_mask
MAX_Z = 4.5
"""Seeds are fixed, so a test passes or fails for good; 4.5 standard deviations are one in 150,000."""
PLAYERS = ("random", "minimax", "minimax:tie=first", "random:frozen=3", "mix:0.9*minimax+0.1*random", "rows-1", "tiny")
PAIRS = [(name, name) for name in PLAYERS] + [("minimax", "random"), ("rows-1", "random:frozen=3")]
LARGE = "connect4:columns=4,rows=4,length=3"


@cache
def player(spec: str) -> Policy:
    """An agent, or random rows (`rows-SEED`), or rows with probabilities far below a word's 2**-32 (`tiny`)."""
    if spec.startswith("rows-"):
        return random_policy(int(spec.removeprefix("rows-")))
    if spec == "tiny":
        rows = random_policy(9, zeros=0.0).probabilities ** 12
        sums = rows.sum(axis=1, keepdims=True)
        return Policy.from_probabilities(TABLE, rows / np.where(sums > 0, sums, 1), "tiny")
    return as_policy(spec)


def played(x: str, o: str, games: int, threads: int = 2, **settings):
    """The result of the seating x v o."""
    return contest(player(x), player(o), ContestConfig(games, **settings), threads=threads).seats[0]


def chi_square_z(counts, probabilities) -> float:
    """How far a chi-square statistic is above its mean, in its standard deviations; rare cells are pooled."""
    expected = counts.sum() * probabilities
    rare = expected < 10
    seen = np.append(counts[~rare], counts[rare].sum())
    wanted = np.append(expected[~rare], expected[rare].sum())
    assert np.all(seen[wanted == 0] == 0)
    seen, wanted = seen[wanted > 0], wanted[wanted > 0]
    degrees = len(wanted) - 1
    return float((((seen - wanted) ** 2 / wanted).sum() - degrees) / np.sqrt(2 * degrees)) if degrees else 0.0


def check_distribution(seat) -> None:
    """Assert that results, lengths and final boards are within the noise of the exact ones."""
    exact, total = seat.exact, seat.games
    assert seat.counts.sum() == seat.lengths.sum() == total and seat.counts.min() >= 0
    for seen, p in zip(seat.ends, exact[:3], strict=True):
        if p < 1e-12 or p > 1 - 1e-12:
            assert seen == round(p) * total
        else:
            assert abs(seen - total * p) < MAX_Z * sqrt(total * p * (1 - p))
    ends = (exact.reach > 0) & ~exact.table.decision_mask
    assert not seat.counts[~ends].any()
    assert chi_square_z(seat.counts, np.where(ends, exact.reach, 0)) < MAX_Z
    assert chi_square_z(seat.lengths.ravel(), exact.lengths.ravel()) < MAX_Z
    assert seat.reachable_boards == ends.sum() >= seat.distinct_boards == np.count_nonzero(seat.counts)


# --- The packed kernel beside its plain form.


@cache
def reference_of(x: Policy, o: Policy) -> Reference:
    table = x.table
    rows = np.where((table.player == 1)[:, None], x.probabilities, o.probabilities)
    return Reference(table.child.tolist(), table.ply.tolist(), rows.tolist())


def check_reference(x: Policy, o: Policy, games: int, seed: int, start: int = 0) -> None:
    config = ContestConfig(games, seed, game=x.table.game, start=start)
    counts = contest(x, o, config, threads=1).seats[0].counts
    found = {int(state): int(counts[state]) for state in np.flatnonzero(counts)}
    stream = chunk_stream(seed, StreamKey.TABULAR_GAMES, config.match_index, 0)
    assert found == reference_of(x, o).play(games, int(stream), start)


@pytest.mark.parametrize("games", [1, 4, 511, 513, 2051])
@pytest.mark.parametrize(("x", "o"), PAIRS)
def test_counts_are_those_of_the_reference(x, o, games):
    check_reference(player(x), player(o), games, seed=5)


@pytest.mark.parametrize("name", ["random", "rows-1", "tiny", "minimax:tie=first"])
@pytest.mark.parametrize("ply", range(9))
def test_counts_are_those_of_the_reference_from_every_ply(name, ply):
    states = np.flatnonzero((TABLE.ply == ply) & TABLE.decision_mask)
    for start in np.random.default_rng(ply).choice(states, min(3, len(states)), replace=False).tolist():
        check_reference(player(name), player(name), 700, 6, start)


@pytest.mark.parametrize("spec", ["tic-tac-toe:misere=yes", "connect4:columns=3,rows=3,length=3"])
def test_counts_are_those_of_the_reference_in_other_games(spec):
    table = table_of(spec)
    policy = Policy.from_weights(table, table.edge_action.astype(np.int64) + 1, "by number")
    for start in (0, 5, table.num_states // 2):
        check_reference(policy, policy, 1500, 13, start)


def test_bounds_of_edges_are_near_the_probabilities_in_blocks_of_any_size(monkeypatch):
    joint = as_policy("default:skill=0.3", LARGE)
    table, whole = joint.table, compile_edges(joint).upto
    running = np.cumsum(joint.edge_probabilities)
    before = np.concatenate([[0.0], running])[table.edge_start[:-1]]
    np.testing.assert_allclose(whole / 2.0**32, running - before[table.edge_state], atol=2.0**-31)
    monkeypatch.setattr(block, "_BLOCK_EDGES", 1000)
    in_blocks = compile_edges(joint).upto  # a running sum that begins elsewhere rounds otherwise
    assert np.abs(in_blocks - whole).max() <= 1


# --- The stream is part of the contract: if these change on purpose, say so in the changelog.

GOLDEN = {
    ("random", "random", 1_000_000, 0): "0546a25e9c11b508d3367402d9e4e79a9011568afd74c73a2c0e96036711b244",
    ("minimax", "mix:0.9*minimax+0.1*random", 1_000_000, 1):
        "b64c42eae8172cdfe6c8503887c07e7624f64045aa1188b9084c2deccf76495d",
    ("random:frozen=3", "rows-1", 333_333, 2): "b9c24f5fbc6b509ee70f487732275e164f4cee947fbdd6b462f615dc0622670c",
}  # fmt: skip
LARGE_GOLDEN = "5808269944c77bef76143787ec216bc74aac9250c74637eca4305b0167db993f"


def digest(counts) -> str:
    return hashlib.sha256(counts.astype("<i8").tobytes()).hexdigest()


@pytest.mark.parametrize(("x", "o", "games", "seed"), GOLDEN)
def test_golden_counts(x, o, games, seed):
    assert digest(played(x, o, games, seed=seed, chunk_games=100_000).counts) == GOLDEN[x, o, games, seed]


def test_games_along_the_edges_of_a_larger_table():
    config = ContestConfig(100_001, 3, game=LARGE, chunk_games=20_000)
    seats = [contest("random", "default:skill=0.3", config, threads=threads).seats[0] for threads in (1, 2)]
    assert digest(seats[0].counts) == digest(seats[1].counts) == LARGE_GOLDEN
    check_distribution(seats[0])


@pytest.mark.parametrize("method", ["play", "propagate"])
def test_threads_change_no_bit_and_seeds_and_matches_every_one(method):
    settings = {"method": method, "chunk_games": 50_000}
    counts = [played("rows-1", "random", 1_234_567, threads, **settings).counts for threads in (1, 2, 8)]
    assert (counts[0] == counts[1]).all() and (counts[0] == counts[2]).all()
    for other in ({"seed": 1}, {"match_index": 1}):
        assert (counts[0] != played("rows-1", "random", 1_234_567, **settings, **other).counts).any()


def test_chunks_have_streams_of_their_own_and_their_size_is_part_of_the_result():
    one, two = (played("random", "random", games, chunk_games=10_000).counts for games in (10_000, 20_000))
    assert (two >= one).all() and (two != 2 * one).any()
    assert (two != played("random", "random", 20_000, chunk_games=5000).counts).any()


# --- The exact distribution.


@pytest.mark.parametrize("method", ["play", "propagate"])
@pytest.mark.parametrize("board", [".........", "X........", "XO..X...O", "....X....", "XXXOO...."])
@pytest.mark.parametrize("random_opening", [False, True])
@pytest.mark.parametrize(("x", "o"), [("minimax:tie=first", "rows-1"), ("random", "minimax"), ("tiny", "random")])
def test_openings_boards_and_seats(x, o, random_opening, board, method):
    setting = {"start": TABLE.state_index(board), "random_opening": random_opening}
    check_distribution(played(x, o, 200_000, method=method, **setting))


@pytest.mark.parametrize("method", ["play", "propagate"])
@pytest.mark.parametrize(("x", "o"), [*PAIRS, ("rows-1", "rows-2")])
def test_many_games(x, o, method):
    check_distribution(played(x, o, 3_000_000, seed=7, method=method))


@pytest.mark.parametrize("games", [1, 1000, MAX_GAMES])
@pytest.mark.parametrize("x", PLAYERS)
def test_any_number_of_games_is_drawn_at_once(x, games):
    check_distribution(played(x, "rows-1", games, seed=2, method="propagate"))


@pytest.mark.slow
def test_the_plain_player_has_the_exact_frequencies_too():
    counts = play_uniform(TABLE, 5_000_000, chunk_stream(11))
    assert counts.sum() == 5_000_000
    assert chi_square_z(counts[ENDS], exact_outcome(player("random"), player("random")).reach[ENDS]) < MAX_Z


# --- Settings.


@given(games=st.integers(1, 10**18), chunk=st.integers(1, 10**12))
def test_chunks_add_up_to_the_games(games, chunk):
    config = ContestConfig(games, chunk_games=chunk)
    last = config.num_chunks - 1
    assert config.games_after(last) == last * chunk < games == config.games_after(last + 1) <= (last + 1) * chunk


@pytest.mark.parametrize("method", ["play", "propagate"])
@pytest.mark.parametrize("games", [0, 1])
def test_no_game_and_one_game(method, games):
    seat = played("minimax", "minimax", games, method=method)
    assert (seat.ends, seat.distinct_boards, seat.complete) == ((0, games, 0), games, True)
    assert seat._replace(seconds=0.0).games_per_second == 0 and seat._replace(seconds=2.0).games_per_second == games / 2


@pytest.mark.parametrize(
    "change",
    [{"games": -1}, {"games": MAX_GAMES + 1}, {"seed": -1}, {"chunk_games": 0}, {"method": "guess"}, {"start": -1},
     {"start": 5478}, {"threads": 0}, {"threads": -3}],
)  # fmt: skip
def test_impossible_settings_are_one_line(change):
    with pytest.raises(UsageError, match=r"^expected [^\n]* got [^\n]*$"):
        played("random", "random", **{"games": 1, **change})
