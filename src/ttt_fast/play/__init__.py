"""Playing matches between policies, a hundred million games at a time."""
