"""The command `compare`: a round robin of agents."""

from typing import Annotated

import typer

from ttt_fast import UsageError
from ttt_fast.cli.options import Contests, Target, leave_with_part
from ttt_fast.cli.signatures import argument, of_result, option

COLUMNS = (
    "x", "o", "games", "x_wins", "draws", "o_wins", "exact_x_wins", "exact_draws", "exact_o_wins", "distinct_games",
    "games_per_second", "complete",
)  # fmt: skip
"""The columns of rows without `--all`."""


def compare(
    agents: Annotated[list[str], argument("AGENT", "two or more agents")],
    shared: Contests,
    target: Target,
    games: Annotated[
        str | None,
        option(
            "--games -n N",
            "number of games: for each seating of a pair if results are exact (default: 0), otherwise for each pair"
            " (default: 100)",
        ),
    ] = None,
    all_columns: Annotated[bool, of_result("--all", "print all columns, not only results and rates")] = False,
) -> None:
    """Compare every pair of agents in both seats: a matrix of exact results, and the score of each agent.

    Results are exact if the game has a state table (a list of all its states) and no agent searches: an external agent
    is then queried twice in every state.  With -n N, games are sampled, too, and the agents are rated.

    If an agent searches or draws its moves, or the game has no state table, all agents play game by game, in pairs of
    games with the seats swapped, and there are no exact results.
    """
    from ttt_fast import parse_agent
    from ttt_fast.report.contests import ranking_sentence, round_robin_report, seat_notes

    if len(agents) < 2:
        raise UsageError(f"expected two or more agents, got only {agents[0]!r}")
    settings = shared.settings(games)
    found, number = shared.hold(settings, games, "compare", [parse_agent(agent) for agent in agents])
    for note in seat_notes(found) if target.chosen != "table" else []:
        typer.echo(note, err=True)
    config = {"game": shared.game, "agents": agents, "games": number}
    config |= {name: getattr(shared, name) for name in ("seed", "openings", "random_opening")}
    said = ranking_sentence(found)
    rows = found.rows if all_columns else [{name: row[name] for name in COLUMNS if name in row} for row in found.rows]
    target.write("compare", rows, config, lambda: round_robin_report(found, settings), found.summary, said)
    if not found.complete:
        leave_with_part("the games played so far")
