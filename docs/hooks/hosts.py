"""Reject a site with a page that loads anything from another host.

Other hosts then do not learn what is read, and the pages work without the internet.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

# What is loaded with a page, by attribute. A link that a reader can follow loads nothing.
_LOADING = {
    "src": None,
    "srcset": None,
    "poster": None,
    "data": ("object",),
    "href": ("link", "image", "use"),
}
_NOT_LOADED = ("canonical", "prev", "next", "alternate", "edit")
_ELSEWHERE = re.compile(r"\s*(?:https?:)?//", re.IGNORECASE)
_STYLE = re.compile(r"(?:url\(\s*|@import\s+)['\"]?\s*((?:https?:)?//[^'\")\s]+)", re.IGNORECASE)


def loaded_elsewhere(html: str) -> list[str]:
    """List the addresses on other hosts that a page loads automatically."""
    parser = _Loads()
    parser.feed(html)
    return parser.found + _STYLE.findall(html)


class _Loads(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        about = {name: value or "" for name, value in attrs}
        if tag == "link" and about.get("rel", "").lower() in _NOT_LOADED:
            return
        for name, tags in _LOADING.items():
            value = about.get(name, "")
            if (tags is None or tag in tags) and _ELSEWHERE.match(value):
                self.found.append(value)


def on_post_build(*, config: MkDocsConfig) -> None:
    """Check the site. mkdocs calls this after the build."""
    from mkdocs.exceptions import PluginError

    site = Path(config.site_dir)
    for path in sorted(site.rglob("*.html")):
        found = loaded_elsewhere(path.read_text(encoding="utf-8"))
        if found:
            raise PluginError(f"{path.relative_to(site)} loads {found[0]} from another host")
