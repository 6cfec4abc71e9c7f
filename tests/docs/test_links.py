"""Every relative link of the documentation leads to a file, and every anchor to a heading."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest
from pages import DOCS, ROOT

TEXTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "core/README.md")),
    *sorted((ROOT / "benchmarks").rglob("*.md")),
    *sorted(DOCS.rglob("*.md")),
    *sorted(DOCS.rglob("*.ipynb")),
]

_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


@cache
def prose(path: Path) -> str:
    """The text of a page without its code blocks, or of a notebook without its code."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        return "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    return _FENCED.sub("", text)


def slug(heading: str) -> str:
    """The anchor of a heading, as GitHub and mkdocs make it."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[ ]", "-", re.sub(r"[^\w\- ]", "", plain.strip().lower()))


@cache
def anchors(path: Path) -> set[str]:
    """The anchors of a page: its headings, and the entries of the Python reference."""
    entries = re.findall(r"^::: ([\w.]+)$", prose(path), re.MULTILINE)
    return {*map(slug, _HEADING.findall(prose(path))), *entries}


def links(path: Path) -> list[str]:
    """The links of a page that lead to this repository."""
    return [link for link in _LINK.findall(prose(path)) if "://" not in link]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_resolve(path: Path) -> None:
    for link in links(path):
        file, _, anchor = link.partition("#")
        target = (path.parent / file).resolve() if file else path
        assert target.exists(), link
        assert target.is_relative_to(ROOT), link
        if anchor:
            assert anchor in anchors(target), link
