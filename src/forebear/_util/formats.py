"""The formats of forebear's own files: each has a name and a number.

A file records its format and the version of forebear that wrote it. The number is increased when
older versions would misread the new format; files in the old format can still be read.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from forebear._util.errors import FileError

if TYPE_CHECKING:
    from pathlib import Path

OWN_VERSION: str = sys.modules["forebear"].__version__
"""The version of forebear. Not imported: the list of public names would make it a circle."""


class Format(NamedTuple):
    """A kind of file, and the newest number of it that this version reads and writes."""

    name: str
    number: int

    def __str__(self) -> str:
        return f"{self.name} {self.number}"

    @property
    def marks(self) -> dict[str, str]:
        """The fields that every file of this format has."""
        return {"format": str(self), "forebear": OWN_VERSION}

    def refuse_newer(self, path: Path | str, recorded: Any, writer: Any) -> None:
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
        start, _, number = recorded.rpartition(" ") if isinstance(recorded, str) else ("", "", "")
        if start != self.name or not (number.isascii() and number.isdigit()):
            return
        # Only the length of very long numbers matters, and Python refuses to convert those.
        if len(number) < 10 and int(number) <= self.number:
            return
        by = f", written by forebear {writer[:40]}" if isinstance(writer, str) else ""
        raise FileError(
            f"{path}: this file has the format {recorded[:80]!r}{by}, but this version of forebear "
            f"({OWN_VERSION}) supports it only up to number {self.number}: update forebear"
        )
