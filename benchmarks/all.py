"""Which of the figures that the README and the docs quote does this version reach?

    python benchmarks/all.py --data DIR
    python benchmarks/all.py --data DIR --only exact growth
    python benchmarks/all.py --list
    python benchmarks/all.py --fill
    python benchmarks/all.py --check

Runs the parts of parts.toml, each of at most an hour on two idle cores, and records what they print
in results/runs/. A part that this version has recorded already is left out, so an interrupted run
continues. Then, and with --fill, the recorded tables are copied to the pages that quote them.
--check lists the figures of the README and the docs that no record has, and exits with 1 if there
are any. DIR holds the files that README.md lists, at any depth.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

from common.pages import fill, pages_of, unsupported
from common.records import BENCHMARKS, Part, Record, machine, read_parts, read_record, today

from forebear import __version__


def run_part(part: Part, data: Path, work: Path) -> bool:
    """Run a part and record what it prints; return whether it succeeded."""
    where, started = machine(), time.perf_counter()
    path = work / f"{part.name}.out"
    with path.open("w", encoding="utf-8") as output:
        command = [sys.executable, *part.arguments(data, work)]
        code = subprocess.run(command, cwd=BENCHMARKS, stdout=output, check=False).returncode
    if code != 0:
        print(f"{part.shown} ended with exit code {code}", file=sys.stderr)
        return False
    when = today(time.perf_counter() - started)
    Record(part.name, part.shown, __version__, where, when, path.read_text("utf-8")).write()
    return True


def run_all(parts: list[Part], data: Path, work: Path) -> int:
    """Run the parts that this version has not recorded; return the exit code."""
    work.mkdir(parents=True, exist_ok=True)
    failed = 0
    for part in parts:
        record = read_record(part.name)
        if record is not None and (record.version, record.command) == (__version__, part.shown):
            print(f"{part.name}: recorded")
            continue
        print(f"{part.name}: about {part.minutes} min", flush=True)
        failed += not run_part(part, data, work)
    return 1 if failed else 0


def fill_pages() -> None:
    """Copy the recorded tables to the README, the docs and the pages of results."""
    records = {part.name: record for part in read_parts() if (record := read_record(part.name))}
    for path in [*pages_of(BENCHMARKS.parent), *sorted((BENCHMARKS / "results").glob("*.md"))]:
        text = path.read_text("utf-8")
        filled = fill(text, records)
        if filled != text:
            path.write_text(filled, "utf-8")
            print(f"filled {path.relative_to(BENCHMARKS.parent)}")


def check_pages() -> int:
    """List figures that no record has; return the exit code."""
    recorded: dict[str, list[Record]] = {}
    for part in read_parts():
        record = read_record(part.name)
        recorded.setdefault(part.page, []).extend([record] if record else [])
    missing = 0
    for path in pages_of(BENCHMARKS.parent):
        for figure, page in unsupported(path.read_text("utf-8"), recorded):
            print(f"{path.relative_to(BENCHMARKS.parent)}: {figure} is in no record of {page}.md")
            missing += 1
    return 1 if missing else 0


def main() -> int:
    """Run, list, fill or check."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parts = read_parts()
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--data", type=Path, metavar="DIR", help="run, and record what is printed")
    what.add_argument("--list", action="store_true", help="list the parts and their records")
    what.add_argument("--fill", action="store_true", help="copy recorded tables to the pages")
    what.add_argument("--check", action="store_true", help="look up the figures of the pages")
    names = [part.name for part in parts]
    parser.add_argument("--only", nargs="+", choices=names, metavar="PART", help="these parts")
    default = BENCHMARKS.parent / "build" / "benchmarks"
    parser.add_argument("--work", type=Path, default=default, help="folder for unfinished runs")
    options = parser.parse_args()
    chosen = [part for part in parts if not options.only or part.name in options.only]
    if options.list:
        for part in chosen:
            record = read_record(part.name)
            state = f"{record.version}, {record.when}" if record else "not recorded"
            print(f"{part.name:24} {part.minutes:3} min  {part.page}.md  {state}")
        return 0
    if options.check:
        return check_pages()
    code = run_all(chosen, options.data, options.work) if options.data else 0
    fill_pages()
    return code


if __name__ == "__main__":
    sys.exit(main())
