"""The report in a browser: no errors, highlighting, sorting, filtering, dark mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest
from results import NASTY, result_of, unsure_arcs

from forebear import Network

pytestmark = pytest.mark.slow


@pytest.fixture
def family() -> Network:
    # a and b have the child c; c and d have the child e; f stands alone.
    return Network(tuple("abcdef"), ((), (), (0, 1), (), (2, 3), ()))


def lit(page: Any, kind: str) -> set[str]:
    return set(page.locator(f"#stage .fb-node.{kind} text").all_text_contents())


def lit_arcs(page: Any, kind: str) -> set[str]:
    arcs = page.locator(f"#stage .fb-arc.{kind}")
    return {arcs.nth(k).get_attribute("data-arc") for k in range(arcs.count())}


def column(page: Any, number: int) -> list[str]:
    cells: list[str] = page.locator(
        f"#variable-table tbody tr > :nth-child({number})"
    ).all_text_contents()
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


def test_search_lights_up_the_blanket(show: Callable[..., Any], family: Network) -> None:
    page = show(result_of(family))
    page.fill("#find", "c")
    assert_blanket_of_c(page)
    page.click("#clear")
    assert page.locator("#stage .lit").count() == 0
    assert "No variable is selected" in page.locator("#details").inner_text()
    assert page.locator("#find").input_value() == ""


def test_nodes_chips_and_rows_choose_too(show: Callable[..., Any], family: Network) -> None:
    page = show(result_of(family))
    page.click('#stage .fb-node[data-v="2"]')
    assert_blanket_of_c(page)
    page.click("#details button:text-is('d')")
    assert lit(page, "self") == {"d"}
    page.click("#variable-table tbody button:text-is('c')")
    assert_blanket_of_c(page)
    assert page.locator("#variable-table tr.now th").inner_text() == "c"
    assert page.evaluate("document.activeElement.id") == "details"
    page.keyboard.press("Escape")
    assert lit(page, "self") == set()


def test_the_picture_moves(show: Callable[..., Any], family: Network) -> None:
    page = show(result_of(family))

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
    assert view() == pytest.approx(whole)
    stage = page.locator("#stage").bounding_box()
    page.mouse.move(stage["x"] + 20, stage["y"] + 20)
    page.mouse.wheel(0, -100)
    page.wait_for_function(
        "width => document.querySelector('#stage svg').viewBox.baseVal.width < width",
        arg=whole[2] - 1,
    )
    before = view()
    page.mouse.down()
    page.mouse.move(stage["x"] + 80, stage["y"] + 50)
    page.mouse.up()
    assert view()[0] < before[0]
    assert view()[1] < before[1]


def test_sort_and_filter(show: Callable[..., Any], family: Network) -> None:
    page = show(result_of(family))
    assert column(page, 1) == list("abcdef")
    heading = page.locator("#variable-table thead th").nth(2)
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    assert column(page, 3) == ["1", "1", "2", "2", "3", "3"]
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "descending"
    assert column(page, 3) == ["3", "3", "2", "2", "1", "1"]
    page.fill("#variable-table-filter", "a")
    assert column(page, 1) == ["c", "a"]
    assert page.locator("#variable-table-shown").inner_text() == "2 of 6 variables"
    page.fill("#variable-table-filter", "")
    assert page.locator("#variable-table-shown").inner_text() == "6 variables"


def arc_column(page: Any, number: int) -> list[str]:
    cells: list[str] = page.locator(
        f"#arc-table tbody tr > :nth-child({number})"
    ).all_text_contents()
    return cells


def test_how_sure_the_arcs_are(show: Callable[..., Any], family: Network) -> None:
    page = show(result_of(family), unsure_arcs(family, ((2,), (), (1,), (), (2, 3), ())))
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
    page.fill("#arc-table-filter", "A")
    assert page.locator("#arc-table-shown").inner_text() == "2 of 5 arcs"
    page.locator("#arc-table tbody button").first.click()
    assert lit(page, "self") == {"a"}


def test_arcs_tell_how_sure_they_are(show: Callable[..., Any], family: Network) -> None:
    page = show(result_of(family), unsure_arcs(family, ((2,), (), (1,), (), (2, 3), ())))
    arc = page.locator('#stage [data-arc="0 2"] path').first
    arc.dispatch_event("pointerover", {"bubbles": True, "clientX": 300, "clientY": 300})
    expected = "a → c, probability 0.667, in either direction 1.000"
    assert page.locator("#hover").inner_text() == expected
    plain = show(result_of(family))
    plain.locator('#stage [data-arc="0 2"] path').first.dispatch_event("pointerover")
    assert plain.locator("#hover").inner_text() == "a → c"


def test_the_chart_of_scores(show: Callable[..., Any], family: Network) -> None:
    page = show(result_of(family, bound=10.0))
    assert page.locator("#score-chart .curve").count() == 3
    assert page.locator("#score-chart .curve.winner").count() == 1
    assert page.locator("#score-chart .bound").count() == 1


def test_light_and_dark(show: Callable[..., Any], family: Network) -> None:
    page = show(result_of(family), color_scheme="light")

    def paper() -> str:
        color: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return color

    light = paper()
    page.emulate_media(color_scheme="dark")
    assert paper() != light


def test_the_picture_can_be_saved(show: Callable[..., Any], family: Network) -> None:
    page = show(result_of(family))
    page.fill("#find", "c")
    with page.expect_download() as saving:
        page.click("#save-svg")
    picture = saving.value.path().read_text("utf-8")
    assert ElementTree.fromstring(picture).tag.endswith("svg")
    assert " lit" not in picture


def test_names_stay_inert(show: Callable[..., Any]) -> None:
    network = Network(NASTY, tuple(tuple(range(max(0, v - 2), v)) for v in range(len(NASTY))))
    page = show(result_of(network), unsure_arcs(network, network.parents))
    page.fill("#arc-table-filter", "<img")
    assert len(arc_column(page, 1)) == 3
    page.fill("#find", NASTY[2])
    assert page.locator("#details h3").inner_text() == NASTY[2]
    page.hover('#stage .fb-node[data-v="0"]')
    assert NASTY[0] in page.locator("#hover").inner_text()
    page.fill("#variable-table-filter", "<img")
    assert len(column(page, 1)) == 3
