"""Table 2, Figure 1 and Figure 3, which need no data."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from forebear._util.text import counted
from forebear.reproduce import paper
from forebear.reproduce.charts import Axis, Panel, Series, figure_svg
from forebear.reproduce.finding import Finding, Line
from forebear.search.sampling import sample_ranks

if TYPE_CHECKING:
    from forebear.reproduce.workspace import Workspace


def possible_sets(variables: int, max_parents: int) -> int:
    """Return the number of possible parent sets of all variables (equation 5)."""
    return variables * sum(math.comb(variables - 1, k) for k in range(max_parents + 1))


def table2(workspace: Workspace) -> Finding:
    """Number of possible parent sets."""
    del workspace
    lines = [
        Line((str(row["variables"]), str(d)), possible_sets(row["variables"], d), printed)
        for row in paper.tables()["table2"]
        for d, printed in enumerate(row["sets"], 1)
    ]
    off = [line for line in lines if not _as_printed(line)]
    series = [
        series
        for d in range(1, 6)
        for series in (
            Series(counted(d, "parent"), _points(lines, d, ours=True), "line", d - 1),
            Series("", _points(lines, d, ours=False), "dots", d - 1, theirs=True),
        )
    ]
    panel = Panel("", Axis("variables", log=True), Axis("possible parent sets", log=True), series)
    return Finding(
        keys=("variables", "max_parents"),
        lines=tuple(lines),
        svg=figure_svg("Table 2: lines are equation 5, circles the paper's numbers", [panel]),
        form=".3e",
        remarks=(
            f"{len(lines) - len(off)} of {len(lines)} numbers agree to the three digits printed.",
            *(
                f"{line.of[0]} variables, {counted(int(line.of[1]), 'parent')}: the paper prints "
                f"{line.theirs:.2e} for {line.ours:,}."
                for line in off
            ),
        ),
    )


def _as_printed(line: Line) -> bool:
    """Return whether the numbers agree to three digits; a tie may be rounded either way."""
    printed = line.theirs or 0.0
    unit = 10.0 ** (math.floor(math.log10(printed)) - 2)
    return abs(line.delta or 0.0) <= unit / 2


def _points(lines: list[Line], d: int, *, ours: bool) -> list[tuple[float, float]]:
    return [
        (float(line.of[0]), float((line.ours if ours else line.theirs) or 0))
        for line in lines
        if line.of[1] == str(d)
    ]


FIGURE1_CHAINS = (10, 100, 1_000, 10_000, 100_000)
FIGURE1_VARIABLES = range(100, 1001, 100)


def sampling_rate(variables: int, chains: int) -> float:
    """Return the rate at which the samples have as many combinations as all sets (equation 10)."""
    return float(chains ** (-1.0 / variables))


def figure1(workspace: Workspace) -> Finding:
    """Sampling rate at which m samples have as many combinations as all parent sets."""
    del workspace
    lines = []
    for m in FIGURE1_CHAINS:
        for n in FIGURE1_VARIABLES:
            # The text gives one number: about 98 % for up to ten chains.
            quoted = 98.0 if (m, n) == (10, 100) else None
            shown = n in (100, 1000)
            lines.append(Line((str(m), str(n)), 100 * sampling_rate(n, m), quoted, shown=shown))
    series = [
        Series(
            f"m = {m:,}",
            [(float(n), 100 * sampling_rate(n, m)) for n in range(100, 1001, 10)],
            colour=place,
        )
        for place, m in enumerate(FIGURE1_CHAINS)
    ]
    panel = Panel("", Axis("variables n"), Axis("sampling rate p, %"), series)
    return Finding(
        keys=("chains m", "variables n"),
        lines=tuple(lines),
        svg=figure_svg("Figure 1: rate p at which m samples have all combinations", [panel]),
        form=".2f",
        remarks=("The paper shows the figure without numbers; the text gives one of them.",),
    )


FIGURE3_SETS, FIGURE3_RATE, FIGURE3_BIN = 10_000, 0.2, 250


def figure3(workspace: Workspace) -> Finding:
    """The two sampling strategies, for a variable with 10,000 parent sets."""
    counts = np.array([FIGURE3_SETS])
    drawn = {
        "first ranks": sample_ranks(counts, FIGURE3_RATE, None)[0],
        "half-normal": sample_ranks(counts, FIGURE3_RATE, np.random.default_rng(workspace.seed))[0],
    }
    edges = np.arange(0, FIGURE3_SETS + 1, FIGURE3_BIN)
    centres = edges[:-1] + FIGURE3_BIN / 2
    lines, panels = [], []
    for letter, (strategy, ranks) in zip("ab", drawn.items(), strict=True):
        sampled = np.histogram(ranks, edges)[0]
        for low, count in zip(edges[:-1].tolist(), sampled.tolist(), strict=True):
            shown = bool(low % 1000 == 0 and low < 5000)
            key = (strategy, f"{low + 1}-{low + FIGURE3_BIN}")
            lines.append(Line(key, count, shown=shown))
        points = list(zip(centres.tolist(), sampled.tolist(), strict=True))
        bars = Series("sets sampled", points, "bars")
        panels.append(
            Panel(
                f"3{letter}: {strategy}",
                Axis("rank"),
                Axis(f"sampled sets per {FIGURE3_BIN} ranks"),
                [bars],
            )
        )
    return Finding(
        keys=("strategy", "ranks"),
        lines=tuple(lines),
        svg=figure_svg("Figure 3: 20 % of 10,000 parent sets, sampled by two strategies", panels),
        remarks=(
            "The paper shows the figure without numbers. Ranks are distinct, and the best and "
            "the empty set are always in the sample.",
        ),
    )
