"""Q-learning in plain Python as X against random, metered: then `ttt-fast plot x-v-random.csv`."""

import random
from collections import defaultdict

from ttt_fast import Environment, Meter


def learn(game, meter, seed, step_size=0.2, epsilon=0.3):
    """Play all episodes of an `Environment`; a meter records ten points of the curve."""
    draw, num_actions = random.Random(seed), game.table.num_actions
    q = defaultdict(lambda: [0.0] * num_actions)  # a row of action values for each state

    def best(state):
        return max(q[state][action] for action in game.legal_actions)

    for state in game.games():
        is_over, exploring = False, epsilon * game.episodes_left / game.episodes
        while not is_over:
            legal, row, mover = game.legal_actions, q[state], game.player
            action = draw.choice(legal) if draw.random() < exploring else max(legal, key=row.__getitem__)
            state, reward, is_over = game.step(action)
            if is_over:
                target = reward
            else:  # in self-play the next value is the other player's
                target = best(state) if game.player == mover else -best(state)
            row[action] += step_size * (target - row[action])
        if game.episodes_begun % (game.episodes // 10) == 0:
            meter.record(
                game.episodes_begun, lambda state: q[state] if state in q else [0.0] * num_actions, scores=True
            )


if __name__ == "__main__":
    meter = Meter("tic-tac-toe", "x", "random")
    learn(Environment("tic-tac-toe", "x", "random", seed=0, episodes=20_000), meter, seed=0)
    print(meter.to_frame().select("episodes", "x_wins", "value", "best_value", "agreement"))
    meter.save("x-v-random.csv")
