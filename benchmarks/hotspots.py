"""In which functions does a search spend its time?

    pip install -C cmake.define.FOREBEAR_SYMBOLS=ON -C install.strip=false .
    python benchmarks/hotspots.py --data DIR --only audio-train

DIR holds the paper's tables (audio-train.data, ...). Parent sets are scored once
and kept in --cache. Samples a search on one thread with perf, which must be
installed. Functions have names only if forebear was built to keep them, as above.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from common.paper import chosen_cases, make_parser

if TYPE_CHECKING:
    import argparse

    from common.paper import Case

SEARCH = """
import sys
from forebear import ParentSets, find_network
sets, seconds = ParentSets.load(sys.argv[1]), float(sys.argv[2])
find_network(sets, time_limit=seconds, certify=False, threads=1, seed=1)
"""


def print_hotspots(case: Case, options: argparse.Namespace) -> None:
    """Sample a search, start-up included, and print the functions it was in."""
    sets, samples = options.cache / f"{case.name}.cps", options.cache / "perf.data"
    record = ["perf", "record", "--quiet", "-F", "997", "-o", samples]
    search = [sys.executable, "-c", SEARCH, sets, str(options.time_limit)]
    subprocess.run([*record, *search], check=True)
    report = ["perf", "report", "--stdio", "--quiet", "-F", "overhead,dso,symbol"]
    said = subprocess.run(
        [*report, "--percent-limit", "1", "-i", samples],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout
    samples.unlink()
    print(f"\n{case.name}: where the time of a search goes")
    print("\n".join(f"  {line.strip()}" for line in said.splitlines() if line.strip()), flush=True)


def main() -> None:
    """Print a list per data set."""
    parser = make_parser(__doc__)
    parser.add_argument(
        "--time-limit", "--seconds", type=float, default=10.0, help="seconds of a search"
    )
    options = parser.parse_args()
    if shutil.which("perf") is None:
        raise SystemExit("perf is not installed")
    for case, _ in chosen_cases(options):
        print_hotspots(case, options)


if __name__ == "__main__":
    main()
