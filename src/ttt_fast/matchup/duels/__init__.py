"""Duels: games of any kind between two players, in pairs with the seats swapped."""
