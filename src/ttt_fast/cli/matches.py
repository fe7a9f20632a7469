"""Commands that set policies against each other: `match`, `exact`, `compare`."""

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ttt_fast.cli import options
from ttt_fast.cli.duels import DEFAULT_GAMES, DuelOptions, check_different, duel, leave_with_table, round_robin
from ttt_fast.cli.parsing import parse_count, parse_method, parse_seed, parse_threads
from ttt_fast.core.errors import UsageError

if TYPE_CHECKING:
    from ttt_fast.play.match import MatchResult
    from ttt_fast.play.session import Pairing
    from ttt_fast.report.results import ExactResult


_RESULTS = ("it goes on", "X has won", "O has won", "it is drawn")  # by status code


def match(
    x: options.XAgent,
    o: options.OAgent,
    games: options.Games = None,
    seed: options.Seed = "0",
    threads: options.Threads = None,
    game: options.Game = "tic-tac-toe",
    openings: options.Openings = None,
    sprt: options.Sprt = None,
    executor: options.Executor = "threads",
    scheduler: options.Scheduler = None,
    method: options.Method = "play",
    random_opening: options.RandomOpening = False,
    board: options.Board = None,
    swap: options.Swap = False,
    rival: options.Rival = None,
    save: options.Save = None,
    resume: options.Resume = None,
    chunk: options.Chunk = "2M",
    form: options.Format = None,
    output: options.Output = None,
) -> None:
    """Play N games between two agents, beside the exact result.

    Agents that search, and the games connect4 and ultimate, play in pairs with the seats swapped, and are rated:
    score, Elo and their 95 % intervals, likelihood of superiority.  With --sprt the exit code is 0 if ELO1 is
    accepted, 10 if ELO0 is, 11 if the games did not decide.
    """
    from ttt_fast.report.rows import chosen_format

    options.announce_compilation()
    chosen, threads_used = chosen_format(form, output), parse_threads(threads)
    searched = DuelOptions(game, openings, sprt, executor, scheduler)
    if searched.wanted([x, o]):
        given = {"--swap": swap, "--rival": rival, "--board": board, "--random-opening": random_opening}
        _refuse_in_duels(given | {"--method": method != "play", "--chunk": chunk != "2M"})
        duel(
            x, o, searched, DEFAULT_GAMES if games is None else games, seed, threads_used, save, resume, chosen, output
        )
        return
    if rival is not None and swap:
        raise UsageError("expected --rival or --swap, got both")
    settings = {
        "seed": parse_seed(seed),
        "method": parse_method(method),
        "random_opening": random_opening,
        "chunk_games": parse_count(chunk, "a number of games a chunk", minimum=1),
    }
    total = parse_count("1M" if games is None else games, "a number of games", minimum=2 if swap else 1)
    pairings = _pairings(game, x, o, total, board, rival, settings, swap=swap)
    _play(pairings, "match", chosen, output, threads_used, save or resume, resume, rival is not None)


def _pairings(
    game: str, x: str, o: str, total: int, board: str | None, rival: str | None, settings: dict[str, Any], *, swap: bool
) -> "list[Pairing]":
    """Return the matches that `match` is to play: one, both seatings, or one and the rival's."""
    from ttt_fast.agents.registry import parse_agent
    from ttt_fast.play.match import MatchConfig
    from ttt_fast.play.session import Pairing

    pairs = [(parse_agent(x, game), parse_agent(o, game))]
    table = pairs[0][0].table
    start = 0 if board is None else table.state_index(board)
    result = int(table.status[start])
    if result:
        raise UsageError(f"expected a board where the game goes on, got {board!r}, where {_RESULTS[result]}")
    shares = [total - total // 2, total // 2] if swap else [total]
    if swap:
        pairs.append((pairs[0][1], pairs[0][0]))
    if rival is not None:
        pairs.append((parse_agent(rival, game), pairs[0][1]))
        shares.append(total)
    return [
        Pairing(*pair, MatchConfig(games=share, start=start, match_index=index, **settings))
        for index, (pair, share) in enumerate(zip(pairs, shares, strict=True))
    ]


def _refuse_in_duels(given: Mapping[str, object]) -> None:
    names = [name for name, value in given.items() if value]
    if names:
        raise UsageError(f"expected {names[0]} in a match of tic-tac-toe policies, got it in a duel (see --openings)")


def _play(
    pairings: "list[Pairing]",
    command: str,
    form: str,
    output: Path | None,
    threads_used: int | None,
    save: Path | None,
    resume: Path | None,
    has_rival: bool,
) -> None:
    """Show the exact results, play, show the samples; leave with 130 if interrupted."""
    from ttt_fast.play.session import load_results, play_pairings
    from ttt_fast.report import results, rows, tables
    from ttt_fast.report.console import progress

    truths = [
        results.truth_of(x, o, start=config.start, random_opening=config.random_opening) for x, o, config in pairings
    ]
    total = sum(pairing.config.games for pairing in pairings)
    if resume is not None:
        load_results(resume, pairings)  # a file of other matches is refused before anything is printed
    if form == "table" and output is None:
        rows.write_bytes("".join(tables.exact_line(truth) + "\n" for truth in truths).encode(), None)
    with progress(total, "games", pairings[0].x.name + " v " + pairings[0].o.name) as update:
        played = play_pairings(
            pairings,
            threads=threads_used,
            save_to=save,
            resume_from=resume,
            on_progress=lambda done, result: update(done),
        )
    complete = sum(result.games for result in played) == total
    records = [
        results.match_row(result, truth, pairing.config)
        for result, truth, pairing in zip(played, truths, pairings, strict=True)
    ]
    if has_rival and all(result.games for result in played):
        records[0].update(results.rival_columns(played[0], played[1]))
    config = {"matches": [pairing.described() for pairing in pairings]}
    rows.write_rows(form, output, command, records, config, lambda: tables.match_report(truths, played, records))
    if not complete:
        _say_how_to_go_on(save)


def _say_how_to_go_on(save: Path | None) -> None:
    if save is not None:
        said = [word for word in sys.argv[1:] if word not in ("--debug",)]
        again = said if "--resume" in said else [*said, "--resume", str(save)]
        typer.echo(f"interrupted; go on with\n  ttt-fast {shlex.join(again)}", err=True)
        raise typer.Exit(130)
    leave_with_table(" (--save FILE makes it resumable)")


def exact(
    x: options.XAgent,
    o: options.OAgent,
    game: options.Game = "tic-tac-toe",
    random_opening: options.RandomOpening = False,
    board: options.Board = None,
    reach: Annotated[
        str | None,
        typer.Option("--reach", metavar="final|all", help="list the boards that the game can reach, with probability"),
    ] = None,
    form: options.Format = None,
    output: options.Output = None,
) -> None:
    """Compute the exact result of two agents: probabilities, fractions, game lengths."""
    from ttt_fast.agents.registry import parse_agent
    from ttt_fast.report import results, rows, tables

    chosen = rows.chosen_format(form, output)
    policies = parse_agent(x, game), parse_agent(o, game)
    start = 0 if board is None else policies[0].table.state_index(board)
    truth = results.truth_of(*policies, start=start, random_opening=random_opening)
    if reach is not None:
        listing = results.reach_rows(truth, reach)
        title = f"{x} v {o}: {'final boards' if reach == 'final' else 'boards'} and their exact probability"
        rows.write_rows(
            chosen,
            output,
            "exact",
            listing,
            {"game": game, "x": x, "o": o, "reach": reach},
            lambda: tables.rows_report(listing, title),
        )
        return
    config = {"game": game, "x": x, "o": o, "random_opening": random_opening, "board": board}
    rows.write_rows(chosen, output, "exact", [truth.row()], config, lambda: tables.exact_report(truth))


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
        _refuse_in_duels({"--random-opening": random_opening, "--method": method != "play"})
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
        leave_with_table()


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
