"""Run the notebooks and store their outputs.

    python docs/notebooks/run.py [NAME ...]

Each notebook is run in its own folder and written back with its outputs. Without
names, all are run.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import nbformat
from nbclient import NotebookClient

if TYPE_CHECKING:
    from nbformat import NotebookNode

FOLDER = Path(__file__).parent

_MOST_SECONDS = 120
"""Time limit of a cell, which is also the documented limit of a whole notebook."""

_PLACE = re.compile(r"^\S+\.py:\d+: (\w*Warning: .*)\n(?:  .*\n)?", re.MULTILINE)
"""A warning with its place, which differs between machines, and the code there."""


def main(names: list[str]) -> None:
    """Run notebooks by name, or all."""
    for path in [FOLDER / f"{Path(name).stem}.ipynb" for name in names] or notebooks():
        print(path.name, flush=True)
        write(executed(path), path)


def notebooks() -> list[Path]:
    """List all notebooks."""
    return sorted(FOLDER.glob("*.ipynb"))


def read(path: Path) -> NotebookNode:
    """Read a notebook with its stored outputs."""
    return nbformat.read(path, as_version=4)


def executed(path: Path) -> NotebookNode:
    """Run a notebook, and return it with its outputs; an error of a cell is raised."""
    notebook = read(path)
    with tempfile.TemporaryDirectory(prefix="forebear-notebook-") as folder:
        beside = Path(sys.executable).parent  # the command forebear
        # A cache of earlier runs would change what is shown.
        environment = {
            **os.environ,
            "XDG_CACHE_HOME": str(Path(folder, "cache")),
            "PATH": os.pathsep.join([str(beside), os.environ["PATH"]]),
        }
        work = Path(folder, "work")
        work.mkdir()
        NotebookClient(
            notebook,
            timeout=_MOST_SECONDS,
            kernel_name="python3",
            resources={"metadata": {"path": str(work)}},
            coalesce_streams=True,
            record_timing=False,
        ).execute(env=environment)
    for cell in notebook.cells:
        _tidy(cell)
    notebook.metadata = {
        "kernelspec": notebook.metadata["kernelspec"],
        "language_info": {"name": "python"},
    }
    return notebook


def write(notebook: NotebookNode, path: Path) -> None:
    """Write a notebook in a form that gives small diffs."""
    path.write_text(nbformat.writes(notebook, indent=1) + "\n", encoding="utf-8")


def shown(notebook: NotebookNode) -> list[str]:
    """Return the text output of each code cell; nothing for cells tagged "varies"."""
    return [
        "".join(map(_text, [] if _varies(cell) else cell.outputs))
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def _varies(cell: NotebookNode) -> bool:
    return "varies" in cell.metadata.get("tags", ())


def _tidy(cell: NotebookNode) -> None:
    """Remove what differs between runs and carries no information."""
    if "outputs" not in cell:
        return
    # The progress of a run is worth seeing while it runs; what stays is a cell's value.
    cell.outputs = [one for one in cell.outputs if one.output_type != "display_data"]
    for output in cell.outputs:
        if output.output_type == "stream":
            output.text = _PLACE.sub(r"\1\n", output.text)


def _text(output: NotebookNode) -> str:
    if output.output_type != "stream":
        return str(output.data.get("text/plain", ""))
    # Warnings come on a stream of their own, before or after what is printed.
    return str(output.text) if output.name == "stdout" else ""


if __name__ == "__main__":
    main(sys.argv[1:])
