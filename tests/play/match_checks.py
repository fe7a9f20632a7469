"""What several test modules of match-ups need: players of every kind, and distances in standard deviations."""

from math import sqrt

import numpy as np

from conftest import random_policy
from ttt_fast import exact_outcome
from ttt_fast.agents.convert import as_policy
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import table_of

MAX_Z = 4.5
"""Seeds are fixed, so a test passes or fails for good; 4.5 standard deviations are one in 150,000."""

PLAYERS = (
    "random",
    "minimax",
    "minimax:tie=first",
    "random:frozen=3",
    "mix:0.9*minimax+0.1*random",
    "rows-1",
    "rows-2",
    "tiny",
)


def player(spec: str) -> Policy:
    """An agent, or random rows (`rows-SEED`), or rows with probabilities far below a word's 2**-32 (`tiny`)."""
    if spec.startswith("rows-"):
        return random_policy(int(spec.removeprefix("rows-")))
    if spec == "tiny":
        rows = random_policy(9, zeros=0.0).probabilities ** 12
        sums = rows.sum(axis=1, keepdims=True)
        return Policy.from_probabilities(table_of("tic-tac-toe"), rows / np.where(sums > 0, sums, 1), "tiny")
    return as_policy(spec)


def largest_z(counts, x: Policy, o: Policy, **setting) -> float:
    """The largest deviation of the three results, in standard deviations from the exact value."""
    table = table_of("tic-tac-toe")
    exact = exact_outcome(x, o, **setting)
    total = int(counts.sum())
    deviations = []
    for code, p in ((1, exact.x_wins), (3, exact.draws), (2, exact.o_wins)):
        seen = int(counts[table.status == code].sum())
        if p < 1e-12 or p > 1 - 1e-12:
            assert seen == round(p) * total
        else:
            deviations.append(abs(seen - total * p) / sqrt(total * p * (1 - p)))
    return max(deviations, default=0.0)


def chi_square_z(counts, probabilities) -> float:
    """How far a chi-square statistic is above its mean, in its standard deviations; rare cells are pooled."""
    total = counts.sum()
    expected = total * probabilities
    rare = expected < 10
    seen = np.append(counts[~rare], counts[rare].sum())
    wanted = np.append(expected[~rare], expected[rare].sum())
    assert np.all(seen[wanted == 0] == 0)
    seen, wanted = seen[wanted > 0], wanted[wanted > 0]
    degrees = len(wanted) - 1
    return float((((seen - wanted) ** 2 / wanted).sum() - degrees) / np.sqrt(2 * degrees))
