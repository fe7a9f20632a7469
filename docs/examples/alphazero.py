"""AlphaZero in plain Python over the table of a small game, with an exact learning curve.

A network of 128 neurons has an output for each action and one for the value.  It is evaluated for all states at once;
searches read arrays.  Every value is that for the player to move.  `alphazero_bugs.py` plants the usual bugs.
"""

import numpy as np

from ttt_fast import Meter


def forward(weights, inputs):
    """Return the hidden layer, and the outputs."""
    hidden = np.maximum(inputs @ weights[0] + weights[1], 0.0)
    return hidden, hidden @ weights[2] + weights[3]


def policy_and_value(outputs, mask):
    """Return the policy, a softmax over the legal actions, and the value."""
    logits = np.where(mask, outputs[:, :-1], -np.inf)
    chances = np.exp(logits - logits.max(axis=1, keepdims=True))
    return chances / chances.sum(axis=1, keepdims=True), outputs[:, -1]


def search(table, priors, values, root, simulations, c=1.5):
    """Return the visits of each action in the root; the first simulation only expands it."""
    visits, totals = {}, {}  # of the actions of each expanded state
    for _ in range(simulations + 1):
        path, state = [], root
        while state in visits:  # select
            scores = totals[state] / np.maximum(visits[state], 1)
            scores = scores + c * priors[state] * np.sqrt(1 + visits[state].sum()) / (1 + visits[state])
            action = int(np.where(table.legal_action_mask[state], scores, -np.inf).argmax())
            path.append((state, action))
            state = int(table.child[state, action])
        if table.status[state] == 0:  # expand and evaluate
            visits[state], totals[state] = np.zeros(table.num_actions), np.zeros(table.num_actions)
            value = values[state]
        else:
            value = 0.0 if table.status[state] == 3 else -1.0  # the player to move has lost
        for state, action in path[::-1]:  # back up
            value = -value  # of the player before
            visits[state][action] += 1
            totals[state][action] += value
    return visits[root]


def play(table, priors, values, simulations, generator):
    """Return the states, visit distributions and results of one game."""
    state, samples = 0, []
    while table.status[state] == 0:
        noisy, mask = priors.copy(), table.legal_action_mask[state]
        noisy[state, mask] = 0.75 * priors[state, mask] + 0.25 * generator.dirichlet(np.ones(mask.sum()))
        chances = search(table, noisy, values, state, simulations)
        chances /= chances.sum()
        samples.append((state, chances))
        state = int(table.child[state, generator.choice(len(chances), p=chances)])
    result = 0.0 if table.status[state] == 3 else 1.0  # for the player of the last move
    return [(*sample, result * (-1) ** plies) for plies, sample in enumerate(reversed(samples))][::-1]


def gradients(weights, inputs, mask, targets, results):
    """Return the gradients of the cross-entropy and the squared error."""
    hidden, outputs = forward(weights, inputs)
    chances, value = policy_and_value(outputs, mask)
    slopes = np.column_stack([chances - targets, 2 * (value - results)]) / len(inputs)
    below = (slopes @ weights[2].T) * (hidden > 0)
    return [inputs.T @ below, below.sum(axis=0), hidden.T @ slopes, slopes.sum(axis=0)]


def learn(iterations=40, games=20, steps=100, simulations=25, seed=0, neurons=128):
    """Return a meter with a row for each iteration: games of self-play, then steps of Adam."""
    generator, meter = np.random.default_rng(seed), Meter("tic-tac-toe", opponent="self")
    table = meter.table
    inputs = table.observe(np.arange(table.num_states, dtype=np.int32)).reshape(table.num_states, -1)
    mask = table.legal_action_mask | (table.player == 0)[:, None]  # every action where a game is over: no row is empty
    layers = [(inputs.shape[1], neurons), (neurons, table.num_actions + 1)]
    weights = [generator.uniform(-1, 1, shape) * n**-0.5 for n, m in layers for shape in ((n, m), m)]
    moments, replay = [(np.zeros_like(weight), np.zeros_like(weight)) for weight in weights], []
    for iteration in range(1, iterations + 1):
        priors, values = policy_and_value(forward(weights, inputs)[1], mask)
        values = values.clip(-1, 1)
        for _ in range(games):
            replay += play(table, priors, values, simulations, generator)
        states, targets, results = (np.array(column) for column in zip(*replay[-3600:], strict=True))  # the last ones
        for step in range((iteration - 1) * steps + 1, iteration * steps + 1):  # Adam
            batch = generator.integers(len(states), size=64)
            rows = states[batch]
            slopes = gradients(weights, inputs[rows], mask[rows], targets[batch], results[batch])
            for weight, slope, (first, second) in zip(weights, slopes, moments, strict=True):
                first += 0.1 * (slope - first)
                second += 0.001 * (slope**2 - second)
                weight -= 3e-3 * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
        priors = policy_and_value(forward(weights, inputs)[1], mask)[0]
        meter.record(iteration * games, table.of_edges(priors))
    return meter


if __name__ == "__main__":
    for row in learn().rows:
        print(row["episodes"], f"exploitability {row['exploitability']:.3f}", row["never_loses"])
