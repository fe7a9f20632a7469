"""The packed policy: each action owns its exact share of the 2**32 words, to within two words."""

from fractions import Fraction

import numpy as np
import pytest
from match_checks import PLAYERS, player

from ttt_fast.play.sampler import compile_sampler, layout_of
from ttt_fast.tables import table_of

TABLE = table_of("tic-tac-toe")
WORDS = 2**32


def words_by_action(sampler, state: int) -> dict[int, int]:
    """How many of the 2**32 words lead to each action, read from the slots."""
    layout = sampler.layout
    action_of_row = {int(layout.row[c]): a for a, c in enumerate(TABLE.child[state].tolist()) if c >= 0}
    num_slots = 1 << int(layout.slot_bits[state])
    capacity, found = WORDS // num_slots, {}
    for place in range(num_slots):
        slot = int(sampler.table[int(layout.row[state]) + place])
        first, second = action_of_row[slot >> 16 & 0xFFFF], action_of_row[slot & 0xFFFF]
        share = (slot >> 32) - place * capacity + 1
        assert 0 < share <= capacity
        found[first] = found.get(first, 0) + share
        found[second] = found.get(second, 0) + capacity - share
    return {action: words for action, words in found.items() if words}


def exact_row(policy, state: int) -> list[Fraction]:
    if policy.weights is None:
        return [Fraction(p) for p in policy.probabilities[state].tolist()]
    row = policy.weights[state].tolist()
    return [Fraction(weight, sum(row)) for weight in row]


@pytest.mark.slow
@pytest.mark.parametrize("name", PLAYERS)
def test_every_action_is_drawn_with_its_probability(name):
    policy = player(name)
    sampler = compile_sampler(policy)
    for state in np.flatnonzero(TABLE.decision_mask).tolist():
        words, row = words_by_action(sampler, state), exact_row(policy, state)
        assert sum(words.values()) == WORDS
        for action, probability in enumerate(row):
            drawn = words.get(action, 0)
            assert abs(Fraction(drawn, WORDS) - probability) <= Fraction(1, 2**31)
            assert probability > 0 or drawn == 0
        if sum(probability > 0 for probability in row) == 1:
            assert list(words.values()) == [WORDS]


def test_terminal_rows_lead_to_themselves():
    sampler = compile_sampler(player("random"))
    layout = sampler.layout
    assert sorted(layout.terminal_states.tolist()) == np.flatnonzero(~TABLE.decision_mask).tolist()
    for state in layout.terminal_states.tolist():
        row, num_slots = int(layout.row[state]), 1 << int(layout.slot_bits[state])
        assert row >= layout.first_terminal_row
        assert all(int(slot) == row << 16 | row for slot in sampler.table[row : row + num_slots])


def test_rows_are_aligned_and_do_not_overlap():
    layout = layout_of(TABLE)
    sizes = 1 << layout.slot_bits
    assert not (layout.row % sizes).any()
    order = np.argsort(layout.row)
    assert (layout.row[order][1:] >= (layout.row + sizes)[order][:-1]).all()
    assert int((layout.row + sizes).max()) == layout.template.size <= 2**16
    assert layout.row[0] == 0


def test_the_layout_does_not_depend_on_the_policy_and_is_not_written_to():
    before = layout_of(TABLE).template.copy()
    first, second = compile_sampler(player("rows-1")), compile_sampler(player("random"))
    assert first.layout is second.layout is layout_of(TABLE)
    assert not np.array_equal(first.table, second.table)
    assert np.array_equal(layout_of(TABLE).template, before)
