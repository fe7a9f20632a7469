"""Games and agents as other libraries have them; what needs such a library is imported by its own module only."""
