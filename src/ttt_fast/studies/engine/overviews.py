"""Pages about all studies: the definitions of the verdicts, and the running times."""

import json
from importlib import resources
from pathlib import Path

from ttt_fast import FileFormatError
from ttt_fast.report.rows import markdown_table, write_bytes
from ttt_fast.studies.engine.tables import Row

WORDS, TIMING = "WORDS.md", "TIMING.md"


def write_overviews(results: Path) -> None:
    """Write the pages about all studies into the folder of results."""
    words = resources.files("ttt_fast.studies.engine").joinpath("words.md").read_bytes()
    write_bytes(words, results / WORDS)
    write_bytes(timing_page(results).encode(), results / TIMING)


def timing_page(results: Path) -> str:
    """Return the page of the seconds that each study took when its committed files were made.

    Raises
    ------
    FileFormatError
        If a timing file is damaged.
    """
    rows: list[Row] = []
    machines: list[Row] = []
    clocks = ""
    for path in sorted(results.glob("**/*timing.json")):
        content = _read(path)
        seconds = content.get("seconds")
        if not isinstance(seconds, dict) or not all(isinstance(one, dict) for one in seconds.values()):
            continue  # a study whose timing file has another format
        name = str(path.parent.relative_to(results))
        for measure, took in seconds.items():
            rows.append({"study": name, "measure": measure, "seconds": f"{took['wall']:.1f}",
                         "seconds of its pieces": f"{took['pieces']:.1f}"})  # fmt: skip
        for clock, own in content.get("clocks", {}).items():
            shown = [{key: f"{one:.3g}" if isinstance(one, float) else one for key, one in row.items()} for row in own]
            clocks += f"\n## {name.capitalize()}: {clock}\n\n{markdown_table(shown)}\n"
        machine, pieces = content["environment"], content.get("pieces")
        machines.append({
            "study": name, "command": f"`{content['command']}`", "threads": content["threads"],
            "seconds": f"{sum(took['wall'] for took in seconds.values()):.1f}",
            "seconds of all pieces": "" if pieces is None else f"{pieces:.1f}",
            "machine": f"{machine['cpu']}, {machine['system']}",
        })  # fmt: skip
    return f"""# The time that the studies take

Seconds are those of the run that made the committed files, on the machine named; of a measure that was made by itself
(`--only`), on that which `timing.json` names beside it. Everything else that `ttt-fast reproduce` writes is the same
bits on every run. Other commands write the folders `bench` and `pictures`, and `certificate.json` and `rounds.csv` of
exact-connect4; these depend on a machine or a clock.

A measure that uses the pieces of an earlier one reads them, and takes no time of its own. So does a run that finds
pieces of an earlier run: all pieces together tell how long one thread would work from nothing.

{markdown_table(machines)}

## By measure

{markdown_table(rows)}
{clocks}"""


def _read(path: Path) -> Row:
    try:
        found: Row = json.loads(path.read_text(encoding="utf-8"))
        return found
    except (OSError, ValueError) as error:
        raise FileFormatError(f"expected a timing file {str(path)!r}, found none: {error}") from None
