"""Game-independent parts: errors, compiled code, random streams, bit sets, option strings, files, manifests."""
