"""A run of n-tuples on Connect 4, judged by the share of its moves that keep the value of 5,000 positions."""

from typing import Any

from ttt_fast import TrainingConfig, train

GAME = "connect4"


def config_of(seed: int, **settings: Any) -> TrainingConfig:
    """Return the configuration of a run of self-play, which is judged at its end alone."""
    usual: dict[str, Any] = {"game": GAME, "algorithm": "td", "opponent": "self", "judges": "", "evaluations": 1}
    return TrainingConfig(**usual | settings, seed=seed)


def judged(seed: int, settings: dict[str, Any]) -> dict[str, float]:
    """Return the agreement of a run after its last game, by a piece of work."""
    return {"agreement": train(config_of(seed, **settings)).curve()["agreement"].to_list()[-1]}
