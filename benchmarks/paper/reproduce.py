"""Which numbers does the paper print for a table or figure, and which ones does forebear find?

    python benchmarks/paper/reproduce.py table2 -o OUT
    python benchmarks/paper/reproduce.py table6 --data DIR -o OUT
    python benchmarks/paper/reproduce.py a1 --data DIR --hours 4 -o OUT

Prints our numbers, the paper's and the difference. Writes OUT/NAME.csv and, for a figure,
OUT/NAME.svg; nothing is written elsewhere. "all" reproduces everything for which DIR holds the
data. DIR holds the paper's tables (audio-train.data, ...) and the networks alarm.bif and
pathfinder.bif, at any depth, also with .gz.

    table2    number of possible parent sets
    table3    pruned sets of four variables of Asia
    table4    sets kept by rows and max_parents; needs pathfinder.bif
    table5    ranks in the best network; needs alarm.bif
    table6    sets kept for the paper's tables
    table7 to table15  gain over MINOBS of audio-train, jester-train,
              pumsb-star-test, kosarek-train, eachmovie-train, reuters-test,
              reuters-train, newsgroup-test and newsgroup-valid
    a1 to a9  scores over time of the same data
    figure1   sampling rates that cover all combinations
    figure2   ranks in the best networks of all tables in DIR
    figure3   the two sampling strategies
    figure5   gain by time and by setting
    figureb1  gain and density, pumsb-star-test
"""

from __future__ import annotations

import argparse
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import counts
import overtime
import printed
import ranks
from workspace import Workspace

from forebear import FileError, ForebearError
from forebear._util.checks import check_positive, check_run
from forebear._util.machine import thread_count
from forebear._util.text import show_seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from comparison import Comparison

    Experiment = Callable[[Workspace], Comparison]

ALL = "all"


def experiments() -> dict[str, Experiment]:
    """Return the function of every table and figure by name, quick ones first."""
    over_time: dict[str, Experiment] = {}
    for place, data in enumerate(printed.cases()):
        over_time[f"table{place + 7}"] = partial(overtime.delta_table, data=data)
        over_time[f"a{place + 1}"] = partial(overtime.score_table, data=data)
    return {
        "table2": counts.table2,
        "table3": counts.table3,
        "figure1": counts.figure1,
        "figure3": counts.figure3,
        "table5": ranks.table5,
        "table6": counts.table6,
        "table4": counts.table4,
        "figure2": ranks.figure2,
        **over_time,
        "figure5": overtime.figure5,
        "figureb1": overtime.figureb1,
    }


def reproduce(name: str, workspace: Workspace, output: Path) -> None:
    """Reproduce a table or figure, or all; write and print the numbers."""
    known = experiments()
    if name != ALL and name not in known:
        raise ForebearError(
            f'no table or figure is called "{name}": choose one of {", ".join(known)}, or all'
        )
    if workspace.data is not None and not workspace.data.is_dir():
        raise FileError(f"{workspace.data}: no such directory: pass another one as --data")
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{output}: cannot be made a directory: {error.strerror}") from error
    for each in known if name == ALL else [name]:
        start = time.perf_counter()
        try:
            comparison = known[each](workspace)
        except ForebearError as error:
            if name != ALL:
                raise
            print(f"{each}: left out: {error}\n", flush=True)
            continue
        files = ", ".join(map(str, comparison.save(output, each)))
        print("\n".join([each, *comparison.text()]))
        print(f"Written to {files} after {show_seconds(time.perf_counter() - start)}\n", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and return the exit code; a mistake is one sentence."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", metavar="NAME", help="the table or figure, or all")
    parser.add_argument("--data", type=Path, metavar="DIR", help="directory of the data")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="OUT", help="directory to write to"
    )
    parser.add_argument(
        "--hours",
        type=float,
        default=0.01,
        help="hours that replace the paper's four [default: 0.01, 36 seconds per chain]",
    )
    parser.add_argument("--threads", type=int, help="number of threads [default: one per core]")
    parser.add_argument("--seed", type=int, default=1, help="random seed [default: 1]")
    options = parser.parse_args(arguments)
    try:
        check_positive(hours=options.hours)
        check_run(threads=options.threads, seed=options.seed)
        threads = thread_count(options.threads)
        workspace = Workspace(options.data, options.hours, threads, options.seed)
        reproduce(options.name, workspace, options.output)
    except ForebearError as error:
        spelled = error.message.format(lambda parameter: parameter.option)
        print(f"reproduce.py: {spelled}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
