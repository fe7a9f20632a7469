"""The command `agents`: the list of agents, the options of one, and the check of an engine."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from ttt_fast import UsageError
from ttt_fast.cli import EXIT_FAILED, options
from ttt_fast.cli.parsing import parse_seed
from ttt_fast.cli.signatures import argument, option
from ttt_fast.core.specs import parse_count

if TYPE_CHECKING:
    from ttt_fast.report.rows import Row


def agents(
    target: options.Target,
    name: Annotated[
        str | None, argument("NAME", "an agent, to list its options; with --check, the command of an engine, in quotes")
    ] = None,
    game: Annotated[
        list[str] | None,
        option(
            "--game GAME",
            "list the agents of this game, for instance connect4; with --check, test this game (may be repeated)",
        ),
    ] = None,
    check: Annotated[
        bool, option("--check", "check that a program follows the protocol of `engine:COMMAND` (docs/ENGINES.md)")
    ] = False,
    positions: Annotated[
        str | None, option("--positions N", "with --check: number of random positions per game (default: 50)")
    ] = None,
    seed: Annotated[
        int | None, option("--seed N", "with --check: seed of these positions (default: 0)", parse_seed)
    ] = None,
) -> None:
    """List the agents of all games or of one game, list the options of an agent, or check an engine program.

    With --check the exit code is 0 if the engine follows the protocol of docs/ENGINES.md, and 1 otherwise.
    """
    from ttt_fast import list_agents, parse_game

    games = game or []
    if check:
        if name is None:
            raise UsageError("expected the command of an engine with --check, for instance './my-bot', got none")
        _check_engine(target, name, games, positions or "50", seed or 0)
        return
    if positions is not None or seed is not None or len(games) > 1:
        raise UsageError(
            "expected --positions, --seed and several games only with --check, got one of them without --check"
        )
    spec = games[0] if games else None
    played = None if spec is None else parse_game(spec).name
    rows = list_agents(played, name, by_option=True)
    config = {"game": spec} if name is None else {"agent": name, "game": spec}
    target.write("agents", rows, config, lambda: _report(rows, name, played))


def _report(rows: "Sequence[Row]", name: str | None, game: str | None) -> str:
    """Return a line for each agent, or for each option of one."""
    from ttt_fast.report.console import render
    from ttt_fast.report.row_table import RowTable

    listed = [row for row in rows if row["agent"]]
    if name is None:
        title = "agents" if game is None else f"agents of {game}"
        columns = ["agent", "meaning", *(["games"] if game is None else [])]
        hint = "ttt-fast agents NAME lists the options of an agent: mcts:sims=1000,c=0.7"
        listed = [{**row, "agent": row["agent"].partition(":")[0].partition(" ")[0]} for row in listed]
        return render([RowTable(listed, title, columns, spare=("games",)), hint])
    (agent,) = listed
    chosen = [{**row, "values": row["values"].replace("|", ", ")} for row in rows if row["option"]]
    lines = [f"{agent['agent']}: {agent['meaning']}", f"games: {agent['games'] or 'all'}"]
    if not chosen:
        return render([*lines, "this agent has no options"])
    example = f"spelled {name}:{chosen[0]['option']}=..."
    return render([*lines, RowTable(chosen, example, ["option", "default", "values", "meaning"])])


def _check_engine(target: options.Target, command: str, games: list[str], positions: str, seed: int) -> None:
    """Write the result of each check of an engine; exit with code 1 if one failed."""
    from ttt_fast.agents.engine_check import check_engine

    spec = f"engine:{command.removeprefix('engine:')}"
    count = parse_count(positions, "a number of positions", minimum=1)
    found = check_engine(spec, games, count, seed)
    config = {"command": spec, "games": games, "positions": count, "seed": seed}
    target.write("agents", [one._asdict() for one in found], config, spec)
    if any(one.result == "failed" for one in found):
        raise typer.Exit(EXIT_FAILED)
