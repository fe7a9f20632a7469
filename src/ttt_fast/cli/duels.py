"""The parts of `match` and `compare` that play games of any kind between players that search."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import typer

from ttt_fast.cli.executors import check_executor, make_executor
from ttt_fast.cli.interrupted import leave_interrupted, leave_with_part, this_command
from ttt_fast.cli.parsing import parse_count, parse_seed, shorten
from ttt_fast.core.errors import UsageError

if TYPE_CHECKING:
    from ttt_fast.evaluate.sprt import Sprt
    from ttt_fast.play.tally import Tally
    from ttt_fast.report.console import ProgressCallback

DEFAULT_GAMES = "1000"
EXIT_REFUSED, EXIT_UNDECIDED = 10, 11
"""Exit codes of a match with a test: H0 accepted, and not decided within the games (0: H1 accepted)."""


class DuelOptions(NamedTuple):
    """Words of the command line that only duels know."""

    game: str
    openings: str | None
    sprt: str | None
    executor: str
    scheduler: str | None

    def wanted(self, agents: Sequence[str]) -> bool:
        """Return whether these words, or these agents, ask for a duel and not for a match of policies."""
        from ttt_fast.agents.registry import makes_policy
        from ttt_fast.games.registry import parse_game

        if self.openings or self.sprt or self.executor != "threads":
            return True
        game = parse_game(self.game)
        return not all(makes_policy(agent, game) for agent in agents)


def duel(
    first: str,
    second: str,
    options: DuelOptions,
    games: str,
    seed: str,
    threads: int | None,
    save: Path | None,
    resume: Path | None,
    form: str,
    output: Path | None,
) -> None:
    """Play a duel and report it."""
    from ttt_fast.play.duel import DuelConfig, play_duel
    from ttt_fast.report.console import progress
    from ttt_fast.report.duels import duel_report, duel_rows
    from ttt_fast.report.rows import write_rows

    total = parse_count(games, "a number of games", minimum=2)
    if total % 2:
        raise UsageError(f"expected an even number of games, since they come in pairs with seats swapped, got {total}")
    if save is not None and resume is not None:
        raise UsageError("expected --save (a new file) or --resume (one that is there), got both")
    check_executor(options.executor, options.scheduler)
    config = DuelConfig(options.game, first, second, total // 2, parse_seed(seed), options.openings or "none")
    test = None if options.sprt is None else parse_sprt(options.sprt)
    with (
        closing(make_executor(threads, options.scheduler)) as pool,
        progress(total, "games", f"{first} v {second}") as update,
    ):

        def on_progress(tally: "Tally") -> None:
            update(tally.games, f"score {tally.rating().score:.3f}")

        tally = play_duel(
            config, pool, sprt=test, save_to=resume or save, resume=resume is not None, on_progress=on_progress
        )
    settings = {**config.__dict__, "sprt": options.sprt}
    write_rows(form, output, "match", duel_rows(tally), settings, lambda: duel_report(tally, options.game))
    if tally.is_decided:
        raise typer.Exit(0 if tally.decision == "H1" else EXIT_REFUSED)
    if not tally.is_complete:
        if save is None and resume is None:
            leave_with_part("the games played so far (--save FILE makes it resumable)")
        leave_interrupted(this_command(resumed=True))
    if test is not None:
        raise typer.Exit(EXIT_UNDECIDED)


def round_robin(
    agents: Sequence[str],
    options: DuelOptions,
    games: str,
    seed: str,
    threads: int | None,
    form: str,
    output: Path | None,
) -> None:
    """Play every agent against every other and report scores and ratings."""
    from ttt_fast.play.duel import DuelConfig, play_duel
    from ttt_fast.report.console import progress
    from ttt_fast.report.duels import round_robin_report, round_robin_rows
    from ttt_fast.report.rows import write_rows

    total = parse_count(games, "a number of games", minimum=2)
    if total % 2 or len(agents) < 2:
        raise UsageError(f"expected two agents or more and an even number of games, got {len(agents)} and {total}")
    if options.sprt is not None:
        raise UsageError("expected --sprt with match, got it with compare")
    check_executor(options.executor, options.scheduler)
    begin, drawn = options.openings or "none", parse_seed(seed)
    configs = [
        (i, j, DuelConfig(options.game, agents[i], agents[j], total // 2, drawn, begin, number))
        for number, (i, j) in enumerate(combinations(range(len(agents)), 2))
    ]
    tallies: list[tuple[int, int, Tally]] = []
    with (
        closing(make_executor(threads, options.scheduler)) as pool,
        progress(total * len(configs), "games", "compare") as update,
    ):
        for first, second, config in configs:
            before = sum(tally.games for _, _, tally in tallies)
            tally = play_duel(config, pool, on_progress=partial(_told, update, before))
            tallies.append((first, second, tally))
            if not tally.is_complete:
                break
    records = round_robin_rows(agents, tallies)
    settings = {"agents": list(agents), "games": total, **options._asdict()}
    write_rows(form, output, "compare", records, settings, lambda: round_robin_report(records, options.game))
    if sum(tally.games for _, _, tally in tallies) < total * len(configs):
        leave_with_part("the games played so far")


def _told(update: "ProgressCallback", before: int, tally: "Tally") -> None:
    update(before + tally.games)


def parse_sprt(text: str) -> "Sprt":
    """Return the test that '0,50' or '0,50,0.05,0.05' (elo0, elo1, alpha, beta) spells."""
    from ttt_fast.evaluate.sprt import Sprt

    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (2, 4):
        raise UsageError(f"expected a test as ELO0,ELO1 or ELO0,ELO1,ALPHA,BETA, got {shorten(text)!r}")
    return Sprt(*numbers)


def refuse_in_duels(given: Mapping[str, object]) -> None:
    """Refuse options that mean something in a match of policies only."""
    names = [name for name, value in given.items() if value]
    if names:
        raise UsageError(f"expected {names[0]} in a match of tic-tac-toe policies, got it in a duel (see --openings)")


def check_different(agents: Sequence[str]) -> None:
    """Refuse an agent that is to play against itself in a table of pairs."""
    for agent in agents:
        if agents.count(agent) > 1:
            raise UsageError(f"expected different agents, got {shorten(agent)!r} twice")
