"""Search with priors: against a plain form in Python, number by number."""

import math

import numpy as np
import pytest

from ttt_fast import solution_of, table_of
from ttt_fast.core.plain import frozen
from ttt_fast.search import puct

GAMES = ["tic-tac-toe", "tic-tac-toe:misere=yes", "connect4:columns=4,rows=3,length=3", "connect4:columns=1,rows=4"]


def evaluated(table, seed=1):
    generator = np.random.default_rng(seed)
    priors = generator.random(table.num_edges) + 0.01
    priors /= table.to_edges(table.row_sums(priors))
    values = np.where(table.status == 0, generator.uniform(-1, 1, table.num_states), puct.values_at_the_end(table))
    return puct.Evaluated(table.edge_start, table.edge_child, frozen(priors), frozen(values))


def plain_search(table, game, root, simulations, c, root_priors):
    """Visits and means by (state, edge), as a textbook has it: select, expand, evaluate, back up."""
    edges = {state: range(*table.edge_start[state : state + 2]) for state in range(table.num_states)}
    priors = dict(enumerate(game.priors.tolist())) | dict(zip(edges[root], root_priors.tolist(), strict=True))
    visits, means, counts = {}, {}, {root: 1}
    for _ in range(simulations):
        path, state = [], root
        while not path or (counts.get(state) and edges[state]):
            explored = c * math.sqrt(counts[state])
            bonus = {edge: priors[edge] / (1 + visits.get(edge, 0)) for edge in edges[state]}
            edge = max(edges[state], key=lambda one: means.get(one, 0.0) + explored * bonus[one])
            path.append((state, edge))
            state = int(game.edge_child[edge])
        counts[state] = 1
        value = float(game.values[state])
        for before, edge in reversed(path):
            value = -value
            visits[edge] = visits.get(edge, 0) + 1
            means[edge] = means.get(edge, 0.0) + (value - means.get(edge, 0.0)) / visits[edge]
            counts[before] += 1
    return visits, means


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("simulations", [1, 7, 200])
def test_visits_and_means_are_those_of_the_plain_form(spec, simulations):
    table = table_of(spec)
    game, found = evaluated(table), puct.make_statistics(table)
    generator = np.random.default_rng(simulations)
    for root in [0, *generator.choice(np.flatnonzero(table.player), 5).tolist()]:
        count = int(np.diff(table.edge_start)[root])
        priors = np.zeros(table.num_actions)
        priors[:count] = generator.dirichlet(np.ones(count))
        puct.search(game, found, root, simulations, 1.3, priors)
        visits, means = plain_search(table, game, root, simulations, 1.3, priors[:count])
        assert {edge: int(found.visits[edge]) for edge in np.flatnonzero(found.visits).tolist()} == visits
        assert {edge: float(found.mean[edge]) for edge in visits} == means
        assert sum(visits.get(edge, 0) for edge in range(*table.edge_start[root : root + 2])) == simulations
        puct.clear(game, found)
        assert not any(array.any() for array in (found.visits, found.mean, found.state_visits, found.num_touched))


def test_a_choice_is_the_edge_of_most_visits():
    table = table_of("tic-tac-toe")
    game, found = evaluated(table), puct.make_statistics(table)
    states = np.flatnonzero(table.player)[::200].astype(np.int32)
    chosen = np.zeros(states.size, np.int32)
    puct.fill_choices(game, found, states, 60, True, 2.0, np.empty(table.num_actions), chosen)
    for state, edge in zip(states.tolist(), chosen.tolist(), strict=True):
        first, end = table.edge_start[state : state + 2].tolist()
        visits, _ = plain_search(table, game, state, 60, 2.0, game.priors[first:end])
        assert edge == max(range(first, end), key=lambda one: visits.get(one, 0))


def test_many_simulations_find_the_value_that_wrong_priors_hide():
    table = table_of("connect4:columns=4,rows=3,length=3")
    game, found = evaluated(table), puct.make_statistics(table)
    kept = solution_of(table).optimal
    states = np.flatnonzero(table.player)[:200].astype(np.int32)
    chosen = np.zeros(states.size, np.int32)
    puct.fill_choices(game, found, states, 2_000, True, 1.5, np.empty(table.num_actions), chosen)
    assert kept[chosen].mean() > 0.99
