"""Table 5 and Figure 2: the ranks of the chosen parent sets."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from forebear._util.errors import ForebearError, Parameter
from forebear._util.text import counted
from forebear.learning.score import score_parent_sets
from forebear.network.simulation import simulate_from
from forebear.reproduce import paper
from forebear.reproduce.charts import Axis, Panel, Series, figure_svg
from forebear.reproduce.finding import Finding, Line
from forebear.reproduce.searching import best_network

if TYPE_CHECKING:
    from collections.abc import Iterable

    from forebear.reproduce.workspace import Workspace
    from forebear.result import Result

ALARM_ROWS = 100_000
"""The only sample size that the paper gives for Alarm, in the caption of Table 1."""

_BINS = (("1", 1), ("2-10", 10), ("11-50", 50), ("51-100", 100), ("101 or more", None))
_EMPTY = "empty set"


def rank_bin(rank: int, *, empty: bool) -> str:
    """Return the bin of a rank, as in section 3.2; the empty set has a bin of its own.

    If the empty set is the only one, it has rank 1, as in the paper.
    """
    if empty and rank > 1:
        return _EMPTY
    return next(name for name, last in _BINS if last is None or rank <= last)


def table5(workspace: Workspace) -> Finding:
    """Ranks of the parent sets in the best network, for data drawn from Alarm."""
    table = simulate_from(workspace.network("alarm"), ALARM_ROWS, seed=workspace.seed)
    sets = score_parent_sets(table, max_parents=3, threads=workspace.threads)
    result, proven = best_network(sets, workspace)
    printed = paper.tables()["table5"]
    families = zip(result.choices, result.network.parents, strict=True)
    ours = Counter(rank_bin(choice.rank, empty=not family) for choice, family in families)
    theirs = Counter(rank_bin(rank, empty=starred) for _, rank, starred in printed)
    bins = [*(name for name, _ in _BINS), _EMPTY]
    kept = sum(count for count, _, _ in printed)
    lines = [
        Line(("parent sets kept, all variables",), len(sets), kept, result.seconds),
        *(Line((f"variables at rank {name}",), ours[name], theirs[name]) for name in bins),
        *(
            line
            for name, choice in zip(result.network.names, result.choices, strict=True)
            for line in (
                Line((f"parent sets kept of {name}",), choice.sets, shown=False),
                Line((f"rank of {name}",), choice.rank, shown=False),
            )
        ),
    ]
    what = "proven optimal" if proven else "the best found, without proof"
    return Finding(
        keys=("what",),
        lines=tuple(lines),
        svg=_bins_figure(bins, ours, theirs),
        remarks=(
            f"The network is {what} ({result.algorithm}, score {result.score:,.3f}).",
            f"{ALARM_ROWS:,} rows are drawn from the network, because the paper's rows are not "
            "available. The paper numbers the variables and does not name them.",
        ),
    )


def _bins_figure(bins: list[str], ours: Counter[str], theirs: Counter[str]) -> str:
    ticks = tuple((float(k), name.replace(" or", "\nor")) for k, name in enumerate(bins))
    series = [
        Series(
            who,
            [(float(k), float(counts[name])) for k, name in enumerate(bins)],
            "bars",
            colour,
            theirs=bool(colour),
        )
        for colour, (who, counts) in enumerate((("forebear", ours), ("paper", theirs)))
    ]
    panel = Panel("", Axis("", ticks=ticks), Axis("variables"), series)
    return figure_svg("Table 5: ranks of the parent sets in the best network, Alarm", [panel])


FIGURE2_RANKS, FIGURE2_TOP = 200, 100


def figure2(workspace: Workspace) -> Finding:
    """How often each rank occurs in the best networks, over all data sets found."""
    names = workspace.table_names()
    if not names:
        raise ForebearError(
            "no data sets were found: pass a directory of .data files as ", Parameter("data")
        )
    counts: Counter[int] = Counter()
    remarks = ["The paper shows the figure without numbers, for 40 data sets."]
    for name in names:
        sets, _ = workspace.parent_sets(name)
        result, proven = best_network(sets, workspace, name)
        counts.update(_ranks(result))
        found = "optimal" if proven else "best found"
        remarks.append(f"{name}: {found}, {result.score:,.3f} ({result.algorithm}).")
    lines = [
        Line((str(rank),), counts[rank], shown=rank <= 5) for rank in range(1, FIGURE2_RANKS + 1)
    ]
    later = sum(count for rank, count in counts.items() if rank > FIGURE2_RANKS)
    lines.append(Line((f"above {FIGURE2_RANKS}",), later))
    bars = [(float(rank), float(counts[rank])) for rank in range(1, FIGURE2_RANKS + 1)]
    cut = [(rank, min(count, FIGURE2_TOP)) for rank, count in bars]
    panels = [
        Panel(title, Axis("rank"), Axis("times chosen"), [Series("", points, "bars")])
        for title, points in (("all", bars), (f"cut at {FIGURE2_TOP}", cut))
    ]
    return Finding(
        keys=("rank",),
        lines=tuple(lines),
        svg=figure_svg(
            f"Figure 2: ranks in the best networks of {counted(len(names), 'data set')}", panels
        ),
        remarks=tuple(remarks),
    )


def _ranks(result: Result) -> Iterable[int]:
    return (choice.rank for choice in result.choices)
