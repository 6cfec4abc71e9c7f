"""A picture of the scores that the chains of a search reached over time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from forebear.result.report.wording import number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from forebear.result import Result

WIDTH, HEIGHT = 1100.0, 340.0
LEFT, RIGHT, TOP, BOTTOM = 110.0, WIDTH - 12.0, 18.0, HEIGHT - 44.0


def score_chart(result: Result) -> str | None:
    """Draw the best score of every chain over time, and the bound.

    Time is logarithmic, as most improvements come early. Returns None where the scores and the
    bound do not differ by more than rounding.
    """
    steps = [step for step in result.trace if math.isfinite(step.score)]
    levels = [step.score for step in steps]
    if result.bound is not None and math.isfinite(result.bound):
        levels.append(result.bound)
    if not steps or max(levels) - min(levels) < 0.01:  # nats
        return None
    first = max(1e-4, min(step.seconds for step in steps))
    # The times of the trace count from the start of the search.
    searched = result.phases.get("search", result.seconds)
    last = max(searched, 1.5 * first, *(step.seconds for step in steps))
    pad = 0.06 * (max(levels) - min(levels))
    low, high = min(levels) - pad, max(levels) + pad

    def x(seconds: float) -> str:
        share = math.log(max(seconds, first) / first) / math.log(last / first)
        return f"{LEFT + share * (RIGHT - LEFT):.1f}"

    def y(score: float) -> str:
        return f"{BOTTOM - (score - low) / (high - low) * (BOTTOM - TOP):.1f}"

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img" '
        f'aria-label="Line chart of the best score over time, with {len(steps):,} improvements">'
    ]
    for at, digits in _round_numbers(low, high):
        parts.append(f'<path class="grid" d="M{LEFT:g} {y(at)}H{RIGHT:g}"/>')
        parts.append(_text(f"{LEFT - 10:g}", y(at), "end", number(at, digits)))
    for power in range(math.ceil(math.log10(first)), math.floor(math.log10(last)) + 1):
        label = number(10.0**power, max(0, -power))
        parts.append(_text(x(10.0**power), f"{BOTTOM + 14:g}", "middle", label))
    parts.append(f'<path class="axis" d="M{LEFT:g} {BOTTOM:g}H{RIGHT:g}"/>')
    parts.append(_text(f"{LEFT:g}", f"{BOTTOM + 34:g}", "start", "Seconds"))
    if result.bound is not None and math.isfinite(result.bound):
        parts.append(f'<path class="bound" d="M{LEFT:g} {y(result.bound)}H{RIGHT:g}"/>')
        parts.append(_text(f"{RIGHT:g}", f"{float(y(result.bound)) - 10:g}", "end", "bound"))
    # The winner is drawn last, on top.
    for chain in sorted({step.chain for step in steps}, key=lambda c: (c == result.winner, c)):
        own = [step for step in steps if step.chain == chain]
        line = "".join(f"H{x(step.seconds)}V{y(step.score)}" for step in own[1:])
        kind = "curve winner" if chain == result.winner else "curve"
        start = f"M{x(own[0].seconds)} {y(own[0].score)}"
        parts.append(f'<path class="{kind}" d="{start}{line}H{RIGHT:g}"/>')
    return "".join([*parts, "</svg>"])


def _text(x: str, y: str, anchor: str, text: str) -> str:
    return f'<text x="{x}" y="{y}" dy="4" text-anchor="{anchor}">{text}</text>'


def _round_numbers(low: float, high: float) -> Iterator[tuple[float, int]]:
    """Yield about five round numbers within a range, each with its digits after the point."""
    rough = (high - low) / 5
    power = math.floor(math.log10(rough))
    step = next(k * 10.0**power for k in (1, 2, 5, 10) if k * 10.0**power >= rough)
    for k in range(math.ceil(low / step), math.floor(high / step) + 1):
        yield k * step, max(0, -math.floor(math.log10(step) + 1e-9))
