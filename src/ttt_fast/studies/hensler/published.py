"""The facts about Hensler's agents: two files, and runs of the program; the page itself prints no measurement."""

RESULTS = ("wins", "draws", "losses")

# The two files of the author's repository, evaluated exactly (first of equally good actions), and three runs of his
# program of 20,000 episodes each; by measure.
FILES = {
    "x states": "2414", "x agreement": "0.95775", "x wins v random": "0.97656", "x draws v random": "0.02344",
    "x losses v random": "0.00000", "x draws v minimax": "1.00000",
    "o states": "2097", "o agreement": "0.96376", "o wins v random": "0.90159", "o draws v random": "0.09841",
    "o losses v random": "0.00000", "o draws v minimax": "1.00000",
}  # fmt: skip
FRESH_RUNS = {
    "x": (("0.987", "0.013", "0"), ("0.990", "0.010", "0"), ("0.958", "0.039", "0.003")),
    "o": (("0.867", "0.115", "0.019"), ("0.880", "0.118", "0.002"), ("0.910", "0.088", "0.002")),
}
