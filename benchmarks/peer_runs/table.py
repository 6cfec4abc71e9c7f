"""The runs of ``peers.py`` as a Markdown table."""

from __future__ import annotations

import statistics
from collections import defaultdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from peer_runs.runs import Run

HEADINGS = (
    *("table", "variables", "rows", "program", "maximises", "ended after", "had it after"),
    *("score", "beside ours", "most parents", "memory", "we had its score after", "ratio"),
)


def print_table(done: Sequence[Run]) -> None:
    """Print one line per table and program, in the order of the runs."""
    groups: dict[tuple[str, int, int, str], list[Run]] = defaultdict(list)
    for run in done:
        groups[run.table, run.variables, run.rows, run.program].append(run)
    print(f"\n| {' | '.join(HEADINGS)} |\n|{'---|' * len(HEADINGS)}")
    for (table, variables, rows, _), own in groups.items():
        cells = [table, f"{variables:,}", f"{rows:,}", *cells_of(own)]
        print(f"| {' | '.join(cells)} |")


def cells_of(own: Sequence[Run]) -> list[str]:
    """Make the cells of one table and program."""
    first = own[0]
    notes = list(dict.fromkeys(run.note for run in own if run.note))
    never = "never" if any(run.behind is not None and run.reached is None for run in own) else ""
    return [
        f"{first.program} {first.version}".strip(),
        first.own_score,
        typical([run.seconds for run in own], seconds),
        typical([run.found for run in own], seconds),
        "; ".join([*filter(None, [typical([run.score for run in own], score, min)]), *notes]),
        typical([run.behind for run in own], difference, min),
        typical([run.most_parents for run in own], str),
        typical([run.memory for run in own], megabytes),
        never or typical([run.reached for run in own], seconds),
        typical([run.ratio for run in own], times, min),
    ]


def typical(
    values: Sequence[float | None],
    show: Callable[[Any], str],
    worst: Callable[[Sequence[float]], float] = max,
) -> str:
    """Show the median, and the worst value where it differs."""
    known = [value for value in values if value is not None]
    if not known:
        return ""
    middle, last = show(statistics.median_low(known)), show(worst(known))
    return middle if middle == last else f"{middle} ({last})"


def seconds(value: float) -> str:
    """Show seconds with about two digits."""
    if value < 0.01:
        return "< 0.01 s"
    return f"{value:.2f} s" if value < 10 else f"{value:.0f} s"


def score(value: float) -> str:
    """Show a score."""
    return f"{value:,.2f}"


def difference(value: float) -> str:
    """Show a difference of scores, ignoring rounding."""
    return "equal" if abs(value) < 0.005 else f"{value:+,.2f}"


def megabytes(value: float) -> str:
    """Show bytes as megabytes."""
    return f"{value / 1e6:,.0f} MB"


def times(value: float) -> str:
    """Show how many times as long the other took."""
    if value < 0.01:
        return "< 0.01"
    return f"{value:.2g}" if value < 10 else f"{value:,.0f}"
