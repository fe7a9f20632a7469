"""The program that makes the opening book."""

import ship_openings
from ttt_fast.search.connect_four.book import SHIPPED, shipped_book


def test_the_scores_of_the_last_ply_make_the_file_that_ships(tmp_path):
    """J. Tromp's numbers of positions of 7x6, from which those of finished games and mirror images are missing."""
    plies = ship_openings.all_plies()
    assert [len(keys) for keys in plies] == [1, 4, 25, 121, 568, 2144, 8231]
    _, last = shipped_book().lookup(ship_openings.positions_of(plies[-1]))
    ship_openings.write_book(tmp_path / "book.npz", plies, last)
    assert (tmp_path / "book.npz").read_bytes() == SHIPPED.read_bytes()
