"""Draw chart.svg: from what the reader has to the command to run.

Run it from anywhere: ``python docs/img/chart.py``. The table below the chart in ``index.md`` links
to the pages.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import NamedTuple


class Row(NamedTuple):
    """One row: a situation and the command to run."""

    about: str
    command: str


class Group(NamedTuple):
    """What the reader has, and the rows for it."""

    have: str
    rows: tuple[Row, ...]


CHART = (
    Group(
        "I have a table",
        (
            Row("look at its columns first", "forebear info table.csv"),
            Row("learn a network", "forebear learn table.csv --report page.html"),
            Row("it has numbers or dates", "... --discretize learned"),
            Row("it has missing values", "nothing to do, or --missing WAY"),
            Row("I know what comes first", "... --tiers tiers.txt"),
            Row("I want to predict new rows", "... --score auto"),
            Row("it must be the best network", "... --certificate proof.cert"),
            Row("how sure are the arcs?", "forebear posterior table.csv"),
        ),
    ),
    Group(
        "I have parent sets",
        (
            Row("find the best network", "forebear search sets.jkl -o net.json"),
            Row("how good can it be?", "forebear bound sets.jkl"),
        ),
    ),
    Group(
        "I have a network",
        (
            Row("what follows from what I know?", "forebear query net.bif price -e hail=yes"),
            Row("predict a column of new rows", "forebear predict net.bif new.csv ..."),
            Row("open it elsewhere", "forebear convert net.json net.dot"),
            Row("compare it with another", "forebear compare net.json true.bif"),
            Row("draw rows from it", "forebear simulate --from net.bif ..."),
        ),
    ),
    Group("A run was stopped", (Row("continue it", "forebear resume run.state -o net.json"),)),
)

WIDTH = 460
"""Narrow, so that the text is legible on a phone."""

HEAD = 42
ROW = 58
GAP = 16
"""The heights of the name of a group and of a row, and the space below a group."""

_STYLE = """
.chart{--paper:#fff;--ink:#1d2430;--node:#e9eef5;--rim:#8a97a8;--run:#eef5ee;
font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;
max-width:100%;height:auto}
@media (prefers-color-scheme:dark){.chart{--paper:#14181f;--ink:#e8ecf2;--node:#2a3341;
--rim:#66748a;--run:#1f2d2a}}
.chart text{fill:var(--ink);font-size:15px;dominant-baseline:central}
.chart .have{font-weight:600;font-size:16px}
.chart .command{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:13.5px}
.chart rect.paper{fill:var(--paper)}
.chart rect.have{fill:var(--node);stroke:var(--rim)}
.chart rect.run{fill:var(--run)}
.chart path{fill:none;stroke:var(--rim);stroke-width:1.4}
"""


def drawing() -> str:
    """Return the chart as SVG."""
    parts: list[str] = []
    top = 4
    for group in CHART:
        parts += _group(group, top)
        top += HEAD + ROW * len(group.rows) + GAP
    said = "What do I have, and what do I run?"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" '
        f'viewBox="0 0 {WIDTH} {top}" width="{WIDTH}" height="{top}" aria-label="{said}">'
        f"<title>{said}</title><style>{_STYLE}</style>"
        f'<rect class="paper" width="{WIDTH}" height="{top}"/>{"".join(parts)}</svg>\n'
    )


def _group(group: Group, top: int) -> list[str]:
    """Draw a group: its name, and a line down to the rows."""
    first = top + HEAD - 8
    last = top + HEAD + ROW * (len(group.rows) - 1) + 38
    parts = [
        f'<rect class="have" x="4" y="{top}" width="210" height="{HEAD - 8}" rx="6"/>',
        f'<text class="have" x="16" y="{top + (HEAD - 8) / 2:g}">{escape(group.have)}</text>',
        f'<path d="M22 {first}V{last}"/>',
    ]
    for number, row in enumerate(group.rows):
        y = top + HEAD + ROW * number
        parts += [
            f'<text x="40" y="{y + 11}">{escape(row.about)}</text>',
            f'<path d="M22 {y + 38}H38"/>',
            f'<rect class="run" x="38" y="{y + 24}" width="{WIDTH - 42}" height="28" rx="5"/>',
            f'<text class="command" x="48" y="{y + 38}">{escape(row.command)}</text>',
        ]
    return parts


def main() -> None:
    """Write the picture next to this file."""
    Path(__file__).with_suffix(".svg").write_text(drawing(), encoding="utf-8")


if __name__ == "__main__":
    main()
