"""Table 5 and Figure 2: the ranks of the parent sets in the best network."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import printed
from charts import Panel, Series, figure_svg
from comparison import Comparison, Line
from workspace import report

from forebear import ForebearError, find_network, score_parent_sets
from forebear._util.text import counted, show_seconds
from forebear.network.simulation import simulate_from

if TYPE_CHECKING:
    from workspace import Workspace

    from forebear import ParentSets, Result

ALARM_ROWS = 100_000
"""The only sample size that the paper gives for Alarm, in the caption of Table 1."""

EXACT_SETS = 1_000_000
"""The paper used exact search below this number of parent sets, and MINOBS above."""

_PROVEN = 1e-9
"""Relative gap that may be due to rounding."""

_BINS = (("1", 1), ("2-10", 10), ("11-50", 50), ("51-100", 100), ("101 or more", None))
_EMPTY = "empty set"


def best_network(sets: ParentSets, workspace: Workspace, name: str) -> tuple[Result, bool]:
    """Find the best network in the time given; return it and whether it is proven optimal.

    As in the paper, exact search is used unless there are too many parent sets.
    """
    algorithm = "exact" if len(sets) < EXACT_SETS else "ps-minobs"
    report(f"{name}: {algorithm}, up to {show_seconds(workspace.seconds)}")
    result = find_network(
        sets,
        algorithm=algorithm,
        time_limit=workspace.seconds,
        threads=workspace.threads,
        seed=workspace.seed,
    )
    if result.stop_reason == "interrupted":
        raise KeyboardInterrupt  # an incomplete search is not a reproduction
    return result, result.gap is not None and result.gap <= _PROVEN


def rank_bin(rank: int, *, empty: bool) -> str:
    """Return the bin of a rank, as in section 3.2; the empty set has a bin of its own.

    If the empty set is the only one, it has rank 1, as in the paper.
    """
    if empty and rank > 1:
        return _EMPTY
    return next(name for name, last in _BINS if last is None or rank <= last)


def table5(workspace: Workspace) -> Comparison:
    """Compare the ranks of the parent sets in the best network, for data drawn from Alarm."""
    table = simulate_from(workspace.network("alarm"), ALARM_ROWS, seed=workspace.seed)
    sets = score_parent_sets(table, max_parents=3, threads=workspace.threads)
    result, proven = best_network(sets, workspace, "alarm")
    rows = printed.tables()["table5"]
    families = zip(result.choices, result.network.parents, strict=True)
    ours = Counter(rank_bin(choice.rank, empty=not family) for choice, family in families)
    theirs = Counter(rank_bin(rank, empty=empty) for _, rank, empty in rows)
    kept = sum(count for count, _, _ in rows)
    bins = [*(name for name, _ in _BINS), _EMPTY]
    lines = [
        Line(("parent sets kept, all variables",), len(sets), kept, result.seconds),
        *(Line((f"variables at rank {name}",), ours[name], theirs[name]) for name in bins),
    ]
    for name, choice in zip(result.network.names, result.choices, strict=True):
        lines.append(Line((f"parent sets kept of {name}",), choice.sets, shown=False))
        lines.append(Line((f"rank of {name}",), choice.rank, shown=False))
    what = "proven optimal" if proven else "the best found, without proof"
    return Comparison(
        columns=("what",),
        lines=lines,
        remarks=(
            f"The network is {what} ({result.algorithm}, score {result.score:,.3f}).",
            f"{ALARM_ROWS:,} rows are drawn from the network, because the paper's rows are not "
            "available. The paper numbers the variables and does not name them.",
        ),
    )


FIGURE2_RANKS, FIGURE2_TOP = 200, 100


def figure2(workspace: Workspace) -> Comparison:
    """Draw how often each rank occurs in the best networks of all data sets found."""
    names = workspace.tables()
    if not names:
        raise ForebearError("no data sets were found: pass a directory of .data files as --data")
    counts: Counter[int] = Counter()
    remarks = ["The paper shows the figure without numbers, for 40 data sets."]
    for name in names:
        sets = score_parent_sets(workspace.table(name), threads=workspace.threads)
        result, proven = best_network(sets, workspace, name)
        counts.update(choice.rank for choice in result.choices)
        status = "optimal" if proven else "best found"
        remarks.append(f"{name}: {status}, {result.score:,.3f} ({result.algorithm}).")
    ranks = range(1, FIGURE2_RANKS + 1)
    lines = [Line((str(rank),), counts[rank], shown=rank <= 5) for rank in ranks]
    later = sum(count for rank, count in counts.items() if rank > FIGURE2_RANKS)
    lines.append(Line((f"above {FIGURE2_RANKS}",), later))
    panels = []
    for title, top in (("all", max(counts.values())), (f"cut at {FIGURE2_TOP}", FIGURE2_TOP)):
        bars = [(rank, min(counts[rank], top)) for rank in ranks]
        panels.append(Panel(title, "rank", "times chosen", [Series("", bars, bars=True)]))
    title = f"Figure 2: ranks in the best networks of {counted(len(names), 'data set')}"
    return Comparison(("rank",), lines, remarks=remarks, svg=figure_svg(title, panels))
