"""The command `agents`: the list of agents, and the options of one."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from ttt_fast.cli import options
from ttt_fast.cli.signatures import argument, of_game

if TYPE_CHECKING:
    from ttt_fast.report.rows import Row


def agents(
    target: options.Target,
    name: Annotated[str | None, argument("NAME", "an agent, to list its options")] = None,
    game: Annotated[str | None, of_game("--game GAME", "list the agents of this game, for instance connect4")] = None,
) -> None:
    """List the agents of all games or of one game, or list the options of an agent."""
    from ttt_fast import list_agents, parse_game

    played = None if game is None else parse_game(game).name
    rows = list_agents(played, name, by_option=True)
    config = {"game": game} if name is None else {"agent": name, "game": game}
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
        tables = [
            RowTable([row for row in listed if bool(row["study"]) == of_study], text, columns, spare=("games",))
            for of_study, text in ((False, title), (True, "agents of the published sources, by study"))
            if any(bool(row["study"]) == of_study for row in listed)
        ]
        return render([*tables, hint])
    (agent,) = listed
    chosen = [{**row, "values": row["values"].replace("|", ", ")} for row in rows if row["option"]]
    lines = [f"{agent['agent']}: {agent['meaning']}", f"games: {agent['games'] or 'all'}"]
    if not chosen:
        return render([*lines, "this agent has no options"])
    example = f"spelled {name}:{chosen[0]['option']}=..."
    return render([*lines, RowTable(chosen, example, ["option", "default", "values", "meaning"])])
