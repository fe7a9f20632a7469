"""The agents of Bichot's project, which all commands know by name."""

from ttt_fast.core.wings import add_agent_at

for _name in ("improved", "minimax-1", "minimax-3", "minimax-5"):
    add_agent_at(_name, f"ttt_fast.studies.ultimate.agents:{_name.partition('-')[0]}")
