"""How the report looks at 5, 100 and 500 variables: contrast, names, phones, keys, groups."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from results import random_dag, result_of

from forebear import FittedNetwork

if TYPE_CHECKING:
    from collections.abc import Callable

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
    page.wait_for_selector("#cards .now", state="attached")
    for _ in range(2):
        settle(page)
        found = page.evaluate(CONTRASTS)
        assert found["colours"] > 5
        assert found["found"] == []
        # Then with a variable selected and a state set.
        page.evaluate("toggleState(1, 0)")
        page.evaluate("choose(2)")
        page.wait_for_function("() => !pending")


def test_nothing_is_wider_than_a_phone(show: Callable[..., Any], fitted: FittedNetwork) -> None:
    phone = {"width": 390, "height": 844}
    page = show(result_of(fitted.network), fitted=fitted, viewport=phone, has_touch=True)
    page.evaluate("toggleState(1, 0)")
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
    if fitted.n_variables > 60:
        page.click("#views [data-view=whole]")
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


def test_groups_open(show: Callable[..., Any]) -> None:
    fitted = fitted_of(100)
    page = show(result_of(fitted.network), fitted=fitted)
    groups = page.evaluate("data.groups.map((group) => group.variables)")
    assert sorted(v for group in groups for v in group) == list(range(100))
    assert page.locator("#stage .fb-node").count() == len(groups)
    page.locator("#stage .fb-node").nth(1).click()
    assert page.locator("#stage .fb-node").count() == len(groups[1])
    assert "variables" in page.locator("#opened").inner_text()
    other = groups[0][0]
    page.fill("#find", fitted.network.names[other])
    assert page.locator("#stage .fb-node.self").get_attribute("data-item") == str(other)
    page.click("#views [data-view=whole]")
    assert page.locator("#stage .fb-node").count() == 100
    # The selection is kept.
    assert page.locator("#stage .fb-node.self").get_attribute("data-item") == str(other)
    page.click("#views [data-view=groups]")
    assert page.locator("#stage .fb-node").count() == len(groups)
    page.click("#details [data-open='2']")
    assert page.locator("#stage .fb-node").count() == len(groups[2])


def test_everything_works_by_keyboard(show: Callable[..., Any]) -> None:
    fitted = fitted_of(100)
    page = show(result_of(fitted.network), fitted=fitted)
    page.focus("#stage")
    page.keyboard.press("Tab")
    focused = "document.activeElement.getAttribute('aria-label')"
    assert page.evaluate(focused).startswith("Open the group")
    outline = "getComputedStyle(document.activeElement.querySelector('rect')).strokeWidth"
    assert page.evaluate(outline) == "4px"
    page.keyboard.press("Enter")
    first = page.evaluate(focused)
    assert first in fitted.network.names
    seen = {first}
    for key in ("ArrowDown", "ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"):
        page.keyboard.press(key)
        seen.add(page.evaluate(focused))
    assert len(seen) > 2
    here = page.evaluate(focused)
    page.keyboard.press("Enter")
    assert page.locator("#details h3").inner_text() == here
    assert page.evaluate(focused) == here, "the focus stays"
    state = page.locator("#cards .state").first
    state.focus()
    page.keyboard.press("Space")
    page.wait_for_function("() => !pending")
    assert page.locator('#cards .state[aria-pressed="true"]').count() == 1
    assert page.evaluate("document.activeElement.ariaPressed") == "true"
    page.keyboard.press("Space")
    assert page.locator('#cards .state[aria-pressed="true"]').count() == 0


def test_controls_have_names_and_show_the_focus(show: Callable[..., Any]) -> None:
    fitted = fitted_of(5)
    page = show(result_of(fitted.network), fitted=fitted)
    page.evaluate("choose(4)")
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, a, [tabindex='0']")]
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
              const box = element.querySelector(":scope > rect");
              return element === document.body || (box ? getComputedStyle(box).strokeWidth === "4px"
                : parseFloat(getComputedStyle(element).outlineWidth) >= 2);
            }"""
        )
        assert seen, page.evaluate("document.activeElement.outerHTML.slice(0, 80)")
