"""The command `match`: games between two agents, beside their exact result."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ttt_fast.cli import options
from ttt_fast.cli.duels import DEFAULT_GAMES, DuelOptions, duel, refuse_in_duels
from ttt_fast.cli.interrupted import leave_interrupted, leave_with_part, this_command
from ttt_fast.cli.parsing import parse_count, parse_method, parse_seed, parse_threads
from ttt_fast.core.errors import UsageError

if TYPE_CHECKING:
    from ttt_fast.play.session import Pairing


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
        refuse_in_duels(given | {"--method": method != "play", "--chunk": chunk != "2M"})
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
        _leave(save)


def _leave(save: Path | None) -> NoReturn:
    if save is None:
        leave_with_part("the games played so far (--save FILE makes it resumable)")
    said = this_command()
    leave_interrupted(said if "--resume" in said else [*said, "--resume", str(save)])
