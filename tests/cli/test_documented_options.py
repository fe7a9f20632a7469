"""Every option and every agent is named in a page, and the tables of options are those of the help."""

import re

from typer.main import get_command

from conftest import REPOSITORY
from ttt_fast.agents.catalogue import AGENTS
from ttt_fast.cli.main import COMMANDS, app, register

DOCS = REPOSITORY / "docs"
PAGES = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md"))]
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
LEAVING = {("agents", "--positions"), ("agents", "--seed")}
"""Options that are to be removed."""


def commands():
    """The commands by name; the program itself has none."""
    register()
    group = get_command(app)
    return {"": group, **group.commands}


def test_every_option_is_named_in_a_page():
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", TEXT))
    options = {
        (name, spelling)
        for name, command in commands().items()
        for one in command.params
        if one.param_type_name == "option" and not one.hidden
        for spelling in (*one.opts, *one.secondary_opts)
    }
    assert {one for one in options - LEAVING if one[1].startswith("--") and one[1] not in named} == set()


def test_every_agent_is_named_in_a_page():
    assert [name for name in AGENTS if not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", TEXT)] == []


def defaults_of(name, *words):
    """The options of a command as its help writes them, with their defaults."""
    command = commands()[name]
    context = command.make_context(name, [*words, "--help"], resilient_parsing=True)
    records = [one.get_help_record(context) for one in command.shown_params(context)]
    found = [(option, re.search(r"[(\[]default: (.*)[)\]]$", meaning)) for option, meaning in filter(None, records)]
    return {option: "" if default is None else default.group(1) for option, default in found}


def rows_of(page, columns):
    """The rows of the tables of a page that have these columns."""
    text = (DOCS / page).read_text(encoding="utf-8")
    for table in re.findall(rf"^{re.escape(columns)}\n\|[-| ]*\n((?:\|.*\n)+)", text, re.MULTILINE):
        for line in table.splitlines():
            yield [one.strip().replace("\\|", "|") for one in re.split(r"(?<!\\)\|", line)[1:-1]]


def test_the_options_of_puct_are_those_of_the_agent():
    rows = {tuple(one) for one in rows_of("AGENTS.md", "| option | meaning | default |")}
    assert {(key, one.default.replace("none", "")) for key, one in AGENTS["puct"].options.items()} == {
        (option.strip("`").partition("=")[0], default) for option, _, default in rows
    }


def test_the_table_of_further_options_is_that_of_the_help():
    rows = list(rows_of("COMMANDS.md", "| command | option | meaning | default |"))
    assert len(rows) > 30
    for named, option, _, default in rows:
        for command in re.findall(r"`([a-z-]+)`", named):
            assert command in COMMANDS and defaults_of(command).get(option.strip("`")) == default, (command, option)
