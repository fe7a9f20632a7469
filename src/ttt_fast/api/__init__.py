"""The public functions, which convert their arguments once and call the typed functions of the other packages."""
