"""What the site shows in place of a line of a page: the help of all commands, a script.

On GitHub the same lines are a sentence and a link, so that every page can be read there, too.
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
_SCRIPT = re.compile(r"^\[examples/(\w+\.py)\]\(\.\./examples/\1\)$", re.MULTILINE)
_WIDTH = 80


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Fill in a page; mkdocs calls this for each."""
    del page, config, files
    return filled(markdown)


def filled(markdown: str) -> str:
    """Replace the lines that stand for something longer."""
    if PLACE in markdown:
        markdown = markdown.replace(PLACE, command_reference())
    return _SCRIPT.sub(lambda link: _script(link[1]), markdown)


def command_reference() -> str:
    """What ``--help`` says of the program and of each of its commands."""
    parts = [_section("forebear", [])]
    parts += [_section(f"forebear {name}", [name]) for name in command_names()]
    return "\n\n".join(parts)


def command_names() -> list[str]:
    """Every command, in the order in which the program lists them."""
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
