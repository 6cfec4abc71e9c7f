"""The formats of forebear's own files, and descriptions of files of the wrong kind.

Each own format has a name and a number. A file records its format and the version of forebear that
wrote it. The number is increased when older versions would misread the new format; files in the old
format can still be read.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, NamedTuple

from forebear._util.errors import FileError

OWN_VERSION: str = sys.modules["forebear"].__version__
"""The version of forebear. It is not imported, because that would be a circular import."""


class Format(NamedTuple):
    """A file format of forebear, and its newest number that this version reads and writes."""

    name: str
    number: int

    def __str__(self) -> str:
        return f"{self.name} {self.number}"

    @property
    def marks(self) -> dict[str, str]:
        """The fields that every file of this format has."""
        return {"format": str(self), "forebear": OWN_VERSION}

    def reject_newer(self, path: Path | str, recorded: Any, writer: Any) -> None:
        """Reject a file whose format is newer than this version.

        Parameters
        ----------
        path
            The file.
        recorded
            The format that the file records. Only a later number of this format is rejected;
            the caller checks everything else.
        writer
            The version of forebear that wrote it, if recorded.
        """
        name, _, number = recorded.rpartition(" ") if isinstance(recorded, str) else ("", "", "")
        if name != self.name or not (number.isascii() and number.isdigit()):
            return
        # Python does not convert very long numbers, so these count as newer.
        if len(number) < 10 and int(number) <= self.number:
            return
        by = f", written by forebear {writer[:40]}" if isinstance(writer, str) else ""
        raise FileError(
            f"{path}: this file has the format {recorded[:80]!r}{by}, but this version of forebear "
            f"({OWN_VERSION}) supports it only up to number {self.number}: update forebear"
        )


EMPTY, GZIP, BINARY = "an empty file", "a gzip file", "a binary file"

_OWN = {
    b"forebear parent sets": "a file of parent sets (.cps)",
    b"forebear result": "a result file (.json)",
    b"forebear checkpoint": "a checkpoint",
    b"forebear run": "a checkpoint",
}
_MAGIC = {
    b"PK\x03\x04": "a zip archive or an Excel workbook",
    b"PAR1": "a Parquet table",
    b"ARROW1": "an Arrow table",
    b"\x1f\x8b": GZIP,
    b"%PDF": "a PDF document",
    b"\xd0\xcf\x11\xe0": "an old Excel or Word document",
    b"SQLite format 3": "an SQLite database",
    b"<?xml": "an XML file",
}
_EXTENSIONS = {
    ".jkl": "a file of parent sets (.jkl)",
    ".jkl.gz": "a file of parent sets (.jkl)",
    ".bif": "a network file",
    ".xmlbif": "a network file",
    ".net": "a network file",
    ".csv": "a CSV table",
    ".tsv": "a table",
    ".dat": "a table",
    ".data": "a table",
}
_ADVICE = {
    (".xls", ".xlsm", ".ods"): "such spreadsheets are neither read nor written: use .xlsx or CSV",
    (".xlsx",): "workbooks are read, but not written: use CSV",
    (".zip", ".7z", ".tar", ".tgz", ".tar.gz", ".rar"): (
        "archives are neither read nor written: unpack it and use the file inside"
    ),
}


def advice_on(path: Path | str) -> str | None:
    """Return advice about a spreadsheet or an archive; None for other files."""
    name = Path(path).name.lower()
    return next((advice for ends, advice in _ADVICE.items() if name.endswith(ends)), None)


def describe_file(path: Path | str) -> str | None:
    """Describe a file by its content and its name; None if its kind is unknown."""
    name = Path(path).name.lower()
    by_name = next((what for end, what in _EXTENSIONS.items() if name.endswith(end)), None)
    by_content = describe_content(path)
    return by_name or by_content if by_content in (None, GZIP, BINARY) else by_content


def describe_content(path: Path | str) -> str | None:
    """Describe a file by its content only; None if its kind is unknown."""
    if Path(path).is_dir():
        return "a directory"
    try:
        with Path(path).open("rb") as file:
            start = file.read(1 << 12)  # the format name of our own files is near the start
    except (OSError, ValueError):
        return None
    if not start:
        return EMPTY
    own = next((what for mark, what in _OWN.items() if mark in start), None)
    other = next((what for mark, what in _MAGIC.items() if start.startswith(mark)), None)
    return own or other or (BINARY if b"\0" in start else None)
