"""The notebooks: they run, show what the files show, and keep their promises."""

from __future__ import annotations

import json
import re
import resource
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest
from pages import DOCS, ROOT, script, steady

if TYPE_CHECKING:
    from pathlib import Path

NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
PROCESSOR_SECONDS = 120.0
"""What a notebook may take: two minutes, on one core."""

LARGEST = 60_000
"""Bytes of a notebook: text, tables and drawings fit; photographs do not belong here."""

_IMPORT = re.compile(r"^(?:from|import) (\w+)", re.MULTILINE)
_ELSEWHERE = re.compile(r"https?://|\bfetch_\w+|\bget_rdataset|\bload_dataset|/tmp/|/home/|\.\./")


def cells(path: Path, kind: str) -> list[dict[str, Any]]:
    found = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in found if cell["cell_type"] == kind]


def texts(path: Path, kind: str) -> list[str]:
    return ["".join(cell["source"]) for cell in cells(path, kind)]


every = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


@pytest.mark.slow
@every
def test_it_runs_and_shows_the_same(path: Path) -> None:
    needed = {"nbclient", "nbformat", "ipykernel"}
    needed |= {name for code in texts(path, "code") for name in _IMPORT.findall(code)}
    if absent := sorted(name for name in needed if find_spec(name) is None):
        pytest.skip(f"{', '.join(absent)} not installed: see the extra notebooks")
    run = script("notebooks/run.py")
    before = _processor_seconds()
    made = run.shown(run.executed(path))
    assert _processor_seconds() - before < PROCESSOR_SECONDS
    kept = run.shown(run.read(path))
    assert list(map(steady, made)) == list(map(steady, kept)), "run docs/notebooks/run.py again"


def _processor_seconds() -> float:
    """Seconds of all processes that have ended so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@every
def test_it_was_run_from_its_first_cell_to_its_last(path: Path) -> None:
    code = cells(path, "code")
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    assert all(
        output["output_type"] in ("stream", "execute_result", "display_data")
        for cell in code
        for output in cell["outputs"]
    )
    assert any(cell["outputs"] for cell in code)
    assert path.stat().st_size <= LARGEST


@every
def test_it_says_what_it_is_and_where_to_go_next(path: Path) -> None:
    first, *_, last = texts(path, "markdown")
    assert re.match(r"# \w.*\n\nYou will ", first)
    assert "**Where to go next:**" in last
    assert cells(path, "markdown")[-1] == json.loads(path.read_text(encoding="utf-8"))["cells"][-1]


@every
def test_it_loads_nothing_from_elsewhere(path: Path) -> None:
    for code in texts(path, "code"):
        assert not _ELSEWHERE.search(code), code


@every
def test_it_names_no_place_on_the_machine_that_ran_it(path: Path) -> None:
    assert not re.search(r"/tmp/|/home/|/root/|site-packages|0x[0-9a-f]{6}", path.read_text())


def test_all_are_listed_in_order() -> None:
    page = (DOCS / "notebooks" / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| \[[^\]]+\]\(([\w-]+\.ipynb)\)", page, re.MULTILINE)
    site = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert re.findall(r"notebooks/([\w-]+\.ipynb)$", site, re.MULTILINE) == listed
    assert sorted(listed) == [path.name for path in NOTEBOOKS]
    assert len(listed) >= 12


def test_a_page_is_made_of_text_code_and_outputs() -> None:
    pytest.importorskip("mkdocs", reason="mkdocs is not installed: see the extra docs")
    shown = {
        "cell_type": "code",
        "source": ["1 < 2"],
        "outputs": [
            {"output_type": "stream", "name": "stdout", "text": ["a <b>\n", "\n", "c\n"]},
            {"output_type": "execute_result", "data": {"text/plain": ["True"]}},
            {
                "output_type": "display_data",
                "data": {"text/html": ["<p>rich</p>\n\n<p>richer</p>"], "text/plain": ["poor"]},
            },
        ],
    }
    title = {"cell_type": "markdown", "source": ["# Title\n", "\n", "You will see."]}
    page = script("hooks/notebooks.py").markdown_of({"cells": [title, shown]}, "one.ipynb")
    assert page.startswith("# Title\n\nYou will see.\n\n[Download this notebook](files/one.ipynb)")
    assert "```python\n1 < 2\n```" in page
    assert "<pre>a &lt;b&gt;\n&#8203;\nc</pre>" in page
    assert "<pre>True</pre>" in page
    assert "<p>rich</p>\n<p>richer</p>" in page
    assert "poor" not in page
