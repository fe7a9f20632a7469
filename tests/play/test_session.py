"""Matches in a row: saved, interrupted, resumed in the same bits, and never mixed up."""

import random
import signal

import numpy as np
import pytest
from match_checks import player

from ttt_fast.core.errors import FileFormatError, UsageError
from ttt_fast.play import session
from ttt_fast.play.match import MatchConfig
from ttt_fast.play.session import Pairing, play_pairings


def pairings(method: str = "play", **changes) -> list[Pairing]:
    settings = {"games": 45_000, "chunk_games": 10_000, "method": method, **changes}
    return [
        Pairing(player("random"), player("minimax"), MatchConfig(match_index=0, **settings)),
        Pairing(player("minimax"), player("random"), MatchConfig(match_index=1, **settings)),
    ]


def counts_of(results) -> np.ndarray:
    return np.array([result.counts for result in results])


def interrupted(matches, path, after_games: int, threads: int = 2):
    """Play until so many games are counted, then press Ctrl-C."""

    def on_progress(games, result):
        if games >= after_games:
            signal.raise_signal(signal.SIGINT)

    return play_pairings(matches, threads=threads, save_to=path, on_progress=on_progress)


@pytest.fixture(scope="module")
def whole():
    return counts_of(play_pairings(pairings()))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("after_games", [1, 20_000, 45_000, 50_000, 80_000, 90_000])
def test_resumed_matches_end_in_the_same_bits(tmp_path, whole, after_games, threads):
    path = tmp_path / "m.npz"
    part = interrupted(pairings(), path, after_games, threads)
    played = sum(result.games for result in part)
    assert after_games <= played < after_games + 10_000
    assert np.array_equal(counts_of(play_pairings(pairings(), threads=threads, resume_from=path)), whole)


def test_many_interruptions(tmp_path, whole):
    path, source = tmp_path / "m.npz", None
    for _ in range(20):
        done = []

        def on_progress(games, result, done=done):
            done.append(games)
            signal.raise_signal(signal.SIGINT)

        results = play_pairings(pairings(), save_to=path, resume_from=source, on_progress=on_progress)
        source = path
        if not done:
            break
    assert not done  # everything had been played
    assert np.array_equal(counts_of(results), whole)


def test_matches_after_the_interrupted_one_are_not_begun(tmp_path):
    part = interrupted(pairings(), tmp_path / "m.npz", 10_000)
    assert [result.games for result in part] == [10_000, 0]


def test_a_finished_file_is_not_played_again(tmp_path, whole):
    path, calls = tmp_path / "m.npz", []
    play_pairings(pairings(), save_to=path)
    again = play_pairings(pairings(), resume_from=path, on_progress=lambda *now: calls.append(now))
    assert np.array_equal(counts_of(again), whole)
    assert calls == []


def test_propagated_matches_resume_too(tmp_path):
    path = tmp_path / "m.npz"
    whole = counts_of(play_pairings(pairings("propagate")))
    part = interrupted(pairings("propagate"), path, 1)
    assert [result.games for result in part] == [45_000, 0]
    assert np.array_equal(counts_of(play_pairings(pairings("propagate"), resume_from=path)), whole)


def test_the_file_is_kept_on_the_way(tmp_path, monkeypatch, whole):
    """What a SIGKILL leaves behind: the file as it stood after the last save."""
    monkeypatch.setattr(session, "SECONDS_BETWEEN_SAVES", 0.0)
    path, copies = tmp_path / "m.npz", []
    play_pairings(pairings(), save_to=path, on_progress=lambda *_: copies.append(path.exists() and path.read_bytes()))
    assert copies[0] is False
    assert len(copies) == 10
    for copy in copies[1:]:
        path.write_bytes(copy)
        assert np.array_equal(counts_of(play_pairings(pairings(), resume_from=path)), whole)


@pytest.mark.parametrize(
    "others",
    [
        pairings(games=45_001),
        pairings(seed=1),
        pairings(chunk_games=5000),
        pairings(random_opening=True),
        pairings(start=1),
        pairings("propagate"),
        pairings()[:1],
        pairings()[::-1],
        pairings() + pairings()[:1],
        [Pairing(player("rows-1").renamed("random"), *pairings()[0][1:]), pairings()[1]],
    ],
)
def test_a_file_of_other_matches(tmp_path, others):
    path = tmp_path / "m.npz"
    play_pairings(pairings(), save_to=path)
    before = path.read_bytes()
    with pytest.raises(UsageError, match=r"^expected .*m\.npz.*; resume with the arguments of the first run$"):
        play_pairings(others, resume_from=path, save_to=path)
    assert path.read_bytes() == before


def test_a_file_whose_counts_do_not_add_up(tmp_path):
    path = tmp_path / "m.npz"
    results = play_pairings(pairings())
    results[1].counts[-1] += 1
    session._save(path, pairings(), results)
    with pytest.raises(FileFormatError, match="they do not add up"):
        play_pairings(pairings(), resume_from=path)


def test_damaged_files_are_one_line_or_harmless(tmp_path, whole):
    path = tmp_path / "m.npz"
    play_pairings(pairings(), save_to=path)
    content = path.read_bytes()
    generator = random.Random(0)
    places = [*range(60), *range(len(content) - 60, len(content)), *generator.sample(range(len(content)), 150)]
    damaged = [content[:place] for place in places]
    damaged += [content[:i] + bytes([content[i] ^ 1 << generator.randrange(8)]) + content[i + 1 :] for i in places]
    refused = 0
    for wrong in damaged:
        path.write_bytes(wrong)
        try:
            results = play_pairings(pairings(), resume_from=path)
        except (FileFormatError, UsageError) as error:
            assert "\n" not in str(error)
            assert str(path) in str(error)
            refused += 1
        else:
            assert np.array_equal(counts_of(results), whole)
    assert refused > len(damaged) * 0.8


def test_a_missing_file(tmp_path):
    with pytest.raises(FileFormatError, match="cannot read"):
        play_pairings(pairings(), resume_from=tmp_path / "none.npz")
