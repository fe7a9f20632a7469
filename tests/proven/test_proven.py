"""Proven players against their rule, cell by cell; their exceptions; and their files."""

import numpy as np
import pytest
from proven_toys import LARGER, WON_BY_X, PlainPlayer, closed_set, columns_of, random_weights, toy

from cli_runner import run, run_python
from pairwise import diagonal
from proven_exceptions import make_exceptions, with_exceptions
from proven_writing import save_proven, weights_from
from ttt_fast import FileFormatError, UsageError, table_of
from ttt_fast.files import save_archive
from ttt_fast.games import api
from ttt_fast.proven.values import PROVEN_KIND, load_weights
from ttt_fast.proven.weights import choose_column, choose_columns, tables_of

BOARDS = ["connect4", "connect4:columns=8,rows=7", "connect4:columns=1,rows=6,length=3", "connect4:columns=5,rows=4"]


def positions(game, count, seed=0):
    """Ongoing positions of random games, of all lengths."""
    random, found = np.random.default_rng(seed), []
    while len(found) < count:
        state = random_weights(game, 1, 0).start
        while api.status(state) == api.ONGOING:
            found.append(state)
            state = api.play(state, int(random.choice(api.legal_actions(state))))
    return [found[index] for index in random.permutation(len(found))[:count]]


@pytest.mark.parametrize("spec", [WON_BY_X, LARGER])
def test_the_columns_of_a_player_with_exceptions_are_those_of_the_rule(spec):
    weights, table = toy(spec), table_of(spec)
    keys = table.key[table.player == weights.seat][::23]
    plain = PlainPlayer(weights)
    expected = [plain.choose(columns_of(api.state_of_key(weights.start, key))) for key in keys]
    assert choose_columns(weights, keys).tolist() == expected


@pytest.mark.slow
@pytest.mark.parametrize(("game", "sizes"), diagonal(BOARDS, [(0, 1), (5, 4), (3, 6)]))
def test_the_column_is_that_of_the_rule(game, sizes):
    """Random weights of a small range, so that many boards have equal values."""
    states = positions(game, 120)
    keys = np.array([api.state_key(state) for state in states], np.uint64)
    weights = random_weights(game, 1, *sizes, largest=1)
    image = [max(int(api.state_key(state)), int(api.state_key(api.transform(state, 1)))) for state in states]
    chosen, asked = {}, np.unique(np.array(image, np.uint64))
    for number, key in enumerate(asked[::2]):
        legal = api.legal_actions(api.state_of_key(weights.start, key))
        chosen[int(key)] = legal[number % len(legal)]
    made = make_exceptions(weights, np.array(list(chosen), np.uint64), np.array(list(chosen.values())))
    for player in (weights, with_exceptions(weights, made)):
        plain, tables = PlainPlayer(player), tables_of(player)
        expected = [plain.choose(columns_of(state)) for state in states]
        assert choose_columns(player, keys).tolist() == expected
        places = np.empty(tables.start.size, np.int32)
        assert [choose_column(tables, state, places) for state in states] == expected


def test_a_position_and_its_mirror_image_have_mirrored_columns():
    weights = random_weights("connect4", 1, 4, largest=1)
    states = [one for one in positions("connect4", 300) if api.transform(one, 1) != one]
    keys, images = (
        np.array([api.state_key(api.transform(state, number)) for state in states], np.uint64) for number in (0, 1)
    )
    assert (choose_columns(weights, keys) == 6 - choose_columns(weights, images)).all()


@pytest.mark.slow
@pytest.mark.parametrize("bits", [0, 4, 8])
def test_exceptions_hold_with_a_filter_of_any_width(bits, monkeypatch):
    """The filter that is built is the smallest; every other one gives the same columns."""
    weights = random_weights(WON_BY_X, 1)
    table = table_of(WON_BY_X)
    keys = table.key[table.player > 0]  # of both seats, to which the rule applies alike
    wanted = choose_columns(weights, keys)
    few = np.random.default_rng(1).random(keys.size) < 0.04
    states = [api.state_of_key(weights.start, key) for key in keys]
    for index in np.flatnonzero(few):
        wanted[index] = api.legal_actions(states[index])[0]
    images = np.array([api.state_key(api.transform(state, 1)) for state in states], np.uint64)
    first = keys <= images  # one of a position and its mirror image
    keys, wanted = keys[first], wanted[first]
    usual = make_exceptions(weights, keys, wanted)
    monkeypatch.setattr("proven_exceptions.np.argmin", lambda sizes: bits)
    made = make_exceptions(weights, keys, wanted)
    assert len(made.filter) == bits
    assert made.exceptions == usual.exceptions > 50 and len(usual.filter) not in (0, 8)
    assert 1.1 * (made.filter.nbytes + made.columns.nbytes) >= usual.filter.nbytes + usual.columns.nbytes
    wins = np.array([api.winning_action(api.state_of_key(weights.start, key)) >= 0 for key in keys])
    assert (choose_columns(with_exceptions(weights, made), keys) == wanted)[~wins].all()
    expected = (~wins).sum() - made.exceptions
    assert made.false_positives == expected if bits == 0 else abs(made.false_positives * 2**bits / expected - 1) < 1


@pytest.mark.slow
def test_exceptions_that_contradict_the_rule_are_refused():
    weights = random_weights(WON_BY_X, 1)
    state = api.play(weights.start, 0)
    pair = [api.state_key(state), api.state_key(api.transform(state, 1))]
    with pytest.raises(UsageError, match="a position and its mirror image, got two"):
        make_exceptions(weights, np.array(pair, np.uint64), np.array([1, 1]))
    with pytest.raises(UsageError, match="columns that are not full"):
        make_exceptions(weights, np.array(pair[:1], np.uint64), np.array([4]))
    with pytest.raises(UsageError, match="one column for each position"):
        make_exceptions(weights, np.array(pair, np.uint64), np.array([1]))


def test_a_toy_needs_exceptions():
    weights = toy()
    keys, wanted = closed_set(random_weights(WON_BY_X, 1))
    assert (choose_columns(weights, keys) != wanted).sum() == 0 < weights.columns.size


def equal(weights, others):
    return all(one.dtype == two.dtype and np.array_equal(one, two) for one, two in zip(weights, others, strict=True))


@pytest.mark.parametrize("largest", [100, 1000])
def test_a_file_gives_back_its_arrays(tmp_path, largest):
    weights = with_exceptions(random_weights(WON_BY_X, 1, largest=largest), toy())
    assert weights.weights.dtype == (np.int8 if largest == 100 else np.int16)
    save_proven(tmp_path / "toy.npz", weights, {"made_by": "a test"})
    assert equal(load_weights(tmp_path / "toy.npz"), weights)


def test_more_than_a_megabyte_is_refused():
    assert random_weights("connect4", 1, 15, 8).num_bytes < 1_000_000
    with pytest.raises(UsageError, match="expected arrays of at most 1,000,000 bytes, got 1,048,"):
        random_weights("connect4", 1, 16, 8)


WRONG = {
    "a wrong dtype": lambda w: w._replace(weights=w.weights.astype(np.int32)),
    "no seat": lambda w: w._replace(board=np.array([4, 4, 3, 3], np.int32)),
    "too wide": lambda w: w._replace(board=np.array([9, 4, 3, 1], np.int32)),
    "no line": lambda w: w._replace(board=np.array([4, 4, 5, 1], np.int32)),
    "a cell above the board": lambda w: w._replace(tuples=w.tuples * 0 + np.uint8(4)),
    "a cell beside the board": lambda w: w._replace(tuples=w.tuples + np.uint8(20)),
    "a cell twice": lambda w: w._replace(tuples=w.tuples * 0),
    "too few weights": lambda w: w._replace(weights=w.weights[:, 1:]),
    "fewer planes": lambda w: w._replace(columns=w.columns[:2]),
    "other slots": lambda w: w._replace(shape=w.shape + 1),
    "no filter": lambda w: w._replace(filter=w.filter[:0]),
    "a negative seed": lambda w: w._replace(shape=w.shape - np.array([0, 0, 100], np.int32)),
    "too few segments": lambda w: w._replace(
        columns=w.columns[:, :1], shape=np.array([w.shape[0], [1, 3, 0]], np.int32)
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_arrays_that_do_not_fit_are_refused(tmp_path, name):
    wrong = WRONG[name](toy())
    with pytest.raises(UsageError, match=r"^expected "):
        save_proven(tmp_path / "wrong.npz", wrong)
    save_archive(
        tmp_path / "wrong.npz", PROVEN_KIND, wrong._asdict(), {"weights": str(wrong.weights.dtype), "game": WON_BY_X}
    )
    with pytest.raises(FileFormatError, match="expected") as refused:
        load_weights(tmp_path / "wrong.npz")
    assert "\n" not in str(refused.value) and "wrong.npz" in str(refused.value)


ALONE = """
import sys

class Refused:
    def find_spec(self, name, path=None, target=None):
        if name == "ttt_fast.search" or name.startswith("ttt_fast.search."):
            raise ImportError(f"{name} is refused")

sys.meta_path.insert(0, Refused())
import numpy as np
from ttt_fast.games import api
from ttt_fast.proven.weights import choose_columns
from ttt_fast.proven.values import load_weights

try:
    import ttt_fast.search.player
    raise SystemExit("the search was imported")
except ImportError:
    pass
weights, random = load_weights(sys.argv[1]), np.random.default_rng(0)
for game in range(20):
    state = weights.start
    while api.status(state) == api.ONGOING:
        key = np.array([api.state_key(state)], np.uint64)
        mine = choose_columns(weights, key)[0], random.choice(api.legal_actions(state))
        state = api.play(state, int(mine[api.player(state) != weights.seat]))
    assert api.status(state) == api.X_WINS
assert not [name for name in sys.modules if name.startswith(("ttt_fast.search", "ttt_fast.agents"))]
print("won")
"""


def test_a_game_needs_no_search(tmp_path):
    save_proven(tmp_path / "toy.npz", toy())
    assert run_python("-c", ALONE, tmp_path / "toy.npz").text.splitlines() == ["won"]


def test_weights_are_of_connect_four():
    with pytest.raises(UsageError, match="expected connect4, got 'tic-tac-toe'"):
        weights_from("tic-tac-toe", 1)
    with pytest.raises(UsageError, match="weights of 16 bits"):
        weights_from("connect4", 1, np.array([[0]]), np.array([[0, 1, 2, 40_000]]))


def test_a_file_of_another_board_than_it_says_is_refused(tmp_path):
    said = {"weights": str(toy().weights.dtype), "game": "connect4", "seat": "x"}
    save_archive(tmp_path / "toy.npz", PROVEN_KIND, toy()._asdict(), said)
    with pytest.raises(FileFormatError, match="expected a board of 'connect4', got one of"):
        load_weights(tmp_path / "toy.npz")


def test_damage_of_a_file_is_one_line_or_changes_nothing(tmp_path):
    path, random = tmp_path / "toy.npz", np.random.default_rng(0)
    save_proven(path, toy())
    whole, printed = path.read_bytes(), run("prove", path, "--game", WON_BY_X).out
    places = random.choice(len(whole), 20, replace=False).tolist()
    flipped = [whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :] for at in places]
    for damaged in [*(whole[:at] for at in places), *flipped, whole + b"junk", b"", b"PK\x05\x06" + bytes(18)]:
        path.write_bytes(damaged)
        ran = run("prove", path, "--game", WON_BY_X)
        refused = ran.code in (1, 2) and ran.err.startswith("ttt-fast: ") and ran.err.count("\n") == 1
        assert refused or ran.out == printed
        assert path.read_bytes() == damaged
