"""The help: groups of options, whole sentences, examples that parse, and values that a shell completes."""

import re
import shlex

import pytest
from typer.main import get_command

from cli_runner import run, run_process
from ttt_fast.agents.catalogue import AGENTS
from ttt_fast.agents.spec import COMPOSITES
from ttt_fast.cli.completion import completer
from ttt_fast.cli.help_text import GROUPS, examples_of
from ttt_fast.cli.main import COMMANDS, app, register
from ttt_fast.games.registry import GAMES, LIBRARIES
from ttt_fast.learners import ALGORITHMS


def command_named(name: str):
    register()
    return get_command(app).commands[name]


def test_every_command_with_options_has_two_examples():
    assert {name: len(examples_of(name)) for name in COMMANDS} == {**dict.fromkeys(COMMANDS, 2), "warmup": 1}


@pytest.mark.parametrize(("name", "line"), [(name, line) for name in COMMANDS for line in examples_of(name)])
def test_examples_parse(name, line):
    words = shlex.split(line)
    assert words[0] == name
    command_named(name).make_context(name, words[1:])


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_grouped_and_shows_no_types_of_python(name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    text = run(name, "--help").text
    assert "<list" not in text and "<str>" not in text and "<Path>" not in text
    assert f"Examples:\n  ttt-fast {name}" in text
    for line in text.partition("\nExamples:")[0].splitlines():
        assert len(line) <= 80
    assert any(block.partition(":")[0] in GROUPS for block in text.split("\n\n"))


def options_in(text):
    """The options in a help text, by their longest spelling without the dashes."""
    return {re.sub(r"[,/ ].*", "", line.split("--")[1]) for line in text.splitlines() if re.match(r"  -", line)}


def test_the_help_of_each_algorithm_lists_its_settings_with_its_defaults():
    general = options_in(run("train", "--help").text)
    pages = {name: run("train", "--help", "--algorithm", name).text for name in ALGORITHMS}
    options = {name: options_in(text) for name, text in pages.items()}
    known = {one.opts[0].removeprefix("--") for one in command_named("train").params}
    assert general.union(*options.values()) == {*known, "help"}
    assert {"hidden", "replay", "epsilon"} <= options["dqn"] and not {"hidden", "tuples"} & (options["q"] | general)
    for words in (["--help", "--algorithm", "dqn"], ["--algorithm=td", "-h", "--algorithm=dqn"]):
        assert run("train", *words).text == pages["dqn"]
    assert run("train", "--algorithm", "reinforce", "--help").text == run("train", "--help").text
    assert "(default: linear:1,0.1; 1 in self-play;" in " ".join(pages["dqn"].split())
    assert all("an oracle that a real problem lacks" in " ".join(pages[one].split()) for one in ("dqn", "alphazero"))
    assert "(default: 0.9)" in pages["q-lambda"] and "(default: 0.8; 1 on ultimate)" in " ".join(pages["td"].split())


def test_an_option_has_one_group_in_all_commands():
    found = set()
    for name in COMMANDS:
        for heading, _, block in (one.partition(":") for one in run(name, "--help").text.split("\n\n")):
            found |= {(option, heading) for option in options_in(block) if heading in GROUPS}
    assert len(found) == len(dict(found)) > 70
    assert {("fixed-seat", "Game and position"), ("threads", "The run"), ("merge", "Result")} <= found


@pytest.mark.parametrize("columns", ["60", "80", "160"])
def test_descriptions_of_commands_are_whole(columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", columns)
    text = run("--help").text
    assert "...\n" not in text.partition("\n")[2] and "…" not in text
    joined = " ".join(text.split())
    assert "probabilities, fractions, game lengths" in joined
    assert all(f"\n  {name} " in text for name in COMMANDS)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("exact minim", ["minimax", "minimax-1", "minimax-3", "minimax-5"]),
        ("match random random --method p", ["play", "propagate"]),
    ],
)
def test_values_are_completed(line, expected):
    words = {"_TTT_FAST_COMPLETE": "complete_bash", "COMP_WORDS": f"ttt-fast {line}"}
    ran = run_process(env={**words, "COMP_CWORD": str(len(line.split()))})
    assert ran.text.split() == expected


def test_all_agents_and_games_are_completed():
    agents = [*AGENTS, *(f"{name}:" for name in COMPOSITES)]
    assert sorted(completer("AGENT")("")) == sorted(agents)
    assert completer("GAME")("") == [*list(GAMES)[:3], *(f"{name}:" for name in LIBRARIES)]  # other tests add games
