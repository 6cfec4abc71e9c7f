"""Files of the wrong kind are named as what they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from forebear._util.errors import FileError
from forebear._util.file_kinds import describe_file
from forebear.data.dataset import Dataset
from forebear.network.file_formats import read_network
from forebear.parentsets.collection import ParentSets


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b'{"format": "forebear result 1"}', "a result file (.json)"),
        (b'{"format": "forebear checkpoint 1"}', "a checkpoint"),
        (b"PK\x03\x04 ...", "a zip archive or an Excel workbook"),
        (b"%PDF", "a PDF document"),
        (b"", "an empty file"),
        (b"\x00\x01\x02", "a binary file"),
        (b"Nothing to see.", None),
        (None, None),
    ],
)
def test_descriptions(tmp_path: Path, content: bytes | None, what: str | None) -> None:
    if content is not None:
        (tmp_path / "file").write_bytes(content)
    assert describe_file(tmp_path / "file") == what
    assert describe_file(tmp_path) == "a directory"
    assert describe_file("no.jkl") == "a file of parent sets (.jkl)"


def test_content_counts_more_than_the_name(tmp_path: Path) -> None:
    for name in ("really.cps", "really.jkl"):
        (tmp_path / name).write_text('{"format": "forebear result 1"}')
        with pytest.raises(FileError, match=r"this is a result file \(\.json\)"):
            ParentSets.load(tmp_path / name)
    (tmp_path / "really.bif").write_bytes(b"PK\x03\x04\xff\xfe")
    with pytest.raises(FileError, match="not a BIF file: this is a zip archive"):
        read_network(tmp_path / "really.bif")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("table.zip", "archives are neither read nor written: unpack it"),
        ("result.json", "a table is expected, but this is a result file"),
    ],
)
def test_other_files_are_not_tables(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / name).write_text('{"format": "forebear result 1"}')
    with pytest.raises(FileError, match=rf"{name}: {message}"):
        Dataset.read(tmp_path / name)
