"""The reference has every option and every agent, and the tables of settings are those of the help."""

import re
import runpy

import pytest
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


def defaults_of(name, *words):
    """The options of a command as its help writes them, with their defaults."""
    command = commands()[name]
    context = command.make_context(name, [*words, "--help"], resilient_parsing=True)
    records = [one.get_help_record(context) for one in command.shown_params(context)]
    found = [(option, re.search(r"[(\[]default: (.*)[)\]]$", meaning)) for option, meaning in filter(None, records)]
    return {option: "" if default is None else default.group(1) for option, default in found}


def rows_of(page, columns, section=""):
    """The rows of the tables of a page, or of one of its sections, that have these columns."""
    text = (DOCS / page).read_text(encoding="utf-8")
    text = text.partition(f"\n## {section}\n")[2].partition("\n## ")[0] if section else text
    for table in re.findall(rf"^{re.escape(columns)}\n\|[-| ]*\n((?:\|.*\n)+)", text, re.MULTILINE):
        for line in table.splitlines():
            yield [one.strip().replace("\\|", "|") for one in re.split(r"(?<!\\)\|", line)[1:-1]]


@pytest.mark.parametrize(
    ("section", "algorithm", "number"),
    [("TD(lambda) on afterstates", "td", 5), ("Deep Q-learning", "dqn", 19), ("AlphaZero", "alphazero", 17)],
)
def test_the_settings_of_networks_and_tuples_are_those_of_the_help(section, algorithm, number):
    known = defaults_of("train", "--algorithm", algorithm)
    rows = list(rows_of("ALGORITHMS.md", "| option | meaning | default |", section))
    assert len(rows) == number
    assert [one for one in rows if known.get(one[0].strip("`")) != one[2]] == []


def test_the_page_of_alphazero_has_every_setting_of_its_help():
    named = {one[0].strip("`") for one in rows_of("ALGORITHMS.md", "| option | meaning | default |", "AlphaZero")}
    others = {"--algorithm NAME", "--opponent AGENT", "-n, --episodes N", "--help"}
    assert defaults_of("train", "--algorithm", "alphazero").keys() - others == named
