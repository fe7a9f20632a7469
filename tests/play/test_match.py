"""A match: the configuration decides the bits; threads, interruptions and other matches do not."""

import hashlib
import signal
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st
from match_checks import MAX_Z, chi_square_z, largest_z, player

from ttt_fast import exact_outcome
from ttt_fast.core.errors import UsageError
from ttt_fast.play.match import MatchConfig, play_match
from ttt_fast.tables import table_of

TABLE = table_of("tic-tac-toe")
MIX = "mix:0.9*minimax+0.1*random"


def match(x: str, o: str, games: int, threads: int = 2, **settings):
    return play_match(player(x), player(o), MatchConfig(games=games, **settings), threads=threads)


def digest(counts) -> str:
    return hashlib.sha256(counts.astype("<i8").tobytes()).hexdigest()


GOLDEN = {
    ("random", "random", 1_000_000, 0): "0546a25e9c11b508d3367402d9e4e79a9011568afd74c73a2c0e96036711b244",
    ("minimax", MIX, 1_000_000, 1): "b64c42eae8172cdfe6c8503887c07e7624f64045aa1188b9084c2deccf76495d",
    ("random:frozen=3", "rows-1", 333_333, 2): "b9c24f5fbc6b509ee70f487732275e164f4cee947fbdd6b462f615dc0622670c",
}


@pytest.mark.parametrize(("x", "o", "games", "seed"), GOLDEN)
def test_golden_counts(x, o, games, seed):
    """The stream is part of the contract: if this changes on purpose, say so in the changelog."""
    assert digest(match(x, o, games, seed=seed, chunk_games=100_000).counts) == GOLDEN[x, o, games, seed]


@pytest.mark.parametrize("method", ["play", "propagate"])
@pytest.mark.parametrize("x", ["random", "rows-1"])
def test_threads_do_not_change_a_bit(x, method):
    results = [
        match(x, "random", 1_234_567, threads, method=method, chunk_games=50_000).counts for threads in (1, 2, 8)
    ]
    assert np.array_equal(results[0], results[1])
    assert np.array_equal(results[0], results[2])


@pytest.mark.parametrize("method", ["play", "propagate"])
@pytest.mark.parametrize("other", [{"seed": 1}, {"match_index": 1}])
def test_seeds_and_matches_have_streams_of_their_own(method, other):
    base = match("random", "random", 100_000, method=method).counts
    assert not np.array_equal(base, match("random", "random", 100_000, method=method, **other).counts)


def test_the_chunk_size_is_part_of_the_result():
    small, again, large = (match("random", "random", 300_000, chunk_games=n).counts for n in (1000, 1000, 100_000))
    assert np.array_equal(small, again)
    assert not np.array_equal(small, large)
    assert largest_z(small, player("random"), player("random")) < MAX_Z


def test_chunks_have_streams_of_their_own():
    """Two chunks are the first two chunks of a longer match, and differ from each other."""
    one, two = (match("random", "random", n, chunk_games=10_000).counts for n in (10_000, 20_000))
    assert (two >= one).all()
    assert not np.array_equal(two, 2 * one)


@pytest.mark.parametrize("method", ["play", "propagate"])
@pytest.mark.parametrize("board", [".........", "X........", "XO..X...O", "....X...."])
@pytest.mark.parametrize("random_opening", [False, True])
@pytest.mark.parametrize(("x", "o"), [("minimax:tie=first", "rows-1"), ("random", "minimax"), ("rows-2", "random")])
def test_openings_boards_and_seats(x, o, random_opening, board, method):
    setting = {"start": TABLE.state_index(board), "random_opening": random_opening}
    result = match(x, o, 200_000, method=method, **setting)
    assert result.games == result.counts.sum() == result.x_wins + result.draws + result.o_wins == 200_000
    assert largest_z(result.counts, player(x), player(o), **setting) < MAX_Z
    exact = exact_outcome(player(x), player(o), **setting)
    ends = (exact.reach > 0) & ~TABLE.decision_mask
    assert chi_square_z(result.counts, np.where(ends, exact.reach, 0)) < MAX_Z
    assert result.reachable_boards == ends.sum()
    assert result.distinct_boards <= result.reachable_boards


@pytest.mark.parametrize("method", ["play", "propagate"])
def test_lengths_are_within_the_noise_of_the_exact_ones(method):
    result = match("random", "minimax", 1_000_000, method=method)
    exact = exact_outcome(player("random"), player("minimax")).lengths
    seen = result.lengths()
    assert seen.sum() == result.games
    assert chi_square_z(seen.ravel(), exact.ravel()) < MAX_Z


@pytest.mark.parametrize("method", ["play", "propagate"])
@pytest.mark.parametrize("random_opening", [False, True])
def test_a_match_from_a_finished_board(method, random_opening):
    end = TABLE.state_index("XXXOO....")
    result = match("random", "random", 10, method=method, start=end, random_opening=random_opening)
    assert (result.games, result.x_wins, result.reachable_boards, result.distinct_boards) == (10, 10, 1, 1)


@pytest.mark.parametrize("method", ["play", "propagate"])
@pytest.mark.parametrize("games", [0, 1])
def test_no_game_and_one_game(method, games):
    result = match("minimax", "minimax", games, method=method)
    assert (result.games, result.draws, result.distinct_boards) == (games, games, games)
    assert result.chunks_done == games
    assert result.games_per_second >= 0


@pytest.mark.parametrize("method", ["play", "propagate"])
def test_resuming_a_finished_match_plays_nothing(method):
    first = match("random", "random", 50_000, method=method, chunk_games=20_000)
    config = MatchConfig(games=50_000, method=method, chunk_games=20_000)
    again = play_match(player("random"), player("random"), config, resumed=first)
    assert np.array_equal(first.counts, again.counts)
    assert again.chunks_done == first.chunks_done == config.num_chunks


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_match_keeps_its_games_and_goes_on_in_the_same_bits(number, threads):
    x, o, config = player("rows-1"), player("random"), MatchConfig(games=95_000, chunk_games=10_000)
    before = signal.getsignal(number)

    def stop_after_three(result):
        if result.chunks_done == 3:
            signal.raise_signal(number)

    part = play_match(x, o, config, threads=threads, on_chunk=stop_after_three, on_interrupt="return")
    assert signal.getsignal(number) is before
    assert (part.games, part.counts.sum(), part.chunks_done) == (30_000, 30_000, 3)
    whole = play_match(x, o, config, threads=threads, resumed=part)
    assert np.array_equal(whole.counts, play_match(x, o, config).counts)
    assert part.games == part.counts.sum()  # the part was not written to


def test_a_second_interrupt_does_not_wait():
    def twice(result):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    config = MatchConfig(games=10_000, chunk_games=1000)
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        play_match(player("random"), player("random"), config, threads=1, on_chunk=twice)
    assert signal.getsignal(signal.SIGINT) is before


def test_progress_is_told_after_every_chunk():
    seen = []
    config = MatchConfig(games=25_000, chunk_games=10_000)
    play_match(player("random"), player("random"), config, on_chunk=lambda result: seen.append(result.games))
    assert seen == [10_000, 20_000, 25_000]


@given(games=st.integers(1, 10**18), chunk=st.integers(1, 10**12))
def test_chunks_add_up_to_the_games(games, chunk):
    config = MatchConfig(games=games, chunk_games=chunk)
    full, last = config.num_chunks - 1, config.games_in_chunk(config.num_chunks - 1)
    assert full * chunk + last == games
    assert 0 < last <= chunk


BAD = [
    {"games": -1},
    {"games": 10**18 + 1},
    {"seed": -1},
    {"chunk_games": 0},
    {"method": "guess"},
]


@pytest.mark.parametrize("change", BAD)
def test_a_bad_configuration_is_one_line(change):
    with pytest.raises(UsageError, match=r"^expected .* got .*$"):
        replace(MatchConfig(games=1), **change)


@pytest.mark.parametrize("method", ["play", "propagate"])
@pytest.mark.parametrize("start", [-1, 5478, 10**6])
def test_a_start_that_is_no_state(start, method):
    with pytest.raises(UsageError, match="expected a state index"):
        match("random", "random", 10, start=start, method=method)


@pytest.mark.parametrize("threads", [0, -3])
def test_bad_threads(threads):
    with pytest.raises(UsageError, match="expected at least one thread"):
        match("random", "random", 10, threads)


def test_no_rate_where_no_time_has_passed():
    result = play_match("minimax", "random", 100)
    assert (
        result._replace(seconds=0.0).games_per_second == 0.0 and result._replace(seconds=2.0).games_per_second == 50.0
    )
