"""The heuribot against the reference written from the page, and against moves of the published program."""

import csv

import pytest

import reference
from conftest import REPOSITORY
from ttt_fast import table_of
from ttt_fast.games import tic_tac_toe
from ttt_fast.policies import heuribot

# Names in the published program that differ.
PUBLISHED_NAMES = {"BLOCK_WIN": "BLOCK", "OPP_CORNER": "OPPOSITE_CORNER"}


def masks(board):
    """The cells of the player to move and of the other."""
    x, o = (sum(1 << cell for cell, mark in enumerate(board) if mark == seat) for seat in (1, 2))
    return (x, o) if x.bit_count() == o.bit_count() else (o, x)


@pytest.mark.parametrize("variant", heuribot.VARIANTS)
def test_rule_move_and_approved_cells(variant, reference_states):
    """In a third of the states: test_scripted.py has the rows of all."""
    for board in [board for board in reference_states if not reference.is_over(board)][::3]:
        move = heuribot.heuribot_move(*masks(board), variant)
        rule, cells = reference.heuribot_rule(board, variant)
        assert (move.rule.name, move.action, move.approved) == (rule, cells[0], tuple(sorted(set(cells))))


@pytest.mark.parametrize(("variant", "disagreements"), [("coded", 46), ("written", 26), ("lone-fork", 42)])
def test_disagreements_with_minimax(table, solution, variant, disagreements):
    actions = heuribot.classify_states(table, variant).actions
    states = table.decision_mask.nonzero()[0]
    assert (~table.dense(solution.optimal)[states, actions[states]]).sum() == disagreements


with (REPOSITORY / "tests" / "data" / "heuribot_moves.csv").open(newline="", encoding="utf-8") as lines:
    PUBLISHED_MOVES = list(csv.DictReader(lines))
"""Moves of the published program: the board, the rule, the move, and all moves that the rule approves."""


def test_moves_of_the_published_program():
    assert len(PUBLISHED_MOVES) == 400
    for row in PUBLISHED_MOVES:
        move = heuribot.heuribot_move(*masks(tic_tac_toe.parse_board(row["board"])), "coded")
        rule = PUBLISHED_NAMES.get(row["rule"], row["rule"])
        assert (row["board"], move.rule.name, move.action) == (row["board"], rule, int(row["move"]))
        assert move.approved == tuple(map(int, row["approved_moves"].split(";"))), row["board"]


def test_the_rules_of_a_table_in_words():
    table, words = table_of("tic-tac-toe"), "win,block,fork,block fork,force block,center,opposite corner,corner,side"
    assert ",".join(rule.text for rule in heuribot.Rule) == words
    assert (heuribot.Rule.states(table) == heuribot.classify_states(table).rules).all()
    assert ((heuribot.Rule.states(table) < 0) == ~table.decision_mask).all()
    assert heuribot.Rule.states(table_of("tic-tac-toe:misere=yes")) is None
