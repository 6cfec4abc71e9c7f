"""The notebooks: they run, and give the stored outputs."""

from __future__ import annotations

import json
import re
import resource
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from pages import DOCS, ROOT, script, steady

NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
PROCESSOR_SECONDS = 120.0
"""Time limit of a notebook: two minutes on one core."""

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
def test_it_gives_the_stored_outputs(path: Path) -> None:
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
def test_it_was_run_in_order_and_is_complete(path: Path) -> None:
    code = cells(path, "code")
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    outputs = [output["output_type"] for cell in code for output in cell["outputs"]]
    assert outputs
    assert set(outputs) <= {"stream", "execute_result", "display_data"}
    assert path.stat().st_size <= LARGEST
    first, *_, last = texts(path, "markdown")
    assert re.match(r"# \w.*\n\nYou will ", first)
    assert "**Where to go next:**" in last


@every
def test_it_refers_to_no_other_host_or_folder(path: Path) -> None:
    for code in texts(path, "code"):
        assert not _ELSEWHERE.search(code), code
    assert not re.search(r"/tmp/|/home/|/root/|site-packages|0x[0-9a-f]{6}", path.read_text())


def test_all_are_listed_in_order() -> None:
    page = (DOCS / "notebooks" / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| \[[^\]]+\]\(([\w-]+\.ipynb)\)", page, re.MULTILINE)
    site = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert re.findall(r"notebooks/([\w-]+\.ipynb)$", site, re.MULTILINE) == listed
    assert sorted(listed) == [path.name for path in NOTEBOOKS]
    assert len(listed) >= 12
