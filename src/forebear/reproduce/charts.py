"""Charts as standalone SVG pictures, for light and dark pages."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from forebear.drawing.svg import text_width

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

WIDTH, HEIGHT = 460.0, 300.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 70.0, 14.0, 34.0, 46.0
_HEADING, _KEY_ROW, _KEY_SAMPLE = 34.0, 20.0, 22.0
_SMALL = 0.85
"""Width of the text of a chart relative to that of a network drawing."""

_STYLE = """
.fb-chart{--paper:#fff;--ink:#1d2430;--grid:#d9dfe8;--c0:#2563a8;--c1:#b3541e;--c2:#1f7a4d;
--c3:#6b4fbb;--c4:#b3261e;--c5:#5c6b7f;--c6:#9a7b00;
font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;
max-width:100%;height:auto}
@media (prefers-color-scheme:dark){.fb-chart{--paper:#14181f;--ink:#e8ecf2;--grid:#333c4a;
--c0:#7db4f0;--c1:#f0a16b;--c2:#5fc893;--c3:#b7a2f5;--c4:#ff8d84;--c5:#a9b6c9;--c6:#e3c95c}}
.fb-chart>rect{fill:var(--paper)}
.fb-chart text{fill:var(--ink);font-size:11px}
.fb-chart .h{font-size:13px;font-weight:600}
.fb-chart .m{text-anchor:middle}
.fb-chart .e{text-anchor:end}
.fb-chart .g{stroke:var(--grid);fill:none}
.fb-chart .l{fill:none;stroke:var(--c);stroke-width:1.7;stroke-linejoin:round}
.fb-chart .d{stroke-dasharray:5 3.5}
.fb-chart .f{fill:var(--c);stroke:none}
.fb-chart .o{fill:var(--paper);stroke:var(--c);stroke-width:1.5}
.fb-chart .a{fill:var(--c);fill-opacity:.25;stroke:none}
"""

_COLOURS = 7
"""Number of colours in the style."""

Point = tuple[float, float]


@dataclass(frozen=True)
class Series:
    """Points of one kind. Those of the paper (``theirs``) are dashed or hollow."""

    name: str
    points: Sequence[Point]
    mark: Literal["line", "dots", "bars", "area"] = "line"
    colour: int = 0
    theirs: bool = False


@dataclass(frozen=True)
class Axis:
    """An axis of a chart; limits and ticks that are not given follow from the points."""

    label: str
    log: bool = False
    low: float | None = None
    high: float | None = None
    ticks: tuple[tuple[float, str], ...] | None = None


@dataclass(frozen=True)
class Panel:
    """One chart. Tick labels may have two lines."""

    title: str
    x: Axis
    y: Axis
    series: Sequence[Series]
    width: float = WIDTH


def figure_svg(title: str, panels: Sequence[Panel]) -> str:
    """Draw charts side by side, each with a legend."""
    keys = [_key(panel) for panel in panels]
    height = _HEADING + HEIGHT + max(rows for _, rows in keys) * _KEY_ROW + 12
    width = sum(panel.width for panel in panels)
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="fb-chart" role="img" '
        f'viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" '
        f'aria-label="{escape(title)}"><title>{escape(title)}</title><style>{_STYLE}</style>',
        '<rect width="100%" height="100%"/>',
        f'<text class="h" x="12" y="22">{escape(title)}</text>',
    ]
    x = 0.0
    for panel, (key, _) in zip(panels, keys, strict=True):
        drawn.append(f'<g transform="translate({x:g} {_HEADING:g})">')
        drawn += _panel(panel)
        drawn.append(f'<g transform="translate(0 {HEIGHT:g})">{key}</g></g>')
        x += panel.width
    return "".join([*drawn, "</svg>\n"])


def _panel(panel: Panel) -> Iterator[str]:
    xs = [x for series in panel.series for x, _ in series.points]
    ys = [y for series in panel.series for _, y in series.points]
    if any(series.mark in ("bars", "area") for series in panel.series):
        ys.append(0.0)
    right = panel.width - _RIGHT
    width = _bar_width(panel.series)
    place_x, x_ticks = _scale(panel.x, xs, (_LEFT, right), width / 2)
    place_y, y_ticks = _scale(panel.y, ys, (HEIGHT - _BOTTOM, _TOP), 0.0)
    middle = (_LEFT + right) / 2
    yield f'<text class="h m" x="{middle:g}" y="22">{escape(panel.title)}</text>'
    for value, label in x_ticks:
        x = place_x(value)
        yield f'<path class="g" d="M{x:.1f} {HEIGHT - _BOTTOM:g}v4"/>'
        for line, text in enumerate(label.splitlines()):
            y = HEIGHT - _BOTTOM + 15 + 11 * line
            yield f'<text class="m" x="{x:.1f}" y="{y:g}">{escape(text)}</text>'
    for value, label in y_ticks:
        y = place_y(value)
        yield f'<path class="g" d="M{_LEFT:g} {y:.1f}H{right:g}"/>'
        yield f'<text class="e" x="{_LEFT - 6:g}" y="{y + 4:.1f}">{escape(label)}</text>'
    yield f'<text class="m" x="{middle:g}" y="{HEIGHT - 5:g}">{escape(panel.x.label)}</text>'
    yield (
        f'<text class="m" transform="translate(13 {(_TOP + HEIGHT - _BOTTOM) / 2:g}) rotate(-90)">'
        f"{escape(panel.y.label)}</text>"
    )
    bars = [series for series in panel.series if series.mark == "bars"]
    for series in panel.series:
        beside = (bars.index(series), len(bars)) if series.mark == "bars" else (0, 1)
        yield from _series(series, place_x, place_y, width, beside)


def _series(
    series: Series,
    place_x: Callable[[float], float],
    place_y: Callable[[float], float],
    width: float,
    beside: tuple[int, int],
) -> Iterator[str]:
    """Draw one series; bars are placed beside those of the other series."""
    floor = HEIGHT - _BOTTOM
    points = [(place_x(x), place_y(y)) for x, y in series.points if math.isfinite(y)]
    colour = f'style="--c:var(--c{series.colour % _COLOURS})"'
    if series.mark == "bars":
        each = (place_x(width) - place_x(0.0)) / beside[1]
        for x, y in points:
            left = x + each * (beside[0] - beside[1] / 2)
            yield (
                f'<rect class="{"o" if series.theirs else "f"}" {colour} x="{left:.1f}" '
                f'y="{min(y, place_y(0.0)):.1f}" width="{each:.1f}" '
                f'height="{abs(place_y(0.0) - y):.1f}"/>'
            )
    elif series.mark == "dots":
        for x, y in points:
            kind = "o" if series.theirs else "f"
            yield f'<circle class="{kind}" {colour} cx="{x:.1f}" cy="{y:.1f}" r="3.2"/>'
    elif points:
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        if series.mark == "area":
            path += f"V{floor:g}H{points[0][0]:.1f}z"
        kind = "a" if series.mark == "area" else "l d" if series.theirs else "l"
        yield f'<path class="{kind}" {colour} d="{path}"/>'


def _bar_width(series: Sequence[Series]) -> float:
    """Return the width of bars, 0.8 of their distance; 0 without bars."""
    places = sorted({x for one in series if one.mark == "bars" for x, _ in one.points})
    return 0.8 * min((b - a for a, b in pairwise(places)), default=1.0) if places else 0.0


def _scale(
    axis: Axis, values: Sequence[float], span: Point, margin: float
) -> tuple[Callable[[float], float], Sequence[tuple[float, str]]]:
    """Return a function from values to positions, and the tick labels."""
    known = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
    low = min(known) - margin if axis.low is None else axis.low
    high = max(known) + margin if axis.high is None else axis.high
    if axis.log:
        low, high = math.log10(low), math.log10(high)
    if high <= low:
        low, high = low - 0.5, high + 0.5
    if axis.ticks is not None:
        ticks: Sequence[tuple[float, str]] = axis.ticks
    elif axis.log:
        ticks = [(10.0**k, _power(k)) for k in _steps(low, high, whole=True)]
    else:
        ticks = [(value, _label(value)) for value in _steps(low, high)]

    def place(value: float) -> float:
        at = math.log10(value) if axis.log else value
        return span[0] + (span[1] - span[0]) * (at - low) / (high - low)

    return place, ticks


def _steps(low: float, high: float, *, whole: bool = False) -> list[float]:
    """Return about five round numbers between two ends."""
    rough = (high - low) / 5
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(k * unit for k in (1, 2, 5, 10) if k * unit >= rough)
    if whole:
        step = max(1.0, round(step))
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]


def _label(value: float) -> str:
    written = f"{value:,.6f}".rstrip("0").rstrip(".")
    return "0" if written in ("-0", "") else written.replace("-", "−")


def _power(exponent: float) -> str:
    raised = str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"10{raised}"


def _key(panel: Panel) -> tuple[str, int]:
    """Draw the legend; return it and its number of rows."""
    drawn, x, row = [], _LEFT, 0
    for one in panel.series:
        if not (one.name and one.points):
            continue
        length = _KEY_SAMPLE + _SMALL * text_width(one.name) + 22
        if x > _LEFT and x + length > panel.width:
            x, row = _LEFT, row + 1
        y = row * _KEY_ROW + 8
        colour = f'style="--c:var(--c{one.colour % _COLOURS})"'
        if one.mark == "line":
            kind = "l d" if one.theirs else "l"
            drawn.append(f'<path class="{kind}" {colour} d="M{x:.1f} {y:g}h{_KEY_SAMPLE:g}"/>')
        else:
            kind = "o" if one.theirs else "a" if one.mark == "area" else "f"
            drawn.append(
                f'<rect class="{kind}" {colour} x="{x + 6:.1f}" y="{y - 5:g}" '
                f'width="11" height="11"/>'
            )
        drawn.append(f'<text x="{x + _KEY_SAMPLE + 6:.1f}" y="{y + 4:g}">{escape(one.name)}</text>')
        x += length
    return "".join(drawn), row + 1
