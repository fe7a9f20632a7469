"""The public functions: they convert their arguments once, then call the typed functions of the packages below."""
