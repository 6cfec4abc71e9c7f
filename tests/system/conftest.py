"""A browser for the tests of the report."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from forebear import FittedNetwork, Result
from forebear.result.report.page import write_report
from forebear.result.report.what_if import what_if_about

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next((path for name in BROWSERS if (path := shutil.which(name))), None)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("there is no chromium on this machine")
    with playwright.sync_playwright() as running:
        # The pages are our own, and containers often lack what the sandbox needs. Nothing is
        # looked up or fetched in the background.
        browser = running.chromium.launch(
            executable_path=CHROMIUM,
            args=[
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
            ],
        )
        yield browser
        browser.close()


@pytest.fixture
def show(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Open the report of a result; console messages and requests are errors."""
    complaints: list[str] = []
    contexts = []
    pages: list[tuple[str, list[str]]] = []

    def open_report(
        result: Result, arcs: Any = None, fitted: FittedNetwork | None = None, **settings: Any
    ) -> Any:
        path = tmp_path / "report.html"
        write_report(result, path, arcs, what_if_about(result, fitted))
        context = browser.new_context(reduced_motion="reduce", **settings)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(f"dialog {dialog.message}"))
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        pages.append((path.as_uri(), asked))
        return page

    yield open_report
    for context in contexts:
        context.close()
    assert complaints == []
    assert all(asked == [address] for address, asked in pages)
