"""The page of a proven player in a real browser.  Needs Chromium and the extra `browser-tests`."""

import numpy as np
import pytest

from browser_client import expect, needs_browser, opened_browser
from cli_runner import run
from conftest import PATIENCE
from proven_toys import WON_BY_X, toy
from ttt_fast.agents.convert import as_player
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game
from ttt_fast.values.proven_files import save_proven

pytestmark = [needs_browser, pytest.mark.extra]


def test_a_game_in_a_browser(tmp_path):
    """The person plays O and loses every game; nothing is asked over a network."""
    path, random = str(tmp_path / "toy.npz"), np.random.default_rng(0)
    save_proven(path, toy(seed=6))
    assert run("page", "--agents", path, "--game", WON_BY_X, "-o", tmp_path / "page.html").code == 0
    player = as_player(path, WON_BY_X)
    with opened_browser() as browser:
        page, errors = browser.new_page(), []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto((tmp_path / "page.html").as_uri())
        for _ in range(3):
            state = parse_game(WON_BY_X).initial_state
            while api.status(state) == api.ONGOING:
                if api.player(state) == 1:
                    state = api.play(state, player.search(state).action)
                    ply = api.ply(state)
                    expect(page.locator("[data-part=history] li")).to_have_count(ply, timeout=PATIENCE * 1000)
                else:
                    action = int(random.choice(api.legal_actions(state)))
                    page.click(f".move-buttons [data-action='{action}']")
                    state = api.play(state, action)
            assert page.inner_text("[data-part=status]") == "X has won. You lose."
            marks = page.locator(".board .mark").count()
            assert marks == api.ply(state)
            page.click("[data-part=new]")
        assert errors == []
