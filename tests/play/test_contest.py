"""Contests of both kinds: the same bits however interrupted, one way to save and resume, one schema of rows."""

import signal
from dataclasses import replace

import pytest

from pairwise import corners
from ttt_fast import (
    ContestConfig,
    FileFormatError,
    PolicyError,
    UsageError,
    as_policy,
    contest,
    exact_outcome,
    save_policy,
)
from ttt_fast.play import tabular

COUNTED = ("random", "minimax", ContestConfig(90_000, chunk_games=10_000, seats="both"))
PROPAGATED = ("random", "minimax", ContestConfig(90_000, method="propagate", seats="both"))
SINGLE = ("random", "default", ContestConfig(60, game="connect4", openings="random:3"))
WAYS = {"counted": (COUNTED, ".npz"), "propagated": (PROPAGATED, ".npz"), "one by one": (SINGLE, ".jsonl")}
CLOCKS = {"seconds", "games_per_second"}
CLOCKS |= {f"{side}_{what}" for side in "xo" for what in ("seconds_per_move", "slowest_move", "memory_bytes")}


def hold(agents_and_config, **options):
    first, second, config = agents_and_config
    return contest(first, second, config, **options)


def bits(held) -> list[dict]:
    """What threads, interruptions and clocks must not change."""
    return [{name: value for name, value in row.items() if name not in CLOCKS} for row in held.rows] + held.summary


@pytest.fixture(params=WAYS)
def way(request, tmp_path):
    """A contest, and a file that it can be saved to."""
    (first, second, config), suffix = WAYS[request.param]
    return (first, second, config), tmp_path / f"m{suffix}"


def interrupted(way, after_games: int, **options):
    pressed = []

    def on_progress(games, text):
        if games >= after_games and not pressed:
            pressed.append(True)
            signal.raise_signal(signal.SIGINT)

    return hold(way, on_progress=on_progress, on_interrupt="return", **options)


# --- Saved and resumed, alike for counts and games.


@pytest.mark.parametrize(("threads", "share"), corners([1, 2], [0.01, 0.4, 0.9], together=1))
def test_a_resumed_contest_ends_in_the_same_bits(way, threads, share):
    config, path = way
    part = interrupted(config, int(share * config[2].games), threads=threads, save_to=path)
    assert not part.complete or share > 0.5  # a thread may be at work on what is left
    assert bits(hold(config, resume_from=path, threads=threads)) == bits(hold(config))
    assert bits(hold(config, resume_from=path)) == bits(hold(config))  # nothing is left to play


def test_a_contest_that_is_there_is_continued_by_resume_only(way):
    config, path = way
    path.touch()  # an empty file holds none
    hold(config, save_to=path)
    before = path.read_bytes()
    with pytest.raises(UsageError, match=r"expected a new file .*--resume continues it"):
        hold(config, save_to=path)
    with pytest.raises(UsageError, match="got both"):
        hold(config, save_to=path, resume_from=path)
    with pytest.raises(UsageError, match=r"expected a \.\w+ file for this contest"):
        hold(config, save_to=path.with_suffix(".csv"))
    with pytest.raises(FileFormatError, match="cannot read"):
        hold(config, resume_from=path.with_name(f"none{path.suffix}"))
    assert path.read_bytes() == before and len(list(path.parent.iterdir())) == 1


def test_another_contest_is_not_resumed(way):
    (first, second, config), path = way
    contest(first, second, config, save_to=path)
    before = path.read_bytes()
    others = [
        (second, first, config),
        (first, second, replace(config, seed=1)),
        (first, second, replace(config, match_index=1)),
    ]
    if config.openings is None:
        others += [(first, second, replace(config, random_opening=True)), (first, second, replace(config, start=1))]
        others += [(first, second, replace(config, seats="ab")), (first, second, replace(config, chunk_games=5000))]
    else:
        others += [(first, second, replace(config, openings="random:2"))]
    for other in others:
        with pytest.raises(UsageError, match=r"^'.*m\.\w+': expected a match with \w+ .*, got a match with"):
            hold(other, resume_from=path)
    assert path.read_bytes() == before


def test_a_contest_can_be_lengthened(way):
    (first, second, config), path = way
    longer = replace(config, games=2 * config.games)
    contest(first, second, replace(config, games=40_000 if config.openings is None else 20), save_to=path)
    assert bits(contest(first, second, longer, resume_from=path)) == bits(contest(first, second, longer))


def test_a_last_chunk_that_was_shorter_is_played_again(tmp_path):
    first, second, config = COUNTED
    path = tmp_path / "m.npz"
    contest(first, second, replace(config, games=30_001), save_to=path)
    for games in (30_003, 34_000, config.games):
        longer = replace(config, games=games)
        interrupted((first, second, longer), 0, resume_from=path, threads=1)
        assert bits(contest(first, second, longer, resume_from=path)) == bits(contest(first, second, longer))
    with pytest.raises(UsageError, match=r"m\.npz': expected at most 15,001 games of a seating, got"):
        contest(first, second, replace(config, games=30_001), resume_from=path)


def test_counts_are_kept_on_the_way(tmp_path, monkeypatch):
    """What a SIGKILL leaves behind: the file as it stood after the last save."""
    monkeypatch.setattr(tabular, "SECONDS_BETWEEN_SAVES", 0.0)
    path, copies, whole = tmp_path / "m.npz", [], bits(hold(COUNTED))
    hold(COUNTED, save_to=path, on_progress=lambda *_: copies.append(path.exists() and path.read_bytes()))
    assert copies[0] is False and len(copies) == 10
    for copy in copies[1:]:
        path.write_bytes(copy)
        assert bits(hold(COUNTED, resume_from=path)) == whole


# --- Rows and summary.


def test_both_ways_have_one_schema_and_the_same_exact_values(way):
    config, _ = way
    held, other = hold(config), hold(("minimax", "random", ContestConfig(40, openings="none")))
    assert [list(row) for row in held.rows] == [list(row) for row in other.rows]
    assert list(held.summary[0]) == list(other.summary[0])
    exact = exact_outcome(as_policy("minimax"), as_policy("random"))
    assert other.rows[0]["exact_x_wins"] == exact.x_wins
    assert other.rows[0]["reachable_boards"] == hold(COUNTED).rows[1]["reachable_boards"] == 636
    assert 0 < other.rows[0]["distinct_boards"] <= 20
    for row in held.rows:
        assert row["games"] == row["x_wins"] + row["draws"] + row["o_wins"] == sum(row["plies"].values())
        assert row["complete"] is True


def seating(agents, seats, **more):
    held = hold((*agents[:2], replace(agents[2], seats=seats)), **more)
    return [(row["x"], row["o"], row["games"], row["x_wins"], row["draws"], row["plies"]) for row in held.rows], held


@pytest.mark.parametrize("one_by_one", [False, True])
def test_one_seating_is_that_of_both(one_by_one, tmp_path):
    """`ab` and `ba` are the two rows of `both`: the same games, whichever of them are played."""
    agents = ("default", "random", ContestConfig(20, openings="random:2" if one_by_one else None))
    both, held = seating((*agents[:2], replace(agents[2], games=40)), "both")
    assert held.summary and [row[:2] for row in both] == [("default", "random"), ("random", "default")]
    usual = hold((*agents[:2], replace(agents[2], games=40, seats=None if one_by_one else "both")))
    assert bits(held) == bits(usual)
    for seats, row in zip(("ab", "ba"), both, strict=True):
        alone, part = seating(agents, seats)
        assert alone == [row] and part.summary == [] and part.complete
        path = tmp_path / f"{seats}.{'jsonl' if one_by_one else 'npz'}"
        seating((*agents[:2], replace(agents[2], games=20 - 10 * one_by_one)), seats, save_to=path)
        assert seating(agents, seats, resume_from=path)[0] == [row]  # games one by one are lengthened
        with pytest.raises(UsageError, match="expected a match with"):
            seating(agents, {"ab": "ba", "ba": "both"}[seats], resume_from=path)


def test_a_position_is_parsed_once_for_each_game():
    config = ContestConfig(2, position="45", openings="random:2")
    assert replace(config, games=4).position is config.position
    assert config.position.first.actions == (4, 5) and config.openings.plies == 2
    assert replace(config, game="connect4").position.first.actions == (3, 4)
    assert "game=Game('tic-tac-toe'), position='45', openings='random:2'" in repr(config)


def test_seats_that_mean_nothing_are_refused():
    with pytest.raises(UsageError, match="expected 'ab', 'ba' or 'both' as the seats, got 'x'"):
        ContestConfig(10, seats="x")
    with pytest.raises(UsageError, match="--seats both with --sprt, which tests pairs, got --seats ab"):
        contest("random", "random", ContestConfig(10, seats="ab"), sprt="0,5")
    assert contest("random", "random", ContestConfig(3, seats="ba", openings="none")).rows[0]["games"] == 3


@pytest.mark.parametrize("games", [600, pytest.param(4000, marks=pytest.mark.slow)])
def test_exact_values_know_the_openings(games):
    """Openings that are drawn begin games in many states: the exact result is their mean, and the sample is near it."""
    held = hold(("random", "minimax", ContestConfig(games, openings="random:2", seed=2)))
    without = exact_outcome(as_policy("random"), as_policy("minimax"))
    for row in held.rows:
        assert sum(row[f"exact_{name}"] for name in ("x_wins", "draws", "o_wins")) == pytest.approx(1)
        assert all(abs(row[f"{name}_z"]) < 4.5 for name in ("x_wins", "draws", "o_wins"))
    assert abs(held.rows[0]["exact_draws"] - without.draws) > 1e-3
    assert held.summary[0]["score_low"] < held.summary[0]["exact_score"] < held.summary[0]["score_high"]


def test_what_means_nothing_in_a_way_is_refused():
    searched = ("mcts:sims=10", "random")
    for name, value in {"method": "propagate", "random_opening": True, "start": 1, "chunk_games": 9}.items():
        with pytest.raises(UsageError, match=r"expected (--.*|start) only for policies over a state table"):
            contest(*searched, ContestConfig(10, **{name: value}))
    held = contest(as_policy("random"), "minimax", ContestConfig(10, openings="none"))  # which is named on the way
    assert held.way == "one by one" and held.rows[0]["exact_x_wins"] == 0 < held.rows[0]["exact_draws"]
    for games in (0, 1, 7, 2 * 10**7 + 2):
        with pytest.raises(UsageError, match="expected an even number of games from 2 to 20,000,000"):
            contest(*searched, ContestConfig(games))
    for games in (0, 10**7 + 1):
        with pytest.raises(UsageError, match="expected 1 to 10,000,000 games in one seating"):
            contest(*searched, ContestConfig(games, seats="ba"))
    for game, agents, expected in [
        ("tic-tac-toe", ["random", "minimax"], "counted"),
        ("tic-tac-toe", ["random", "mcts:sims=2"], "one by one"),
        ("connect4:columns=4,rows=4,length=3", ["default", "minimax"], "counted"),
        ("connect4", ["default", "random"], "one by one"),
    ]:
        assert contest(*agents, ContestConfig(2, game=game)).way == expected


# --- Round robins.


@pytest.mark.parametrize(
    ("first", "second", "openings", "suffix"),
    [
        ("default", "minimax:prefer=fast,tie=first", None, ".npz"),
        ("mcts:sims=2,leaf=rollout", "mix:1/2*random+1/2*(best-response:random)", "random:2", ".jsonl"),
    ],
)
def test_files_called_like_agents_and_options_do_not_count(first, second, openings, suffix, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = "default minimax fast first mcts 2 rollout mix random best-response random:2 none leaf"
    path, chunk = f"saved{suffix}", {"chunk_games": 2} if suffix == ".npz" else {}
    config = ContestConfig(2, openings=openings, seats="ab", **chunk)
    contest(first, second, config, save_to=path)
    for name in names.split():
        (tmp_path / name).write_text("anything")
    more = replace(config, games=4)
    assert contest(first, second, more, resume_from=path).rows[0]["games"] == 4


def test_files_that_are_read_count(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, agent in {"p": "random", "other-p": "minimax"}.items():
        save_policy(f"{name}.npz", agent)
    for name, line in {"lines": "1\n", "other-lines": "2\n"}.items():
        (tmp_path / f"{name}.txt").write_text(line)
    cases = [
        ("mix:1/2*minimax+1/2*p.npz", "lines.txt", "m.jsonl", ["p.npz", "lines.txt"]),
        ("p.npz", None, "m.npz", ["p.npz"]),
    ]
    for first, openings, path, names in cases:
        config = ContestConfig(2, openings=openings)
        contest(first, "random", config, save_to=path)
        contest(first, "random", config, resume_from=path)
        for name in names:
            before = (tmp_path / name).read_bytes()
            (tmp_path / name).write_bytes((tmp_path / f"other-{name}").read_bytes())
            with pytest.raises(UsageError, match=f"(files|policies) of this contest have changed since: {name}"):
                contest(first, "random", config, resume_from=path)
            (tmp_path / name).write_bytes(before)


# --- Round robins.


@pytest.mark.parametrize(("game", "way"), [("tic-tac-toe", "counted"), ("connect4", "one by one")])
def test_a_list_of_agents_is_a_round_robin_that_is_rated_by_its_seatings(game, way):
    agents = ["random", "default", "default:skill=0.5"]
    found = contest(agents, config=ContestConfig(100, game=game))
    pairs = {(x, o) for x in agents for o in agents if x != o or way == "counted"}
    assert found.way == way and {(row["x"], row["o"]) for row in found.rows} == pairs and found.complete
    assert repr(found).startswith(f"<Contest of {' v '.join(agents)} in {game}: ")
    summary = found.summary
    assert summary[-1]["agent"] == "random"
    assert sum(row["rating"] for row in summary) == pytest.approx(0, abs=1e-6)
    for row in summary:
        for other in summary:
            if row is not other:
                assert row[f"v {other['agent']}"] + other[f"v {row['agent']}"] == pytest.approx(1)


def test_round_robins_of_policies_are_exact_and_take_nothing_else():
    found = contest(["random", "minimax"], config=0)
    assert found.complete and [row["agent"] for row in found.summary] == ["minimax", "random"]
    assert found.rows[1]["exact_draws"] == exact_outcome("random", "minimax").draws
    assert [row["games"] for row in found.rows] == [0] * 4
    with pytest.raises(
        UsageError, match="only a list of agents and settings in a round robin, got also sprt and save_to"
    ):
        contest(["random", "minimax"], sprt="0,50", save_to="games.jsonl")
    for agents, words in (
        (["random", "minimax", "random"], "expected different agents, got 'random' twice"),
        (
            [as_policy("random").renamed("one"), as_policy("minimax").renamed("one")],
            "expected different agents, got 'one'",
        ),
        ([], "expected two agents or more, got 0"),
        (["mcts"], "expected two agents or more, got 1"),
    ):
        with pytest.raises(UsageError, match=words):
            contest(agents)
    with pytest.raises(PolicyError, match="got None"):
        contest("random")


def test_policies_are_agents_of_contests():
    mine, config = as_policy("random").renamed("mine"), ContestConfig(50_000)
    seat, same = contest(mine, "minimax", config).seats[0], contest("random", "minimax", config).seats[0]
    assert seat.x == "mine" and (seat.counts == same.counts).all()
    (row, *_) = contest([mine, "minimax"], config=config).summary
    assert row["agent"] == "minimax" and row["v mine"] > 0.5
