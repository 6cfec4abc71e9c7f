"""What a file is, by its content and its name, for errors about files of the wrong kind."""

from __future__ import annotations

from pathlib import Path

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
    """Say what to do with a spreadsheet or an archive, which nothing here reads."""
    name = Path(path).name.lower()
    return next((advice for ends, advice in _ADVICE.items() if name.endswith(ends)), None)


def describe_file(path: Path | str) -> str | None:
    """Say what a file is, by its content and its name; None if that is not clear."""
    name = Path(path).name.lower()
    by_name = next((what for end, what in _EXTENSIONS.items() if name.endswith(end)), None)
    found = describe_content(path)
    return by_name or found if found in (None, GZIP, BINARY) else found


def describe_content(path: Path | str) -> str | None:
    """Say what a file is, by its content only; None if that is not clear."""
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
