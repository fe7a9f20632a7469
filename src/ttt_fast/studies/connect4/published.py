"""What others have published of the empty board of each size: who wins, and with which stone the game ends.

`OUTCOMES`: J. Tromp, https://tromp.github.io/c4/c4.html (a win of the first player is +, of the second -, a draw =).
`LAST_STONES`: C. Steininger, https://github.com/ChristopheSteininger/c4, table "Last Move" of its readme.
"""

FIRST_WIDTH = 4
OUTCOMES = {4: "==-=----", 5: "====+++", 6: "==-+--", 7: "==+=+", 8: "==-+", 9: "==+", 10: "=="}
"""By height, from width 4 on."""
LAST_STONES = {
    4: (16, 20, 24, 28, 32, 36, 40, 44, 48),
    5: (20, 25, 30, 35, 39, 41, 47, 51),
    6: (24, 30, 36, 41, 48, 52, 59),
    7: (28, 35, 41, 49, 53, 55),
    8: (32, 40, 48, 55, 62),
    9: (36, 45, 53, 63),
    10: (40, 50, 60, 69),
}
"""By height, from width 4 on: the number of stones on the board at the end, if both play best."""
_VALUES = {"+": 1, "=": 0, "-": -1}


def outcome(width: int, height: int) -> int:
    """Return the published value for the first player: 1, 0 or -1.

    Examples
    --------
    >>> outcome(7, 6), outcome(6, 6), outcome(5, 5)
    (1, -1, 0)
    """
    return _VALUES[OUTCOMES[height][width - FIRST_WIDTH]]


def last_stone(width: int, height: int) -> int:
    """Return the published number of stones at the end.

    Examples
    --------
    >>> last_stone(7, 6)
    41
    """
    return LAST_STONES[height][width - FIRST_WIDTH]
