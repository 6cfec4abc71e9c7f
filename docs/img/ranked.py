"""Draw ranked.svg: the candidate parents of one variable of the example, best first.

Run it from anywhere: ``python docs/img/ranked.py``.
"""

from __future__ import annotations

from html import escape
from math import comb
from pathlib import Path

from forebear import Dataset, ParentSet, ParentSets, score_parent_sets
from forebear.examples import example_path

VARIABLE = "price"
SHOWN = 7
ROW, TOP, LABELS, BARS, WIDTH = 34, 78, 268, 330, 720

# Two sets of colours: pictures in a README do not know its theme, but the reader's.
STYLE = """
text { font: 14px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: #24292f }
.title { font-size: 18px; font-weight: 600 }
.soft { fill: #57606a; font-size: 13px }
.chip { fill: #ddf4ff }
.chip-text { fill: #0550ae; font-size: 13px }
.bar { fill: #a8c7e6 }
.best { fill: #1f6feb }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .soft { fill: #8d96a0 }
  .chip { fill: #14305a }
  .chip-text { fill: #a5d0ff }
  .bar { fill: #2d4f76 }
  .best { fill: #4c94ff }
}
"""


def drawing(sets: ParentSets) -> str:
    """Draw the best sets of the variable and its empty set, each with its score."""
    v = sets.index(VARIABLE)
    empty = sets.find(v, ())
    assert empty is not None
    ranked = [*sets.of(v, 1, SHOWN), empty]
    best, worst = ranked[0].score, empty.score
    candidates = sum(comb(sets.n_variables - 1, k) for k in range(sets.max_parents + 1))
    rows = [
        row(sets, place, one, (one.score - worst) / (best - worst))
        for place, one in enumerate(ranked)
    ]
    height = TOP + ROW * len(ranked) + 30
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
            f'width="{WIDTH}" height="{height}" role="img" '
            f'aria-label="The candidate parents of {VARIABLE}, best first">',
            f"<style>{STYLE}</style>",
            text(16, 28, f"What best explains the {VARIABLE} of apples?", "title"),
            text(
                16,
                52,
                f"{candidates:,} candidate parent sets scored from {sets.provenance['rows']:,} "
                f"rows, {int(sets.counts[v])} worth keeping, best first",
                "soft",
            ),
            *rows,
            text(LABELS, height - 12, "BDeu: each bar is the gain over having no parents", "soft"),
            "</svg>",
            "",
        ]
    )


def row(sets: ParentSets, place: int, one: ParentSet, share: float) -> str:
    """Draw one set: its rank, its members, its score."""
    y = TOP + ROW * place
    style = "best" if place == 0 else "bar"
    length = max(2.0, BARS * share)
    return "\n".join(
        [
            text(16, y + 17, str(one.rank), "soft"),
            *chips([sets.names[p] for p in one.parents], y),
            f'<rect class="{style}" x="{LABELS}" y="{y + 2}" width="{length:.1f}" height="20" '
            'rx="4"/>',
            text(LABELS + length + 10, y + 17, f"{one.score:,.1f}"),
        ]
    )


def chips(names: list[str], y: int) -> list[str]:
    """Draw the members of a set, side by side."""
    if not names:
        return [text(44, y + 17, "no parents", "soft")]
    parts, x = [], 44.0
    for name in names:
        width = 7.1 * len(name) + 18
        parts.append(
            f'<rect class="chip" x="{x:.0f}" y="{y + 1}" width="{width:.0f}" height="22" rx="11"/>'
        )
        middle = x + width / 2
        parts.append(
            f'<text class="chip-text" x="{middle:.0f}" y="{y + 17}" text-anchor="middle">'
            f"{escape(name)}</text>"
        )
        x += width + 6
    return parts


def text(x: float, y: float, words: str, style: str = "") -> str:
    """Write some words."""
    return f'<text class="{style}" x="{x:.0f}" y="{y:.0f}">{escape(words)}</text>'


def main() -> None:
    """Write the picture beside this file."""
    sets = score_parent_sets(Dataset.read(example_path("orchard")))
    Path(__file__).with_suffix(".svg").write_text(drawing(sets), encoding="utf-8")


if __name__ == "__main__":
    main()
