"""Convert every notebook to a page of the site: its text, code and outputs.

A notebook is JSON, so this takes no other package. Nothing is run here: the outputs are those in
the file, which ``docs/notebooks/run.py`` has put there.
"""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs.structure.files import File, Files

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

EXTENSION = ".ipynb"
_KEPT = "notebooks/files"
"""The folder of the notebook files on the site."""

_COLOR = re.compile(r"\x1b\[[\d;]*m")


class NotebookFile(File):
    """A notebook, which is a page and not a file to copy."""

    def is_documentation_page(self) -> bool:
        """Return True, so that mkdocs creates a page."""
        return True


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Convert notebooks to pages, and keep the files for download. mkdocs calls this once."""
    for file in [file for file in files if file.src_uri.endswith(EXTENSION)]:
        files.remove(file)
        places = (config.docs_dir, config.site_dir, config.use_directory_urls)
        files.append(NotebookFile(file.src_uri, *places))
        source = Path(config.docs_dir, file.src_uri)
        kept = f"{_KEPT}/{source.name}"
        files.append(File.generated(config, kept, abs_src_path=str(source)))
    return files


def on_page_read_source(*, page: Page, config: MkDocsConfig) -> str | None:
    """Return the Markdown of a notebook. mkdocs calls this for every page."""
    if not page.file.src_uri.endswith(EXTENSION):
        return None
    source = Path(config.docs_dir, page.file.src_uri)
    return markdown_of(json.loads(source.read_text(encoding="utf-8")), source.name)


def markdown_of(notebook: dict[str, Any], name: str) -> str:
    """Write a notebook as Markdown, with a link to the file below its first sentence."""
    first, *rest = [part for cell in notebook["cells"] for part in _parts(cell)]
    title, promise, *introduction = first.split("\n\n")
    link = f"[Download this notebook](files/{name})"
    return "\n\n".join([title, promise, link, *introduction, *rest]) + "\n"


def _parts(cell: dict[str, Any]) -> Iterator[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] != "code":
        yield source
        return
    yield _fenced("python", source)
    for output in cell["outputs"]:
        if shown := _shown(output):
            yield shown


def _shown(output: dict[str, Any]) -> str:
    """Return the output of a cell in the richest form that a page can show."""
    if output["output_type"] == "stream":
        return _text("".join(output["text"]))
    data = {kind: "".join(value) for kind, value in output["data"].items() if _is_text(value)}
    for kind in ("text/html", "image/svg+xml"):
        if kind in data:
            return _raw(data[kind])
    return data.get("text/markdown") or _text(data["text/plain"])


def _is_text(value: Any) -> bool:
    return isinstance(value, str | list)


def _fenced(language: str, text: str) -> str:
    return f"```{language}\n{text.strip()}\n```"


def _text(text: str) -> str:
    # A blank line inside HTML would end it, but not as a character reference.
    lines = escape(_COLOR.sub("", text).strip("\n"), quote=False).split("\n")
    return _raw("<pre>" + "\n".join(line or "&#8203;" for line in lines) + "</pre>")


def _raw(html: str) -> str:
    """Insert HTML into Markdown unchanged; a blank line would end it."""
    lines = [line for line in html.splitlines() if line.strip()]
    return '<div class="notebook-output">\n' + "\n".join(lines) + "\n</div>"
