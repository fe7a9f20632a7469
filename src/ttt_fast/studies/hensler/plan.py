"""The runs of Hensler's study: the settings of the program, variants of them, and their number."""

from typing import Any, NamedTuple

from ttt_fast.learn.config import TrainingConfig

EPISODES, CHUNK, PRINT_EVERY, FRESH = 100_000, 2_000, 10_000, 20_000
START, FACTOR, FLOOR = 0.9, 0.99995, 0.05
PUBLISHED, ENDS, FALLS, GREEDY = "as published", "exploration ends", "step size falls", "no exploration"
CHANGES: dict[str, dict[str, Any]] = {
    PUBLISHED: {},
    ENDS: {"epsilon": f"linear:{START},0"},
    FALLS: {"step_size": "geometric:0.3,0.003"},
    GREEDY: {"epsilon": 0.0},
}


class Job(NamedTuple):
    """One run of self-play: what is changed, its seed, and its episodes."""

    variant: str
    seed: int
    episodes: int


def jobs_of(quick: bool) -> list[Job]:
    """Return the runs of the study: 100 seeds as published, the first 20 of them ten times as long, and variants."""
    seeds, further, long = (3, 1, 120_000) if quick else (100, 20, 1_000_000)
    sizes = [(ENDS, EPISODES, seeds), (FALLS, EPISODES, further), (GREEDY, EPISODES, further)]
    if not quick:
        sizes += [(ENDS, 2 * EPISODES, seeds), (FALLS, 4 * EPISODES, further)]
    jobs = [Job(PUBLISHED, seed, long if seed < further else EPISODES) for seed in range(seeds)]
    jobs += [Job(variant, seed, episodes) for variant, episodes, count in sizes for seed in range(count)]
    return jobs


def config_of(job: Job) -> TrainingConfig:
    """Return the settings of a run."""
    settings: dict[str, Any] = {
        "opponent": "self", "episodes": job.episodes, "seed": job.seed, "step_size": 0.3, "discount": 0.9,
        "epsilon": f"exponential:{START},{FACTOR},{FLOOR}", "win_reward": 10.0, "draw_reward": 2.0,
        "loss_reward": -10.0, "tie": "random", "chunk_episodes": CHUNK, "judges": "random,minimax",
    }  # fmt: skip
    return TrainingConfig(**{**settings, **CHANGES[job.variant]})
