"""The training runs of Langan's study, in full and in the quick form of the tests."""

from typing import NamedTuple

from ttt_fast.studies.langan.emulation import Mended
from ttt_fast.studies.langan.published import BUGGY, BUGGY2, MINIMAX, MINIMAX_EPISODES

SELF_PLAY = "self-play"
FROZEN = "random:frozen=0"
AS_CODED, OVER_LEGAL, AS_WRITTEN = "as coded", "B3", "as written"
"""Of a learner against a fixed player: the program; with a maximum over legal actions; and as the report says (rewards
1, 1/2, 0, written directly into the table at the end of a game)."""

VARIANTS = [Mended(), Mended(credit=True), Mended(successor=True), Mended(True, True), Mended(True, True, True)]
WITHOUT_B3, MEND_ALL = VARIANTS[-2:]
TWINS = {
    Mended(maximum=True): Mended(),
    Mended(credit=True, maximum=True): Mended(credit=True),
    Mended(successor=True, maximum=True): Mended(successor=True),
}
"""The other three combinations, which learn the same bits: B3 acts on negative maxima only, and there is none unless
both B1 and B2 are mended (without B1 the rows looked up are 0, without B2 nothing is ever negative)."""


class Plan(NamedTuple):
    """How much is run: numbers of episodes, and of seeds.

    Attributes
    ----------
    ablation
        Self-play: where the learners are compared; all but those that follow end at the first.
    twins, repaired, published
        Self-play: length of the three runs that learn the same bits, of the learners with B1 and B2 mended, and as
        published.
    random, lengths, minimax
        Length against random; checkpoints against the flawed players, and against minimax (table 1).
    seeds, minimax_seeds, published_seeds, random_seeds
        Runs of a kind: usually; of table 1; of self-play at full length; against random.
    corrected, corrected_random, corrected_seeds
        Length and runs of this package's learner, usually and against random.
    timed_games
        Games that are played for the rates in timing.json.
    """

    ablation: tuple[int, ...]
    twins: int
    repaired: int
    published: int
    random: int
    lengths: tuple[int, ...]
    minimax: tuple[int, ...]
    seeds: int
    minimax_seeds: int
    published_seeds: int
    random_seeds: int
    corrected: int
    corrected_random: int
    corrected_seeds: int
    timed_games: int


FULL = Plan(
    ablation=(5_000_000, 20_000_000), twins=1_000_000, repaired=40_000_000, published=100_000_000, random=100_000_000,
    lengths=(5_000, 10_000, 20_000, 50_000, 75_000, 100_000, 150_000, 200_000, 500_000, 1_000_000),
    minimax=MINIMAX_EPISODES,
    seeds=10, minimax_seeds=20, published_seeds=3, random_seeds=4,
    corrected=2_000_000, corrected_random=20_000_000, corrected_seeds=5, timed_games=20_000_000,
)  # fmt: skip
QUICK = Plan(
    ablation=(20_000,), twins=5_000, repaired=50_000, published=50_000, random=50_000,
    lengths=(1_000, 5_000), minimax=(500, 1_000, 5_000),
    seeds=2, minimax_seeds=2, published_seeds=2, random_seeds=2,
    corrected=20_000, corrected_random=50_000, corrected_seeds=1, timed_games=1_000_000,
)  # fmt: skip


class Job(NamedTuple):
    """One training run.

    Attributes
    ----------
    opponent
        `SELF_PLAY`, or the agent string of a fixed player.
    variant
        What is mended: text of a `Mended`, or one of the three variants against a fixed player.
    seed
        Of its streams; the runs of a seed share their draws.
    checkpoints
        Numbers of episodes, ascending, after which the tables are looked at.
    """

    opponent: str
    variant: str
    seed: int
    checkpoints: tuple[int, ...]


def one_two_five(last: int) -> tuple[int, ...]:
    """Return 1,000, 2,000, 5,000, 10,000 … up to `last`, which ends the list.

    Examples
    --------
    >>> one_two_five(12_000)
    (1000, 2000, 5000, 10000, 12000)
    """
    ladder = (digit * 10**power for power in range(3, 16) for digit in (1, 2, 5))
    return (*(episodes for episodes in ladder if episodes < last), last)


def jobs_of(plan: Plan) -> list[Job]:
    """Return the training runs of a plan."""
    jobs = []
    for mended in VARIANTS:
        for seed in range(plan.seeds):
            last = plan.ablation[0]
            if mended in (MEND_ALL, WITHOUT_B3):
                last = plan.repaired
            elif mended == Mended() and seed < plan.published_seeds:
                last = plan.published
            ladder = tuple(sorted({*one_two_five(last), *(at for at in plan.ablation if at <= last)}))
            jobs.append(Job(SELF_PLAY, str(mended), seed, ladder))
    jobs += [Job(SELF_PLAY, str(mended), 0, one_two_five(plan.twins)) for mended in TWINS]
    for variant in (AS_CODED, OVER_LEGAL, AS_WRITTEN):
        ladder = tuple(sorted({*one_two_five(plan.minimax[-1]), *plan.minimax}))
        jobs += [Job(MINIMAX, variant, seed, ladder) for seed in range(plan.minimax_seeds)]
    for opponent in (BUGGY, BUGGY2, FROZEN):
        jobs += [Job(opponent, AS_CODED, seed, plan.lengths) for seed in range(plan.seeds)]
    jobs += [Job("random", AS_CODED, seed, one_two_five(plan.random)) for seed in range(plan.random_seeds)]
    return jobs
