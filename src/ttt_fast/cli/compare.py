"""The command `compare`: every agent against every agent."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ttt_fast.cli import options
from ttt_fast.cli.duels import DuelOptions, check_different, refuse_in_duels, round_robin
from ttt_fast.cli.interrupted import leave_with_part
from ttt_fast.cli.parsing import parse_count, parse_method, parse_seed, parse_threads

if TYPE_CHECKING:
    from ttt_fast.play.match import MatchResult
    from ttt_fast.play.session import Pairing
    from ttt_fast.report.results import ExactResult


def compare(
    agents: Annotated[list[str], typer.Argument(metavar="AGENT...", help="two or more agents")],
    games: options.GamesOfPair = None,
    seed: options.Seed = "0",
    threads: options.Threads = None,
    game: options.Game = "tic-tac-toe",
    openings: options.Openings = None,
    executor: options.Executor = "threads",
    scheduler: options.Scheduler = None,
    method: options.Method = "play",
    random_opening: options.RandomOpening = False,
    form: options.Format = None,
    output: options.Output = None,
) -> None:
    """Set every agent against every agent, in both seats: a matrix of exact and sampled results.

    Agents that search, and the games connect4 and ultimate, get a round robin with Bradley-Terry ratings.
    """
    from ttt_fast.agents.registry import parse_agent
    from ttt_fast.play.match import MatchConfig
    from ttt_fast.play.session import Pairing, play_pairings
    from ttt_fast.report import results, rows, tables
    from ttt_fast.report.console import progress

    chosen, threads_used = rows.chosen_format(form, output), parse_threads(threads)
    check_different(agents)
    searched = DuelOptions(game, openings, None, executor, scheduler)
    if searched.wanted(agents):
        options.announce_compilation()
        refuse_in_duels({"--random-opening": random_opening, "--method": method != "play"})
        round_robin(agents, searched, "100" if games is None else games, seed, threads_used, chosen, output)
        return
    count = parse_count("1M" if games is None else games, "a number of games")
    policies = [parse_agent(spec, game) for spec in agents]
    pairings: list[Pairing] = []
    for x in policies:
        for o in policies:
            config = MatchConfig(
                games=count,
                seed=parse_seed(seed),
                method=parse_method(method),
                random_opening=random_opening,
                match_index=len(pairings),
            )
            pairings.append(Pairing(x, o, config))
    truths = [results.truth_of(x, o, random_opening=random_opening) for x, o, _ in pairings]
    played: list[MatchResult] = []
    if count:
        with progress(count * len(pairings), "games", "compare") as update:
            played = play_pairings(pairings, threads=threads_used, on_progress=lambda done, result: update(done))
    complete = not count or all(result.games == count for result in played)
    records = _compare_records(truths, played, pairings)
    arguments = {
        "game": game,
        "agents": agents,
        "games": count,
        "seed": parse_seed(seed),
        "random_opening": random_opening,
    }
    rows.write_rows(
        chosen,
        output,
        "compare",
        records,
        arguments,
        lambda: tables.matrix_report(policies, truths, played, random_opening),
    )
    if not complete:
        leave_with_part("the games played so far")


def _compare_records(
    truths: "list[ExactResult]", played: "list[MatchResult]", pairings: "list[Pairing]"
) -> list[dict[str, Any]]:
    from ttt_fast.report import results

    if not played:
        return [
            {
                "x": truth.x,
                "o": truth.o,
                **{f"exact_{name}": getattr(truth.outcome, name) for name in results.RESULTS},
            }
            for truth in truths
        ]
    return [
        results.match_row(result, truth, pairing.config)
        for result, truth, pairing in zip(played, truths, pairings, strict=True)
    ]
