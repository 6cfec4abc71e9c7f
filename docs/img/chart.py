"""Draw chart.svg: what do I have, and what do I run?

Run it from anywhere: ``python docs/img/chart.py``. The table below the chart in ``index.md`` says
the same, with links.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import NamedTuple


class Row(NamedTuple):
    """One answer: what it is about, and the command."""

    about: str
    command: str


class Group(NamedTuple):
    """What somebody has, and the rows that follow from it."""

    have: str
    rows: tuple[Row, ...]


CHART = (
    Group(
        "a table",
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
        "parent sets",
        (
            Row("find the best network", "forebear search sets.jkl -o net.json"),
            Row("how good can it be?", "forebear bound sets.jkl"),
        ),
    ),
    Group(
        "a network",
        (
            Row("open it elsewhere", "forebear convert net.json net.dot"),
            Row("compare it with another", "forebear compare net.json true.bif"),
            Row("draw rows from it", "forebear simulate --from net.bif ..."),
        ),
    ),
    Group("a run that stopped", (Row("continue it", "forebear resume run.state"),)),
)

WIDTH = 660
LINE = 34
"""The height of a row."""

_ABOUT = 146
_COMMAND = 356
"""Where the second and the third column start; the first has the names of the groups."""

_STYLE = """
.chart{--paper:#fff;--ink:#1d2430;--soft:#5b6776;--node:#f3f6fa;--rim:#8a97a8;--run:#e3edf7;
font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;
max-width:100%;height:auto}
@media (prefers-color-scheme:dark){.chart{--paper:#14181f;--ink:#e8ecf2;--soft:#a9b6c9;
--node:#232a35;--rim:#66748a;--run:#203246}}
.chart text{fill:var(--ink);font-size:15px;dominant-baseline:central}
.chart .head{fill:var(--soft);font-size:13px}
.chart .have{font-weight:600}
.chart .command{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:12px}
.chart rect.paper{fill:var(--paper)}
.chart rect.have{fill:var(--node);stroke:var(--rim)}
.chart rect.run{fill:var(--run)}
.chart path{fill:none;stroke:var(--rim);stroke-width:1.3}
"""


def drawing() -> str:
    """Return the chart as SVG."""
    parts: list[str] = []
    top = 40.0
    for group in CHART:
        parts += _group(group, top)
        top += LINE * len(group.rows) + 14
    heads = (("I have", 10), ("and", _ABOUT), ("so I run", _COMMAND))
    parts = [f'<text class="head" x="{x}" y="18">{name}</text>' for name, x in heads] + parts
    said = "What do I have, and what do I run?"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" '
        f'viewBox="0 0 {WIDTH} {top:g}" width="{WIDTH}" height="{top:g}" aria-label="{said}">'
        f"<title>{said}</title><style>{_STYLE}</style>"
        f'<rect class="paper" width="{WIDTH}" height="{top:g}"/>{"".join(parts)}</svg>\n'
    )


def _group(group: Group, top: float) -> list[str]:
    height = LINE * len(group.rows) - 6
    middle = top + height / 2
    parts = [
        f'<rect class="have" x="4" y="{top - 3:g}" width="116" height="{height + 6:g}" rx="6"/>',
    ]
    words = _lines(group.have)
    for number, line in enumerate(words):
        y = middle + (number - (len(words) - 1) / 2) * 18
        parts.append(f'<text class="have" x="14" y="{y:g}">{escape(line)}</text>')
    for number, row in enumerate(group.rows):
        y = top + LINE * number + (LINE - 6) / 2
        parts += [
            f'<path d="M120 {y:g}H{_ABOUT - 6}"/>',
            f'<text x="{_ABOUT}" y="{y:g}">{escape(row.about)}</text>',
            f'<rect class="run" x="{_COMMAND - 8}" y="{y - 13:g}" '
            f'width="{WIDTH - _COMMAND + 4}" height="26" rx="5"/>',
            f'<text class="command" x="{_COMMAND}" y="{y:g}">{escape(row.command)}</text>',
        ]
    return parts


def _lines(text: str) -> list[str]:
    """Break a name that is too long for its box at the middle space."""
    words = text.split()
    if len(text) <= 12:
        return [text]
    return [" ".join(words[: len(words) // 2]), " ".join(words[len(words) // 2 :])]


def main() -> None:
    """Write the picture beside this file."""
    Path(__file__).with_suffix(".svg").write_text(drawing(), encoding="utf-8")


if __name__ == "__main__":
    main()
