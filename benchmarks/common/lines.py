"""Lines on logarithmic axes, as SVG."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Okabe and Ito's: told apart by readers who are colour blind."""

WIDTH, HEIGHT, LEFT, RIGHT, BOTTOM, TOP = 640, 400, 70, 190, 50, 20
"""In pixels; the names of the lines are in the right margin."""


def draw_lines(
    title: str, lines: Mapping[str, Mapping[int, float]], *, across: str, unit: str, base: int
) -> str:
    """Draw values by size, one line per name. The grid has a line per power of ``base``."""
    sizes = sorted({size for line in lines.values() for size in line})
    values = [value for line in lines.values() for value in line.values()]
    low = base ** math.floor(math.log(min(values), base) + 1e-9)
    high = base ** math.ceil(math.log(max(values), base) - 1e-9)

    def x(size: float) -> float:
        share = math.log(size / sizes[0]) / math.log(sizes[-1] / sizes[0])
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(value: float) -> float:
        share = math.log(value / low) / math.log(high / low)
        return HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'font-family="system-ui, sans-serif" font-size="12" fill="currentColor">',
        f"<title>{title}</title>",
        "<style>svg{color:#333;background:#fff}@media(prefers-color-scheme:dark)"
        "{svg{color:#ddd;background:#1b1b1b}}</style>",
    ]
    tick = float(low)
    while tick <= high * 1.01:
        parts.append(
            f'<path d="M{LEFT} {y(tick):.1f}H{WIDTH - RIGHT}" stroke="currentColor" '
            f'opacity=".2"/><text x="{LEFT - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">'
            f"{tick:g} {unit}</text>"
        )
        tick *= base
    ticks = f'y="{HEIGHT - BOTTOM + 18}" text-anchor="middle"'
    parts += [f'<text x="{x(size):.1f}" {ticks}>{size:,.0f}</text>' for size in sizes]
    parts.append(f'<text x="{LEFT}" y="{HEIGHT - 10}">{across}</text>')
    label_places = _apart([y(line[max(line)]) for line in lines.values()])
    for i, ((name, line), place) in enumerate(zip(lines.items(), label_places, strict=True)):
        colour = COLOURS[i % len(COLOURS)]
        points = " ".join(f"{x(size):.1f},{y(value):.1f}" for size, value in sorted(line.items()))
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
            f'<text x="{x(max(line)) + 8:.1f}" y="{place + 4:.1f}" fill="{colour}">{name}</text>'
        )
    return "\n".join([*parts, "</svg>\n"])


def _apart(places: list[float], least: float = 14.0) -> list[float]:
    """Move labels down until none covers another."""
    moved = list(places)
    lowest = -math.inf
    for i in sorted(range(len(places)), key=places.__getitem__):
        moved[i] = lowest = max(places[i], lowest + least)
    return moved
