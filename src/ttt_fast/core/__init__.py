"""Parts without games: errors, compiled code, random streams, bit sets, spelled options, files, manifests."""
