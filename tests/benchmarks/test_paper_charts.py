"""Charts: where points are drawn, and that any text is safe in them."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest
from charts import Panel, Series, figure_svg

SVG = "{http://www.w3.org/2000/svg}"


def drawn(*series: Series) -> ElementTree.Element:
    panel = Panel("a < b", "x & y", '"y"', series)
    return ElementTree.fromstring(figure_svg("a <title> & more", [panel]))


def test_text_is_escaped() -> None:
    root = drawn(Series("<script>", [(0, 0), (1, 1)]))
    words = [element.text for element in root.iter(f"{SVG}text")]
    assert {"a <title> & more", "a < b", "x & y", '"y"', "<script>"} <= set(words)


def test_lines_span_the_plot() -> None:
    root = drawn(Series("", [(0, 10), (5, 15), (10, 20)]))
    (path,) = (p for p in root.iter(f"{SVG}path") if p.get("class") != "g")
    points = [tuple(map(float, pair.split())) for pair in (path.get("d") or "")[1:].split("L")]
    (left, bottom), middle, (right, top) = points
    assert left < right
    assert bottom > top
    assert middle == pytest.approx(((left + right) / 2, (bottom + top) / 2), abs=0.1)


def test_bars_stand_on_zero_beside_each_other() -> None:
    root = drawn(
        Series("a", [(1, 4), (2, -2)], bars=True),
        Series("b", [(1, 2), (2, 0)], bars=True, theirs=True),
    )
    bars = [r for r in root.iter(f"{SVG}rect") if r.get("height") not in ("100%", "10")]
    numbers = [[float(r.get(k) or 0) for k in ("x", "y", "width", "height")] for r in bars]
    (x1, y1, width, tall), (x2, y2, _, deep), (x3, y3, _, half), (_, _, _, none) = numbers
    assert y1 + tall == pytest.approx(y2, abs=0.11)
    assert tall == pytest.approx(2 * deep, abs=0.21)
    assert tall == pytest.approx(2 * half, abs=0.21)
    assert none == 0
    assert x3 == pytest.approx(x1 + width, abs=0.11)
    assert x2 > x3
    assert y3 > y1
