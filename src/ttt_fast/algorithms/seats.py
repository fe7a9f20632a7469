"""The seats that learn, as codes."""

X, O, ALTERNATE = 1, 2, 3  # noqa: E741  (the name of the player)
"""The learner's seat; ALTERNATE is X in even episodes and O in odd ones."""
SEATS = {"x": X, "o": O, "both": ALTERNATE}
SEAT_NAMES = {code: name for name, code in SEATS.items()}
