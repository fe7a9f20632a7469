"""The stored moves of a proven player: their numbers, and those that the pages state."""

import csv

import pytest
from proven_toys import LARGER, WON_BY_X, PlainPlayer, columns_of, toy

from conftest import REPOSITORY
from proven_writing import save_proven
from stored_moves import stored_moves
from ttt_fast.games import api


@pytest.mark.slow
@pytest.mark.parametrize("game", [WON_BY_X, LARGER])
def test_stored_moves_are_counted_as_the_plain_rule_uses_them(game, tmp_path):
    weights = toy(game)
    save_proven(tmp_path / "toy.npz", weights)
    player, bare = PlainPlayer(weights), PlainPlayer(weights._replace(shape=weights.shape * 0))
    level, expected = {int(api.state_key(weights.start)): weights.start}, []
    while level:
        boards, after = [columns_of(state) for state in level.values()], {}
        quiet = [
            board for board in boards if not any(player.wins(board, place) for place in open_columns(player, board))
        ]
        stored = sum(player.choose(board) != bare.choose(board) for board in quiet)
        expected.append((2 * len(expected), len(boards), len(quiet), stored))
        for state in level.values():
            child = api.play(state, player.choose(columns_of(state)))
            for action in api.legal_actions(child) if api.status(child) == api.ONGOING else ():
                reply = api.play(child, action)
                if api.status(reply) == api.ONGOING:
                    after[int(api.state_key(reply))] = reply
        level = after
    *rows, total = stored_moves(tmp_path / "toy.npz")
    assert [tuple(row.values())[:4] for row in rows] == expected and total["stored"] > 0
    assert [total[name] for name in ("positions", "quiet", "stored")] == [
        sum(row[place] for row in expected) for place in (1, 2, 3)
    ]


def open_columns(player, board):
    """The columns that are not full."""
    return [place for place, column in enumerate(board) if len(column) < player.rows]


def rows_of(name):
    with (REPOSITORY / "results" / "exact-connect4" / name).open(newline="") as stream:
        return list(csv.DictReader(stream))


def test_the_page_states_the_numbers_of_the_files():
    text = " ".join((REPOSITORY / "docs" / "AGENTS.md").read_text(encoding="utf-8").split())
    (row,) = [row for row in rows_of("stored.csv") if row["ply"] == "all"]
    assert f"For {int(rows_of('rounds.csv')[-1]['exceptions']):,} positions up to symmetry, the *exceptions*" in text
    assert f"for {float(row['share']):.1%} of the positions without an immediate win".replace("%", " %") in text
