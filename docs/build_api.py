"""Write the pages of the API: `python docs/build_api.py FOLDER` (needs the extra [docs]).

The public names are those of `ttt_fast.__all__`; pdoc reads their docstrings, which follow numpydoc.
"""

import sys
from pathlib import Path

import ttt_fast

try:
    import pdoc
except ImportError:
    sys.exit("expected pdoc, which is not installed; hint: pip install -e '.[docs]'")


def main(folder: str) -> None:
    """Write the pages into a folder."""
    for name in ttt_fast.__all__:
        getattr(ttt_fast, name)  # which pdoc finds where they are loaded
    pdoc.render.configure(docformat="numpy", show_source=False)
    pdoc.pdoc("ttt_fast", "!ttt_fast.", output_directory=Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
