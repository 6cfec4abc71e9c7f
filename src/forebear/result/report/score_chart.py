"""A picture of the scores that the chains of a search reached over time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from forebear.result.report.wording import format_number

if TYPE_CHECKING:
    from forebear.result import Result


class _Axes(NamedTuple):
    """The ranges of times and scores, and the edges of the chart in pixels."""

    times: tuple[float, float]
    scores: tuple[float, float]
    left: int = 110
    right: int = 1088
    top: int = 18
    bottom: int = 296

    def x(self, seconds: float) -> str:
        first, last = self.times
        share = math.log(max(seconds, first) / first) / math.log(last / first)
        return f"{self.left + share * (self.right - self.left):.1f}"

    def y(self, score: float) -> str:
        low, high = self.scores
        return f"{self.bottom - (score - low) / (high - low) * (self.bottom - self.top):.1f}"


def score_chart(result: Result) -> str | None:
    """Draw the best score of every chain over time, and the bound.

    Time is logarithmic, because most improvements come early. Returns None if the scores and the
    bound are equal up to rounding.
    """
    steps = [step for step in result.trace if math.isfinite(step.score)]
    bounds = [] if result.bound is None or math.isinf(result.bound) else [result.bound]
    levels = [*(step.score for step in steps), *bounds]
    if not steps or max(levels) - min(levels) < 0.01:  # nats
        return None
    first = max(1e-4, min(step.seconds for step in steps))
    # The times of the trace count from the start of the search.
    searched = result.phases.get("search", result.seconds)
    last = max(searched, 1.5 * first, *(step.seconds for step in steps))
    pad = 0.06 * (max(levels) - min(levels))
    axes = _Axes((first, last), (min(levels) - pad, max(levels) + pad))
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1100 340" role="img" '
        f'aria-label="Line chart of the best score over time, with {len(steps):,} improvements">',
        *_grid(axes),
    ]
    for bound in bounds:
        parts.append(f'<path class="bound" d="M{axes.left} {axes.y(bound)}H{axes.right}"/>')
        parts.append(_text(axes.right, float(axes.y(bound)) - 10, "end", "bound"))
    # The winner is drawn last, on top.
    for chain in sorted({step.chain for step in steps}, key=lambda c: (c == result.winner, c)):
        own = [step for step in steps if step.chain == chain]
        start = f"M{axes.x(own[0].seconds)} {axes.y(own[0].score)}"
        line = "".join(f"H{axes.x(step.seconds)}V{axes.y(step.score)}" for step in own[1:])
        kind = "curve winner" if chain == result.winner else "curve"
        parts.append(f'<path class="{kind}" d="{start}{line}H{axes.right}"/>')
    return "".join([*parts, "</svg>"])


def _grid(axes: _Axes) -> Iterator[str]:
    """Draw the axes, with round scores and powers of ten of seconds."""
    for at, digits in _round_numbers(*axes.scores):
        yield f'<path class="grid" d="M{axes.left} {axes.y(at)}H{axes.right}"/>'
        yield _text(axes.left - 10, axes.y(at), "end", format_number(at, digits))
    first, last = axes.times
    for power in range(math.ceil(math.log10(first)), math.floor(math.log10(last)) + 1):
        label = format_number(10.0**power, max(0, -power))
        yield _text(axes.x(10.0**power), axes.bottom + 14, "middle", label)
    yield f'<path class="axis" d="M{axes.left} {axes.bottom}H{axes.right}"/>'
    yield _text(axes.left, axes.bottom + 34, "start", "Seconds")


def _text(x: float | str, y: float | str, anchor: str, text: str) -> str:
    return f'<text x="{x}" y="{y}" dy="4" text-anchor="{anchor}">{text}</text>'


def _round_numbers(low: float, high: float) -> Iterator[tuple[float, int]]:
    """Yield about five round numbers within a range, each with its digits after the point."""
    rough = (high - low) / 5
    power = math.floor(math.log10(rough))
    step = next(k * 10.0**power for k in (1, 2, 5, 10) if k * 10.0**power >= rough)
    for k in range(math.ceil(low / step), math.floor(high / step) + 1):
        yield k * step, max(0, -math.floor(math.log10(step) + 1e-9))
