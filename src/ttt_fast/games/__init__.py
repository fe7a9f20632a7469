"""Rules, one module a game, and nothing but rules."""

from ttt_fast.games import defaults as defaults  # what a game leaves out is known as soon as any game is
