"""The agent, the kind of files and the command of this wing (`core.wings`)."""

from ttt_fast.core.wings import add_agent_at, add_command, add_values

add_agent_at("proven", "ttt_fast.proven.player:agent")
add_values("proven", "ttt_fast.proven.values:ProvenValues")
add_command(
    "prove",
    "ttt_fast.proven.command:prove",
    "Games",
    ("prove proven.npz --seat x -o certificate.json", "prove proven.npz --check certificate.json"),
)
