"""Fill in parts of pages: the help of every command, and the example scripts.

On GitHub the same pages show a sentence or a link instead.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from typer.testing import CliRunner

from forebear.cli.app import COMMANDS, app

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
PLACE = "<!-- commands -->"
_SCRIPT = re.compile(r"^\[examples/(\w+\.py)\]\(\.\./\.\./examples/\1\)$", re.MULTILINE)
_WIDTH = 80


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Fill in a page. mkdocs calls this for every page."""
    del page, config, files
    return filled(markdown)


def filled(markdown: str) -> str:
    """Replace the place of the commands and the links to scripts."""
    if PLACE in markdown:
        markdown = markdown.replace(PLACE, command_reference())
    return _SCRIPT.sub(lambda link: _script(link[1]), markdown)


def command_reference() -> str:
    """Return the ``--help`` of the program and of every command."""
    parts = [_section("forebear", [])]
    parts += [_section(f"forebear {name}", [name]) for name in command_names()]
    return "\n\n".join(parts)


def command_names() -> list[str]:
    """Name every command, in the order of the program."""
    return list(COMMANDS)


def _section(title: str, arguments: list[str]) -> str:
    shown = CliRunner().invoke(
        app, [*arguments, "--help"], prog_name="forebear", terminal_width=_WIDTH
    )
    if shown.exit_code != 0:
        raise RuntimeError(f"{title} --help ends with {shown.exit_code}: {shown.output}")
    return f"## {title}\n\n```text\n{shown.output.strip()}\n```"


def _script(name: str) -> str:
    text = (ROOT / "examples" / name).read_text(encoding="utf-8")
    return f'```python title="examples/{name}"\n{text.strip()}\n```'
