"""The appearance of the report with 5, 100 and 500 variables: contrast, names, phones, keys."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from results import random_dag, result_of

from forebear import FittedNetwork

pytestmark = pytest.mark.slow

SIZES = (5, 100, 500)

CONTRASTS = (Path(__file__).parent / "contrasts.js").read_text("utf-8")

NAMES = (Path(__file__).parent / "names.js").read_text("utf-8")


def fitted_of(size: int) -> FittedNetwork:
    """A network whose variables have up to three parents; the first three are hubs."""
    network = random_dag(size, 3, seed=size)
    rng = np.random.default_rng(size)
    tables = tuple(rng.dirichlet([1, 1, 1], size=(3,) * len(own)) for own in network.parents)
    return FittedNetwork(network, (("low", "medium", "high"),) * size, tables)


@pytest.fixture(params=SIZES)
def fitted(request: pytest.FixtureRequest) -> FittedNetwork:
    return fitted_of(request.param)


def settle(page: Any) -> None:
    """Wait until names are placed, which happens in the next frame."""
    page.evaluate(
        "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast_is_that_of_wcag_aa(
    show: Callable[..., Any], fitted: FittedNetwork, scheme: str
) -> None:
    page = show(result_of(fitted.network, bound=10.0), fitted=fitted, color_scheme=scheme)
    for _ in range(2):
        settle(page)
        found = page.evaluate(CONTRASTS)
        assert found["colors"] > 5
        assert found["found"] == []
        # Then with a variable selected and a state set.
        page.evaluate("engine && toggleState(1, 0)")
        page.evaluate("choose(2)")


def test_nothing_is_wider_than_a_phone(show: Callable[..., Any], fitted: FittedNetwork) -> None:
    phone = {"width": 390, "height": 844}
    page = show(result_of(fitted.network), fitted=fitted, viewport=phone, has_touch=True)
    page.evaluate("engine && toggleState(1, 0)")
    page.evaluate("choose(2)")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    wide = page.evaluate(
        """() => [...document.querySelectorAll("main *:not(svg *)")].filter((e) => {
          const { right, width } = e.getBoundingClientRect();
          const scrolled = ".scroll, .cells, nav, .stage, .chart, .unseen";
          return width && right > 391 && !e.closest(scrolled);
        }).map((e) => `${e.tagName} ${e.className}`)"""
    )
    assert wide == []


def test_names_can_be_read_and_do_not_overlap(
    show: Callable[..., Any], fitted: FittedNetwork
) -> None:
    page = show(result_of(fitted.network), fitted=fitted, viewport={"width": 1280, "height": 900})
    settle(page)
    names = page.evaluate(NAMES)
    assert min(name["pixels"] for name in names) >= 10
    if fitted.n_variables == 5:
        assert len(names) == 5
        return
    degree = [
        len(own) + len(children)
        for own, children in zip(fitted.network.parents, fitted.network.children, strict=True)
    ]
    hubs = sorted(range(fitted.n_variables), key=lambda v: (-degree[v], v))[:5]
    assert set(hubs) <= {name["v"] for name in names}, "hubs are named first"
    for k, one in enumerate(names):
        for other in names[:k]:
            # Text is a little higher than its letters.
            apart = (
                one["right"] < other["left"] + 3
                or other["right"] < one["left"] + 3
                or one["bottom"] < other["top"] + 6
                or other["bottom"] < one["top"] + 6
            )
            assert apart, (one, other)


def test_a_name_appears_under_the_pointer(show: Callable[..., Any]) -> None:
    fitted = fitted_of(500)
    page = show(result_of(fitted.network), fitted=fitted, viewport={"width": 1280, "height": 900})
    settle(page)
    hidden = page.locator("#stage .fb-node:not(.named)").nth(40)
    v = int(hidden.get_attribute("data-v"))
    box = page.locator(f'#stage .fb-node[data-v="{v}"]')
    box.scroll_into_view_if_needed()
    box.hover(force=True)
    settle(page)
    assert "named" in box.get_attribute("class")
    assert fitted.network.names[v] in page.locator("#hover").inner_text()


def test_nothing_covers_the_boxes(show: Callable[..., Any]) -> None:
    fitted = fitted_of(5)
    page = show(result_of(fitted.network), fitted=fitted, viewport={"width": 1280, "height": 900})
    page.locator("#stage").scroll_into_view_if_needed()
    for v in range(5):
        page.hover(f'#stage .fb-node[data-v="{v}"]')
        free = page.evaluate(
            """() => [...document.querySelectorAll("#stage .fb-node")].every((node) => {
              const { left, top, width, height } = node.getBoundingClientRect();
              const there = document.elementFromPoint(left + width / 2, top + height / 2);
              return there && node.contains(there);
            })"""
        )
        assert free


def test_everything_works_by_keyboard(show: Callable[..., Any]) -> None:
    fitted = fitted_of(5)
    page = show(result_of(fitted.network), fitted=fitted)
    page.focus("#find")
    page.keyboard.type("word 4")
    assert page.locator("#details h3").inner_text() == "word 4"
    neighbor = page.locator("#details .chips button").first
    name = fitted.network.names[int(neighbor.get_attribute("data-choose"))]
    neighbor.focus()
    page.keyboard.press("Enter")
    assert page.locator("#details h3").inner_text() == name
    page.keyboard.press("Escape")
    assert page.locator("#stage .lit").count() == 0
    page.locator("#cards .state").first.focus()
    page.keyboard.press("Space")
    assert page.locator('#cards .state[aria-pressed="true"]').count() == 1
    assert page.evaluate("document.activeElement.ariaPressed") == "true", "the focus stays"
    page.keyboard.press("Space")
    assert page.locator('#cards .state[aria-pressed="true"]').count() == 0


def test_controls_have_names_and_show_the_focus(show: Callable[..., Any]) -> None:
    fitted = fitted_of(5)
    page = show(result_of(fitted.network), fitted=fitted)
    page.evaluate("choose(4)")
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll("button, input, a, [tabindex='0']")]
          .filter((e) => !(e.textContent.trim() || e.ariaLabel || e.labels?.length
            || e.getAttribute("aria-labelledby")))
          .map((e) => e.outerHTML.slice(0, 80))"""
    )
    assert unnamed == []
    for _ in range(30):
        page.keyboard.press("Tab")
        seen = page.evaluate(
            """() => {
              const element = document.activeElement;
              return element === document.body
                || parseFloat(getComputedStyle(element).outlineWidth) >= 2;
            }"""
        )
        assert seen, page.evaluate("document.activeElement.outerHTML.slice(0, 80)")
