"""The groups of the benchmark, by the names that `--only` takes."""

from groups import (
    alphazero,
    evaluating,
    games,
    hashed,
    induced,
    late_values,
    learning,
    networks,
    playing,
    reviewing,
    scale,
    self_play,
    solving,
    starting,
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
        alphazero.ALPHAZERO,
        evaluating.EXACT,
        scale.SCALE,
        induced.INDUCED,
        playing.TWO_THREADS,
        playing.MULTINOMIAL,
        games.GAMES,
        games.EQUAL_SIMULATIONS,
        solving.SOLVING,
        late_values.LATE_VALUES,
        reviewing.REVIEW,
        starting.START,
    )
}
