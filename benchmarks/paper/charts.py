"""Charts as SVG pictures: lines and bars, ours filled or solid, the paper's hollow or dashed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Point = tuple[float, float]
    Ticks = Sequence[tuple[float, str]]

WIDTH, HEIGHT = 460.0, 300.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 70.0, 14.0, 34.0, 46.0
_FLOOR = HEIGHT - _BOTTOM
_HEADING, _KEY = 34.0, 32.0
_COLOURS = ("#2563a8", "#b3541e", "#1f7a4d", "#6b4fbb", "#b3261e")
_STYLE = """
text{font:11px sans-serif;fill:#1d2430;text-anchor:middle}
.h{font-size:13px;font-weight:600}
.s{text-anchor:start}
.e{text-anchor:end}
.g{stroke:#d9dfe8}
"""


@dataclass(frozen=True)
class Series:
    """Points of one kind, ours or the paper's (``theirs``)."""

    name: str
    points: Sequence[Point]
    bars: bool = False
    colour: int = 0
    theirs: bool = False

    def looks(self) -> str:
        """Return the attributes of its marks."""
        colour = _COLOURS[self.colour]
        if self.bars:
            return f'stroke="{colour}" fill="{"#fff" if self.theirs else colour}"'
        dashes = ' stroke-dasharray="5 3.5"' if self.theirs else ""
        return f'stroke="{colour}" fill="none" stroke-width="1.7"{dashes}'


@dataclass(frozen=True)
class Panel:
    """One chart. Ticks that are not given follow from the points; labels may have two lines."""

    title: str
    x_label: str
    y_label: str
    series: Sequence[Series]
    x_ticks: Ticks | None = None


def figure_svg(title: str, panels: Sequence[Panel]) -> str:
    """Draw charts side by side, each with a legend."""
    width, height = WIDTH * len(panels), _HEADING + HEIGHT + _KEY
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}"><style>{_STYLE}</style>',
        '<rect width="100%" height="100%" fill="#fff"/>',
        f'<text class="h s" x="12" y="22">{escape(title)}</text>',
    ]
    for place, panel in enumerate(panels):
        drawn.append(f'<g transform="translate({place * WIDTH:g} {_HEADING:g})">')
        drawn += [*_axes_and_marks(panel), *_legend(panel.series), "</g>"]
    return "".join([*drawn, "</svg>\n"])


def _axes_and_marks(panel: Panel) -> Iterator[str]:
    points = [point for one in panel.series for point in one.points if math.isfinite(point[1])]
    bars = [one for one in panel.series if one.bars]
    width = _bar_width(bars)
    xs = [x + side * width / 2 for x, _ in points for side in (-1, 1)]
    place_x, x_ticks = _scale(xs, _LEFT, WIDTH - _RIGHT)
    place_y, y_ticks = _scale([y for _, y in points] + [0.0] * bool(bars), _FLOOR, _TOP)
    middle = (_LEFT + WIDTH - _RIGHT) / 2
    yield f'<text class="h" x="{middle:g}" y="22">{escape(panel.title)}</text>'
    yield f'<text x="{middle:g}" y="{HEIGHT - 5:g}">{escape(panel.x_label)}</text>'
    turned = f"translate(13 {(_TOP + _FLOOR) / 2:g}) rotate(-90)"
    yield f'<text transform="{turned}">{escape(panel.y_label)}</text>'
    for value, label in x_ticks if panel.x_ticks is None else panel.x_ticks:
        x = place_x(value)
        yield f'<path class="g" d="M{x:.1f} {_FLOOR:g}v4"/>'
        for line, text in enumerate(label.splitlines()):
            yield f'<text x="{x:.1f}" y="{_FLOOR + 15 + 11 * line:g}">{escape(text)}</text>'
    for value, label in y_ticks:
        y = place_y(value)
        yield f'<path class="g" d="M{_LEFT:g} {y:.1f}H{WIDTH - _RIGHT:g}"/>'
        yield f'<text class="e" x="{_LEFT - 6:g}" y="{y + 4:.1f}">{label}</text>'
    for one in panel.series:
        own = [(place_x(x), place_y(y)) for x, y in one.points if math.isfinite(y)]
        if one.bars:
            each = (place_x(width) - place_x(0.0)) / len(bars)
            left = each * (bars.index(one) - len(bars) / 2)
            yield from _bars(one, own, left, each, place_y(0.0))
        elif own:
            path = "L".join(f"{x:.1f} {y:.1f}" for x, y in own)
            yield f'<path {one.looks()} d="M{path}"/>'


def _bars(
    series: Series, points: Sequence[Point], left: float, width: float, zero: float
) -> Iterator[str]:
    """Draw bars that stand on zero, ``left`` of their points."""
    for x, y in points:
        yield (
            f'<rect {series.looks()} x="{x + left:.1f}" y="{min(y, zero):.1f}" '
            f'width="{width:.1f}" height="{abs(zero - y):.1f}"/>'
        )


def _bar_width(bars: Sequence[Series]) -> float:
    """Return the width of all bars of one place, 0.8 of their distance; 0 without bars."""
    places = sorted({x for one in bars for x, _ in one.points})
    return 0.8 * min((b - a for a, b in pairwise(places)), default=1.0) if places else 0.0


def _scale(
    values: Sequence[float], start: float, end: float
) -> tuple[Callable[[float], float], Ticks]:
    """Return a function from values to positions, and about five ticks."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    if high <= low:
        low, high = low - 0.5, high + 0.5
    rough = (high - low) / 5
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(k * unit for k in (1, 2, 5, 10) if k * unit >= rough)
    steps = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)

    def place(value: float) -> float:
        return start + (end - start) * (value - low) / (high - low)

    return place, [(k * step, f"{k * step:.10g}") for k in steps]


def _legend(series: Sequence[Series]) -> Iterator[str]:
    """Draw a sample and the name of every series that has both points and a name."""
    x, y = 12.0, HEIGHT + 10
    for one in (one for one in series if one.name and one.points):
        if one.bars:
            yield f'<rect {one.looks()} x="{x:.1f}" y="{y - 5:g}" width="16" height="10"/>'
        else:
            yield f'<path {one.looks()} d="M{x:.1f} {y:g}h16"/>'
        yield f'<text class="s" x="{x + 22:.1f}" y="{y + 4:g}">{escape(one.name)}</text>'
        x += 30 + 6.2 * len(one.name)
