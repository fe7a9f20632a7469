"""The generated reference has every option and every agent."""

import re
import runpy

from typer.main import get_command

from conftest import REPOSITORY
from ttt_fast.agents.catalogue import AGENTS
from ttt_fast.cli.main import COMMANDS, app, register

DOCS = REPOSITORY / "docs"


def commands():
    """The commands by name."""
    register()
    return get_command(app).commands


def test_the_reference_has_every_option_and_every_agent():
    text = runpy.run_path(str(DOCS / "reference.py"))["command_reference"]()
    sections = dict(re.findall(r"^## ([^\n]*)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    assert sections.keys() == {"ttt-fast", *COMMANDS, "Agents"}
    for name, command in commands().items():
        visible = [one for one in command.params if not getattr(one, "hidden", False)]
        words = {word for one in visible for word in (*one.opts, *one.secondary_opts) if word.startswith("-")}
        rows = re.findall(r"^\| `(.*?)` \|", sections[name], re.MULTILINE)
        assert words <= {word for row in rows for word in re.split(r"[ ,/]+", row)}, name
    assert {f"`{name}`" for name in AGENTS} <= set(re.findall(r"^\| (`.*?`) \|", sections["Agents"], re.MULTILINE))
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1
