"""Insert the help of every command into the page. On GitHub, the page has only its table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typer.testing import CliRunner

from forebear.cli.app import COMMANDS, app

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

PLACE = "<!-- commands -->"
_WIDTH = 80


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Insert the help into a page. mkdocs calls this for every page."""
    del page, config, files
    return filled(markdown)


def filled(markdown: str) -> str:
    """Replace the placeholder by the help of the commands."""
    return markdown.replace(PLACE, command_reference()) if PLACE in markdown else markdown


def command_reference() -> str:
    """Return the ``--help`` of the program and of every command."""
    parts = [_section("forebear", [])]
    parts += [_section(f"forebear {name}", [name]) for name in command_names()]
    return "\n\n".join(parts)


def command_names() -> list[str]:
    """List every command, in the order of the program."""
    return list(COMMANDS)


def _section(title: str, arguments: list[str]) -> str:
    shown = CliRunner().invoke(
        app, [*arguments, "--help"], prog_name="forebear", terminal_width=_WIDTH
    )
    if shown.exit_code != 0:
        raise RuntimeError(f"{title} --help ends with {shown.exit_code}: {shown.output}")
    return f"## {title}\n\n```text\n{shown.output.strip()}\n```"
