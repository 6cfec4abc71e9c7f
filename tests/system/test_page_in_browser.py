"""The report in a browser: it opens quietly, lights up blankets, sorts, filters, turns dark."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest
from results import NASTY, result_of, unsure_arcs, validated

from forebear import Network

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow


# a and b have the child c; c and d have the child e; f stands alone.
FAMILY = Network(tuple("abcdef"), ((), (), (0, 1), (), (2, 3), ()))


@pytest.fixture
def page(show: Callable[..., Any]) -> Any:
    return show(result_of(FAMILY, bound=10.0))


def lit(page: Any, kind: str) -> set[str]:
    return set(page.locator(f"#stage .fb-node.{kind} text:not(.outside)").all_text_contents())


def lit_arcs(page: Any, kind: str) -> set[str]:
    arcs = page.locator(f"#stage .fb-arc.{kind}")
    return {arcs.nth(k).get_attribute("data-arc") for k in range(arcs.count())}


def column(page: Any, number: int, table: str = "#table") -> list[str]:
    """Return the cells of a column, in the rows that are shown."""
    shown = f"{table} tbody tr:not([hidden]) > :nth-child({number})"
    cells: list[str] = page.locator(shown).all_text_contents()
    return cells


def assert_blanket_of_c(page: Any) -> None:
    assert lit(page, "self") == {"c"}
    assert lit(page, "parent") == {"a", "b"}
    assert lit(page, "child") == {"e"}
    assert lit(page, "spouse") == {"d"}
    assert lit_arcs(page, "parent") == {"0 2", "1 2"}
    assert lit_arcs(page, "child") == {"2 4"}
    assert lit_arcs(page, "spouse") == {"3 4"}
    assert "Rank 3 of 9 parent sets" in page.locator("#details").inner_text()


def test_search_lights_up_the_blanket(page: Any) -> None:
    page.fill("#find", "c")
    assert_blanket_of_c(page)
    page.click("#clear")
    assert page.locator("#stage .lit").count() == 0
    assert "No variable is selected" in page.locator("#details").inner_text()
    assert page.locator("#find").input_value() == ""


def test_nodes_chips_and_rows_choose_too(page: Any) -> None:
    page.click('#stage .fb-node[data-v="2"]')
    assert_blanket_of_c(page)
    page.click("#details button:text-is('d')")
    assert lit(page, "self") == {"d"}
    page.click("#table tbody button:text-is('c')")
    assert_blanket_of_c(page)
    assert page.locator("#table tr.now th").inner_text() == "c"
    assert page.evaluate("document.activeElement.id") == "details"
    page.keyboard.press("Escape")
    assert lit(page, "self") == set()


def test_the_picture_moves(page: Any) -> None:

    def view() -> list[float]:
        return [float(x) for x in page.locator("#stage svg").get_attribute("viewBox").split()]

    whole = view()
    page.click("#zoom-in")
    assert view()[2] < whole[2]
    page.click("#fit")
    assert view() == pytest.approx(whole)
    page.focus("#stage")
    for key, changed in (("+", 2), ("ArrowRight", 0), ("ArrowDown", 1), ("-", 2)):
        before = view()
        page.keyboard.press(key)
        assert view()[changed] != before[changed]
    page.keyboard.press("0")
    stage = page.locator("#stage").bounding_box()
    page.mouse.move(stage["x"] + 20, stage["y"] + 20)
    before = view()
    page.mouse.down()
    page.mouse.move(stage["x"] + 80, stage["y"] + 50)
    page.mouse.up()
    assert view()[0] < before[0]
    assert view()[1] < before[1]


def test_sort_and_filter(page: Any) -> None:
    assert column(page, 1) == list("abcdef")
    heading = page.locator("#table thead th").nth(2)
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    assert column(page, 3) == ["1", "1", "2", "2", "3", "3"]
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "descending"
    assert column(page, 1) == list("cfbead")
    page.fill("#filter", "a")
    assert column(page, 1) == ["c", "a"]
    assert page.locator("#shown").inner_text() == "2 of 6 variables"
    page.fill("#filter", "")
    assert page.locator("#shown").inner_text() == "6 variables"


def arc_column(page: Any, number: int) -> list[str]:
    return column(page, number, "#arc-table")


def test_how_sure_the_arcs_are(show: Callable[..., Any]) -> None:
    page = show(result_of(FAMILY), unsure_arcs(FAMILY, ((2,), (), (1,), (), (2, 3), ())))
    assert arc_column(page, 1) == ["b", "c", "d", "a", "c"]
    assert arc_column(page, 3) == ["1.000", "1.000", "1.000", "0.667", "0.333"]
    assert arc_column(page, 4) == ["1.000"] * 5
    assert arc_column(page, 5) == ["yes", "yes", "yes", "yes", "no"]
    heading = page.locator("#arc-table thead th").nth(2)
    assert heading.get_attribute("aria-sort") == "descending"
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    assert arc_column(page, 2) == ["a", "c", "c", "e", "e"]
    page.locator("#arc-table thead button").first.click()
    assert arc_column(page, 1) == ["a", "b", "c", "c", "d"]
    page.fill("#arc-filter", "A")
    assert page.locator("#arcs-shown").inner_text() == "2 of 5 arcs"
    page.locator("#arc-table tbody button").first.click()
    assert lit(page, "self") == {"a"}
    arc = page.locator('#stage [data-arc="0 2"] path').first
    arc.dispatch_event("pointerover", {"bubbles": True, "clientX": 300, "clientY": 300})
    expected = "a → c, probability 0.667, in either direction 1.000"
    assert page.locator("#hover").inner_text() == expected


def test_the_curve_of_held_out_rows_goes_up_with_the_likelihood(show: Callable[..., Any]) -> None:
    page = show(validated())
    spots = page.locator("#held-out-chart .spot")
    heights = [float(spots.nth(k).get_attribute("cy")) for k in range(spots.count())]
    assert heights[1] < heights[2] < heights[0]
    classes = [spots.nth(k).get_attribute("class") for k in range(3)]
    assert classes == ["spot", "spot marked", "spot"]
    labels = page.locator("#held-out-chart text").all_text_contents()
    assert {"1", "2", "none", "Limit on parents"} <= set(labels)
    page = show(validated(spread=0.0))
    assert page.locator("#held-out-chart .spot").count() == 3


def test_charts(page: Any) -> None:
    curves = page.locator("#score-chart .curve")
    assert curves.count() == 3
    assert page.locator("#score-chart .curve.winner").get_attribute("data-chain") == "2"
    assert page.locator("#score-chart .bound").count() == 1
    before = curves.first.get_attribute("d")
    page.locator("#log-time").click()
    assert curves.first.get_attribute("d") != before
    page.hover("#score-chart")
    assert "Chain 2" in page.locator("#tip").inner_text()
    assert page.locator("#rank-chart .bar").count() == 3
    page.locator("#parents-chart .hit").first.hover()
    assert page.locator("#tip").inner_text() == "Parents 0: 4 variables"


def test_what_can_be_saved(page: Any) -> None:
    page.fill("#find", "c")
    with page.expect_download() as saving:
        page.click("#save-csv")
    with saving.value.path().open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["parent", "child", "direction"]
    assert {tuple(row[:2]) for row in rows[1:]} == {("a", "c"), ("b", "c"), ("c", "e"), ("d", "e")}
    with page.expect_download() as saving:
        page.click("#save-svg")
    picture = saving.value.path().read_text("utf-8")
    assert ElementTree.fromstring(picture).tag.endswith("svg")
    assert " lit" not in picture


def test_names_stay_inert(show: Callable[..., Any]) -> None:
    network = Network(NASTY, tuple(tuple(range(max(0, v - 2), v)) for v in range(len(NASTY))))
    page = show(result_of(network), unsure_arcs(network, network.parents))
    page.fill("#arc-filter", "<img")
    assert len(arc_column(page, 1)) == 3
    page.fill("#find", NASTY[2])
    assert page.locator("#details h3").inner_text() == NASTY[2]
    page.hover('#stage .fb-node[data-v="0"]')
    assert NASTY[0] in page.locator("#hover").inner_text()
    page.fill("#filter", "<img")
    assert len(column(page, 1)) == 3
