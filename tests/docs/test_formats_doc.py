"""docs/reference/formats.md lists every format, and its examples are correct."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fitted import assert_same_structure

from forebear.data.formats.table import EXTENSIONS
from forebear.network.file_formats import FORMATS, write_network
from forebear.network.formats.model_string import from_model_string
from forebear.network.network import Network

ROOT = Path(__file__).parents[2]
WET = Network(("rain", "sprinkler", "grass", "moon"), ((), (), (0, 1), ()))


@pytest.fixture
def page() -> str:
    return (ROOT / "docs" / "reference" / "formats.md").read_text(encoding="utf-8")


def test_every_format_has_its_row(page: str) -> None:
    rows = [line.partition(" | ")[0] for line in page.splitlines() if line.startswith("| `.")]
    listed = [extension for row in rows for extension in re.findall(r"`(\.[\w.]+)`", row)]
    networks = [extension for form in FORMATS for extension in form.extensions]
    assert sorted(listed) == sorted([*EXTENSIONS, ".cps", ".jkl", *networks, ".json"])
    for form in FORMATS:
        row = next(line for line in page.splitlines() if f"| `{form.extensions[0]}`" in line)
        _, _, _, read, written, holds, _, _ = row.split("|")
        assert (read.strip() == "yes") is (form.read is not None)
        assert written.strip() == "yes"
        assert ("probabilities" in holds) is form.holds_probabilities


def test_the_examples_are_one_network(page: str, tmp_path: Path) -> None:
    arcs, matrix = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    for name, text in (("a.edges.csv", arcs), ("b.adjacency.csv", matrix)):
        write_network(WET, tmp_path / f"written-{name}")
        assert (tmp_path / f"written-{name}").read_text() == text
    model_string = re.search(r"as a model string: `(.*?)`", page)
    assert model_string is not None
    assert_same_structure(from_model_string(model_string[1]), WET)
