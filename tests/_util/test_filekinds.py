"""Files of the wrong kind are named as what they are."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING

import pytest

from forebear import score_parent_sets
from forebear._util.errors import FileError
from forebear._util.filekinds import describe_file
from forebear.data.dataset import Dataset
from forebear.network.file_formats import read_network
from forebear.network.simulation import simulate
from forebear.parentsets.collection import ParentSets

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one file of every kind."""
    sets = score_parent_sets(simulate(3, 50, seed=1).data, max_parents=1)
    sets.save(tmp_path / "sets.cps")
    sets.save(tmp_path / "sets.jkl")
    (tmp_path / "result.json").write_text(json.dumps({"format": "forebear result 1"}))
    (tmp_path / "search.checkpoint").write_text(json.dumps({"format": "forebear checkpoint 1"}))
    (tmp_path / "table.csv").write_text("a,b\n0,1\n")
    with zipfile.ZipFile(tmp_path / "table.zip", "w") as archive:
        archive.writestr("table.csv", "a,b\n0,1\n")
    with zipfile.ZipFile(tmp_path / "book.xlsx", "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    (tmp_path / "nothing.bin").write_bytes(b"")
    (tmp_path / "random.bin").write_bytes(b"\x00\x01\x02")
    (tmp_path / "notes.md").write_text("Nothing to see.")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("sets.cps", "a file of parent sets (.cps)"),
        ("sets.jkl", "a file of parent sets (.jkl)"),
        ("result.json", "a result file (.json)"),
        ("search.checkpoint", "a checkpoint"),
        ("table.csv", "a CSV table"),
        ("book.xlsx", "a zip archive or an Excel workbook"),
        ("nothing.bin", "an empty file"),
        ("random.bin", "a binary file"),
        ("notes.md", None),
        ("missing", None),
        (".", "a directory"),
    ],
)
def test_descriptions(folder: Path, name: str, what: str | None) -> None:
    assert describe_file(folder / name) == what


def test_content_counts_more_than_the_name(folder: Path) -> None:
    for name in ("really.cps", "really.jkl"):
        (folder / name).write_bytes((folder / "result.json").read_bytes())
        with pytest.raises(FileError, match=r"this is a result file \(\.json\)"):
            ParentSets.load(folder / name)
    (folder / "really.bif").write_bytes((folder / "table.zip").read_bytes() + b"\xff\xfe")
    with pytest.raises(FileError, match="not a BIF file: this is a zip archive"):
        read_network(folder / "really.bif")


def test_tables(folder: Path) -> None:
    with pytest.raises(
        FileError, match=r"table\.zip: archives are neither read nor written: unpack it"
    ):
        Dataset.read(folder / "table.zip")
    with pytest.raises(FileError, match=r"a table is expected, but this is a result file"):
        Dataset.read(folder / "result.json")
