"""Every agent in every game with every command works or is refused in a line, as results/MATRIX.md states."""

from collections import defaultdict

import pytest

import matrix

CELLS = matrix.cells_of(matrix.PAGE.read_text(encoding="utf-8"))


def cases_of(folder) -> dict[tuple[str, str], list[matrix.Case]]:
    found = defaultdict(list)
    for case in matrix.cases(folder):
        found[case.game, case.agent].append(case)
    return found


PLACES = [(game, agent) for game in matrix.games() for agent in [*matrix.agents(), ""]]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "agent"), PLACES)
def test_the_page_says_what_works(game, agent, tmp_path):
    cases = cases_of(tmp_path)[game, agent]
    assert len(cases) >= 4
    wrong = []
    for case in cases:
        cell = matrix.tried(case.words).cell
        if CELLS[case.game, case.agent, case.command] != cell:
            wrong.append(f"{' '.join(case.words)}: {cell}")
    assert wrong == []  # `python bench/matrix.py` writes the page anew


def test_the_page_has_every_case_and_no_other(tmp_path):
    assert sorted(CELLS) == sorted((case.game, case.agent, case.command) for case in matrix.cases(tmp_path))


def test_a_case_that_breaks_is_no_refusal():
    for code, said in [
        (1, "ttt-fast: no\n"),
        (2, "no\n"),
        (2, "ttt-fast: no\nttt-fast: no\n"),
        (130, "ttt-fast: no\n"),
    ]:
        with pytest.raises(ValueError, match="exit code"):
            _ = matrix.Tried(code, said).cell
