"""The groups of the benchmark, by the names that `--only` takes."""

from groups import (
    alphabeta,
    environments,
    evaluating,
    games,
    hashed,
    induced,
    learning,
    leaves,
    networks,
    playing,
    scale,
    self_play,
    solving,
    starting,
    sweeping,
)
from groups.timing import Group

GROUPS: dict[str, Group] = {
    group.name: group
    for group in (
        playing.RANDOM_GAMES,
        learning.TRAINING,
        self_play.SINGLE,
        self_play.DOUBLE,
        learning.CHECKPOINTS,
        hashed.HASHED,
        networks.NETWORKS,
        sweeping.SWEEP,
        evaluating.EXACT,
        scale.SCALE,
        induced.INDUCED,
        playing.TWO_THREADS,
        playing.MULTINOMIAL,
        alphabeta.ULTIMATE,
        alphabeta.CONNECT_FOUR,
        alphabeta.COMPILING,
        games.GAMES,
        games.EQUAL_SIMULATIONS,
        leaves.LEAVES,
        environments.ENVIRONMENTS,
        solving.SOLVING,
        starting.START,
    )
}
