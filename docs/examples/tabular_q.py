"""Q-learning in plain Python, metered: `ttt-fast suite --learner python:tabular_q:learn` in this folder."""

import random
from collections import defaultdict


def learn(problem, seed, step_size=0.2, epsilon=0.3):
    """Learn a problem of the suite, or any `ttt_fast.Environment` with a `record`."""
    draw, num_actions = random.Random(seed), problem.table.num_actions
    q = defaultdict(lambda: [0.0] * num_actions)  # a row of action values for each state

    def best(state):
        return max(q[state][action] for action in problem.legal_actions)

    for state in problem.games():
        is_over, exploring = False, epsilon * problem.episodes_left / problem.episodes
        while not is_over:
            legal, row, mover = problem.legal_actions, q[state], problem.player
            action = draw.choice(legal) if draw.random() < exploring else max(legal, key=row.__getitem__)
            state, reward, is_over = problem.step(action)
            if is_over:
                target = reward
            else:  # in self-play the next value is the other player's
                target = best(state) if problem.player == mover else -best(state)
            row[action] += step_size * (target - row[action])
        if problem.is_due:
            problem.record(lambda state: q[state] if state in q else [0.0] * num_actions, scores=True)


if __name__ == "__main__":
    from ttt_fast.studies.suite import exercise

    problem = exercise("x-v-random", seed=0)
    learn(problem, seed=0)
    print(problem.meter.to_frame().select("episodes", "wins", "value", "best_value", "agreement"))
    problem.meter.save("x-v-random.csv")  # ttt-fast plot x-v-random.csv
