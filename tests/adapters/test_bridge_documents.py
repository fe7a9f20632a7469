"""The examples of the bridges in docs/PYTHON.md and docs/ENVIRONMENTS.md run as they are printed."""

import importlib
import re
import sys

import pytest

from conftest import REPOSITORY


@pytest.mark.parametrize(
    ("kind", "library"),
    [
        pytest.param("bridges", "pyspiel", marks=pytest.mark.slow),
        pytest.param("environments", "pettingzoo", marks=pytest.mark.extra),
    ],
)
def test_the_examples_run(kind, library, capsys):
    pytest.importorskip(library, reason="needs the extra rl")
    page = "ENVIRONMENTS.md" if kind == "environments" else "PYTHON.md"
    text = (REPOSITORY / "docs" / page).read_text(encoding="utf-8")
    blocks = re.findall(rf"```python {kind}\n(.*?)```", text, re.DOTALL)
    names = {"__name__": kind}
    for block in blocks:
        exec(compile(block, page, "exec"), names)
    assert blocks
    if kind == "bridges":
        assert capsys.readouterr().out == "0.959829695767\n"
        assert names["match"].complete


@pytest.mark.extra
def test_the_page_of_the_environments_states_their_spaces_and_sizes():
    gymnasium = pytest.importorskip("gymnasium", reason="needs the extra rl")
    from ttt_fast.adapters import gymnasium_games

    text = (REPOSITORY / "docs" / "ENVIRONMENTS.md").read_text(encoding="utf-8")
    for name in gymnasium_games.REGISTERED:
        (row,) = [line for line in text.splitlines() if line.startswith(f"| `{name}` |")]
        env = gymnasium.make(name, render_mode="rgb_array")
        env.reset(seed=1)
        for stated in (env.observation_space, env.action_space, env.render().shape):
            assert f"{stated}" in row


@pytest.mark.parametrize(
    ("module", "missing", "extra"),
    [
        ("gymnasium_games", "gymnasium", "rl"),
        ("pettingzoo_games", "gymnasium", "rl"),
        ("stable_baselines", "stable_baselines3", "ppo"),
        ("open_spiel_agents", "pyspiel", "rl"),
    ],
)
def test_an_adapter_without_its_library_names_the_extra(module, missing, extra, monkeypatch):
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.delitem(sys.modules, f"ttt_fast.adapters.{module}", raising=False)
    with pytest.raises(ModuleNotFoundError, match=rf"{missing}.*; install 'ttt-fast\[{extra}\]'$"):
        importlib.import_module(f"ttt_fast.adapters.{module}")
