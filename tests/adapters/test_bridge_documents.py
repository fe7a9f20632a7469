"""The examples of the bridges in docs/PYTHON.md run as they are printed."""

import re

import pytest

from conftest import REPOSITORY


@pytest.mark.parametrize(
    ("kind", "library"),
    [
        pytest.param("bridges", "pyspiel", marks=pytest.mark.slow),
        pytest.param("zoo", "pettingzoo", marks=pytest.mark.extra),
    ],
)
def test_the_examples_run(kind, library, capsys):
    pytest.importorskip(library, reason="needs the extra rl")
    text = (REPOSITORY / "docs" / "PYTHON.md").read_text(encoding="utf-8")
    blocks = re.findall(rf"```python {kind}\n(.*?)```", text, re.DOTALL)
    names = {"__name__": kind}
    for block in blocks:
        exec(compile(block, "PYTHON.md", "exec"), names)
    assert blocks
    if kind == "bridges":
        assert capsys.readouterr().out == "0.959829695767\n"
        assert names["held"].is_complete and names["returns"] == names["state"].returns()
        assert names["table"].action_probability_array.shape[1] == 3
    else:
        assert not names["game"].agents and names["game"].render().count("X") >= 3
