"""Measure ttt_fast beside straightforward kernels and other programs.

    python bench/run.py                        everything; writes results/bench/README.md and bench.json
    python bench/run.py --only exact,training  some groups; the rows of the others stay as they are
    python bench/run.py --without-peers        only ttt_fast and the straightforward kernels
    python bench/run.py --second               on another machine: writes second/bench.json; pages show its ratios, too
    python bench/run.py --pages --readme       measures nothing: writes the pages again from both bench.json

The peers need `pip install -r bench/requirements.txt`; rows of those that are missing are left out, which is said
before anything is measured.  A group that fails keeps its earlier rows and stops no other.  Candidates of a group take
turns, so that a slow minute of a shared machine meets them all; figures are medians, and ratios are medians of the
ratios of each turn.  Every group has the date, the versions and the machine of the run that measured it.
"""

import argparse
import json
import sys
import traceback
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from groups import GROUPS, peers
from groups.timing import Effort
from page import page, update_readme
from ttt_fast.core.manifest import environment
from ttt_fast.report.rows import write_bytes

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = "ttt-fast/benchmark/2"


def measured(name: str, effort: Effort) -> dict[str, Any]:
    """Measure a group; return its title, its rows and what they were made with."""
    group = GROUPS[name]
    rows = group.measure(effort)
    taking_part = [peer for peer in group.peers if peer in effort.peers]
    found = {**environment(), **peers.versions(taking_part)}
    manifest = {
        "date": datetime.now(UTC).date().isoformat(),
        "seconds": effort.seconds,
        "repeats": effort.repeats,
        "environment": found,
        "without": [peer for peer in group.peers if peer not in taking_part],
    }
    return {"title": group.title, "manifest": manifest, "rows": rows}


def known_groups(path: Path) -> dict[str, Any]:
    """Return the groups of an earlier run; none of a file in another form."""
    if not path.exists():
        return {}
    content = json.loads(path.read_text(encoding="utf-8"))
    found: dict[str, Any] = content["groups"] if content.get("schema") == SCHEMA else {}
    return found


def write_groups(known: dict[str, Any], path: Path) -> None:
    """Write the groups as data, in their order."""
    groups = {name: known[name] for name in GROUPS if name in known}
    write_bytes((json.dumps({"schema": SCHEMA, "groups": groups}, indent=1) + "\n").encode(), path)


def write_pages(folder: Path, with_readme: bool) -> None:
    """Write the report from both files of groups, and the block of README.md."""
    groups = known_groups(folder / "bench.json")
    second = known_groups(folder / "second" / "bench.json") or None
    write_bytes(page(groups, "python bench/run.py", second).encode(), folder / "README.md")
    if with_readme:
        update_readme(groups, ROOT / "README.md", second)


def parsed_names(text: str | None, parser: argparse.ArgumentParser) -> list[str]:
    """Return the names of the groups to measure, in their order on the page."""
    if text is None:
        return list(GROUPS)
    wanted = [name.strip() for name in text.split(",")]
    for name in wanted:
        if name not in GROUPS:
            parser.error(f"expected groups of {', '.join(GROUPS)}, got {name!r}")
    return [name for name in GROUPS if name in wanted]


def tell(line: str) -> None:
    """Say something that is no result."""
    print(line, file=sys.stderr, flush=True)


def tell_missing(names: Sequence[str], effort: Effort) -> None:
    """Say, before anything is measured, which peers of the groups are not installed."""
    for peer in peers.PACKAGES:
        groups = [name for name in names if peer in GROUPS[name].peers]
        if groups and peer not in effort.peers:
            how = "pip install -r bench/requirements.txt"
            tell(f"{peer} is not installed ({how}): no rows of it in {', '.join(groups)}")


def main() -> None:
    """Measure and write the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="GROUP[,GROUP]", help=f"some of {', '.join(GROUPS)}")
    parser.add_argument("--without-peers", action="store_true")
    parser.add_argument("--seconds", type=float, default=0.3, help="least length of a repeat")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--readme", action="store_true", help="put the main figures into README.md too")
    parser.add_argument("--results", type=Path, default=ROOT / "results" / "bench")
    parser.add_argument("--second", action="store_true", help="this is the second machine")
    parser.add_argument("--pages", action="store_true", help="measure nothing, and write the pages again")
    given = parser.parse_args()
    names = [] if given.pages else parsed_names(given.only, parser)
    effort = Effort(given.seconds, given.repeats, frozenset() if given.without_peers else peers.installed())
    if not given.without_peers:
        tell_missing(names, effort)
    failed: list[str] = []
    path = given.results / "second" / "bench.json" if given.second else given.results / "bench.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    known = known_groups(path)
    for name in names:
        try:
            group = measured(name, effort)
        except Exception:
            traceback.print_exc()
            failed.append(name)
            continue
        if not group["rows"]:
            tell(f"{name}: nothing to measure without {', '.join(GROUPS[name].peers)}; its earlier rows stay")
            continue
        known[name] = group
        write_groups(known, path)  # after each of them: what is measured is kept
    if known:
        write_pages(given.results, given.readme and not failed)
    if failed:
        tell(f"failed: {', '.join(failed)}; the groups that were measured are in {path}")
        raise SystemExit(1)
    if known:
        print((given.results / "README.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
