"""The command `info`: the glossary, and mistakes about topics; the tables are in `tables/test_store.py`."""

import csv
import io
import re

import pytest

from cli_runner import assert_one_line, run
from conftest import REPOSITORY
from ttt_fast.cli.machine import GLOSSARY


def glossary():
    """Return the text of the packaged glossary, from the page."""
    page = (REPOSITORY / "docs" / "GLOSSARY.md").read_text(encoding="utf-8")
    text = io.StringIO()
    rows = re.findall(r"^\| (?!---)(.*?) \| (.*) \|$", page, re.M)
    csv.writer(text, lineterminator="\n").writerows([re.sub("[*`]", "", cell) for cell in row] for row in rows)
    return text.getvalue()


def test_the_glossary_is_that_of_the_documentation():
    text = glossary()
    assert GLOSSARY.read_text(encoding="utf-8") == text  # `PYTHONPATH=tests python` with this file writes it
    found = run("info", "glossary", "-f", "json").json()
    assert found["schema"] == "ttt-fast/info/1" and found["rows"] == list(csv.DictReader(text.splitlines()))
    assert "ttt-fast info glossary" in run("--help").text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["weather"], "expected machine, tables or glossary as TOPIC, got 'weather'"),
        (["tables", "drop"], "expected list or clear as ACTION, got 'drop'"),
        (["glossary", "clear"], "only with the topic tables"),
        (["--game", "connect4"], "only with the topic tables"),
    ],
)
def test_mistakes_about_topics(words, said):
    assert_one_line(run("info", *words), 2, said)


if __name__ == "__main__":
    GLOSSARY.write_text(glossary(), encoding="utf-8")
