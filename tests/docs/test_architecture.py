"""The page on the architecture, and the files to edit in CONTRIBUTING.md, agree with the code."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from pages import DOCS, ROOT

PACKAGE = ROOT / "src" / "forebear"


@pytest.fixture(scope="module")
def page() -> str:
    return (DOCS / "explanation" / "architecture.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def contributing() -> str:
    return (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def rows(page: str, heading: str) -> list[list[str]]:
    """The rows of the table below a heading, without its head."""
    section = page.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[1:]]


def layers() -> list[str]:
    """The rooms from top to bottom, as the contract on imports lists them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = project["tool"]["importlinter"]["contracts"]
    return [
        room.strip().removeprefix("forebear.")
        for layer in contract["layers"]
        for room in layer.split("|")
    ]


def test_the_rooms_are_those_of_the_contract(page: str) -> None:
    named = [row[0].strip("`/").removesuffix(".py") for row in rows(page, "The Python package")]
    assert named == layers()
    there = {path.stem for path in PACKAGE.glob("[a-z_]*") if path.suffix in ("", ".py")}
    assert set(named) == {name for name in there if not name.startswith("__")}


def includes(folder: Path) -> set[str]:
    """The other folders of the core whose files those of a folder include."""
    found = set()
    for path in folder.iterdir():
        named = re.findall(r'^\s*#\s*include "(\w+)/', path.read_text("utf-8"), re.MULTILINE)
        found |= set(named) - {folder.name}
    return found


def test_the_folders_of_the_core_include_what_the_page_says(page: str) -> None:
    table = {row[0].strip("`/"): row[2] for row in rows(page, "The C++ core")}
    below = list(table)
    assert set(below) == {path.name for path in (ROOT / "core").iterdir() if path.is_dir()}
    for folder, used in table.items():
        below.remove(folder)
        found = includes(ROOT / "core" / folder)
        assert found <= set(below), f"core/{folder} includes folders that are not below it"
        listed = set() if used == "nothing" else set(used.split(", "))
        if used != "everything below":
            assert listed == found, f"architecture.md: row {folder} is out of date"


def test_every_file_named_exists(page: str, contributing: str) -> None:
    named = re.findall(r"`([a-z_][a-z_/]*/[\w.]+\.(?:pyi?|cpp|md))`", page + contributing)
    named = [name for name in named if not re.search("[A-Z]{4}", name)]  # ROOM and NAME
    assert len(named) > 40
    for name in named:
        assert (PACKAGE / name).exists() or (ROOT / name).exists(), name
